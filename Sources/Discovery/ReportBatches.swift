// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The reports that streams want, as binary records (``ReportLayout``) in one batch for each stream.
///
/// Capacity: eight streams. A batch is full with 64 records or 4,096 bytes; it has room for the rest of the event that filled
/// it, and for a payload of any length. The sender of batches empties one with ``batchWasSent(_:)``. A report that comes while
/// the batch of its stream is held back, or has no room, is missed, and counted: for every stream, sent + missed = passed.
///
/// Copies share the memory. It is set aside when a stream is opened, not with the tables of the pipeline.
public struct ReportBatches: BitwiseCopyable {
  public static var streamsMax: Int { 8 }
  /// The bit beside those of the streams: an app reads every report of its accessory.
  public static var readings: UInt16 { 1 << 8 }
  public static var recordsPerBatch: Int { 64 }
  public static var bytesPerBatch: Int { 4096 }
  /// An event has at most 255 bytes and 25 reports; one payload alone may have 1,650 bytes.
  private static var fullByteCount: Int { bytesPerBatch + ReportLayout.headerByteCount }
  static var stride: Int {
    ReportLayout.headerByteCount + bytesPerBatch + ReportLayout.recordByteCount
      + ReportAssembler.payloadBytesMax
  }

  struct Stream: BitwiseCopyable {
    /// When it began; its records count from here.
    var start = Instant(microseconds: 0)
    /// How long a report may wait for others, in milliseconds.
    var patience: Int64 = 0
    /// Reports of the batches that were sent.
    var sent: UInt64 = 0
    var missed: UInt64 = 0
    /// How many records the batch may still get, and its bytes.
    var recordsLeft = ReportBatches.recordsPerBatch
    var byteCount = ReportLayout.headerByteCount
    /// What a batch may grow to: nothing while it is held back, and reports are missed.
    var limit = ReportBatches.stride

    var recordCount: Int { ReportBatches.recordsPerBatch &- recordsLeft }
    var passed: UInt64 { sent &+ missed &+ UInt64(truncatingIfNeeded: recordCount) }
  }

  private let streams: FixedTable<Stream>
  private let bytes: FixedTable<UInt8>
  /// Streams by their bits: those that want every report, and those whose batch is full.
  var everything: UInt8 = 0
  public private(set) var full: UInt8 = 0
  /// What the last extended report said that legacy ones never say.
  var last = LastExtendedReport()
  /// How long the packet that is being received waited in the kernel, as records say it.
  public var waited = ReportLayout.waitedUnknown

  /// No streams, and no memory.
  public init() {
    streams = .empty
    bytes = .empty
  }

  public init(in arena: inout Arena) {
    streams = arena.table(of: Stream(), count: Self.streamsMax)
    bytes = arena.table(of: 0, count: Self.streamsMax * Self.stride)
  }

  // MARK: Streams

  /// Begins a stream in a free place.
  public mutating func open(_ stream: Int, patienceMilliseconds: Int64, at now: Instant) {
    streams[stream] = Stream(start: now, patience: patienceMilliseconds)
    startBatch(of: stream)
  }

  public func passedCount(_ stream: Int) -> UInt64 { streams[stream].passed }
  public func missedCount(_ stream: Int) -> UInt64 { streams[stream].missed }
  public func hasRecords(_ stream: Int) -> Bool { streams[stream].recordCount > 0 }

  /// When a stream's batch is due: its first report says when it came. nil for an empty batch, and one that is held back.
  public func due(_ stream: Int) -> Instant? {
    let batch = streams[stream]
    guard batch.recordCount > 0, batch.limit > 0 else { return nil }
    let first = bytes.span(at: stream * Self.stride + ReportLayout.headerByteCount + 8, count: 8)
    let waiting = Int64(first.uint64(at: 0))
    return Instant(microseconds: batch.start.microseconds &+ waiting).advanced(milliseconds: batch.patience)
  }

  /// The batch of a stream, with its header.
  @_lifetime(borrow self)
  public func batch(_ stream: Int) -> RawSpan {
    bytes.store(
      ReportLayout.head(.reports, records: streams[stream].recordCount), at: stream * Self.stride)
    return bytes.span(at: stream * Self.stride, count: streams[stream].byteCount)
  }

  /// Empties the batch of a stream. What it had has arrived.
  public mutating func batchWasSent(_ stream: Int) {
    streams[stream].sent &+= UInt64(streams[stream].recordCount)
    startBatch(of: stream)
  }

  /// Begins a batch with what came before its first report: until that has come, none can be missed.
  private mutating func startBatch(of stream: Int) {
    full &= ~(1 << UInt8(stream))
    streams[stream].recordsLeft = Self.recordsPerBatch
    streams[stream].byteCount = ReportLayout.headerByteCount
    streams[stream].limit = Self.stride
    bytes.store(streams[stream].passed, at: stream * Self.stride + 8)
    bytes.store(streams[stream].missed, at: stream * Self.stride + 16)
  }

  /// Keeps the batch of a stream as it is: its reader has no room for it.
  public mutating func batchWasHeldBack(_ stream: Int) {
    full &= ~(1 << UInt8(stream))
    streams[stream].limit = 0
  }

  /// Ends a stream, whose last batch was not sent. Returns the reports that passed, and those of them that were missed.
  public mutating func close(_ stream: Int) -> (passed: UInt64, missed: UInt64) {
    full &= ~(1 << UInt8(stream))
    let last = streams[stream]
    streams[stream] = Stream()
    return (last.passed, last.missed &+ UInt64(last.recordCount))
  }

  // MARK: Records

  /// Adds a report to the batch of a stream.
  @inline(__always)
  mutating func add(_ words: ReportWords, _ data: RawSpan, toStream stream: Int, at now: Instant) {
    let byteCount = ReportLayout.recordByteCount &+ data.byteCount
    let start = streams[stream].byteCount
    let end = start &+ byteCount
    guard end <= streams[stream].limit else { return streams[stream].missed &+= 1 }
    let time = UInt64(truncatingIfNeeded: now.microseconds &- streams[stream].start.microseconds)
    let head = words.head | UInt64(waited) << 48 | UInt64(truncatingIfNeeded: byteCount)
    streams[stream].byteCount = end
    streams[stream].recordsLeft &-= 1
    if streams[stream].recordsLeft == 0 || end >= Self.fullByteCount { batchIsFull(stream) }
    bytes.store(
      (head, time, words.address, words.identity), words.levels, data, at: stream &* Self.stride &+ start)
  }

  @inline(never)
  private mutating func batchIsFull(_ stream: Int) { full |= 1 << UInt8(truncatingIfNeeded: stream) }

  /// Adds a report to the batch of each stream of a set of bits.
  @inline(never)
  mutating func add(_ words: ReportWords, _ data: RawSpan, to wanted: UInt8, at now: Instant) {
    var left = wanted
    while left != 0 {
      add(words, data, toStream: left.trailingZeroBitCount, at: now)
      left &= left &- 1
    }
  }
}

/// The numbers of a record (``ReportLayout``) as its words, without its length, its time and how long it waited.
struct ReportWords: BitwiseCopyable {
  var head: UInt64
  let address: UInt64
  var identity: UInt64
  let levels: UInt16

  /// The words of a legacy report.
  @inline(__always)
  init(legacy report: HeardReport) {
    // Connectable, scannable, directed and scan response have the same bits.
    head = UInt64(report.properties.rawValue & 0xF) << 32
    address = report.address.bits | UInt64(PHY.le1M.rawValue) << 48
    identity = UInt64(ReportHeader.noAdvertisingSID) << 56
    levels = Self.levels(ReportHeader.noTxPower, report.rssi)
    setType(of: report.address)
  }

  @inline(__always)
  init(_ report: HeardReport, _ extended: LastExtendedReport) {
    let properties = UInt64(report.properties.rawValue)
    let isExtended = ~(properties >> 4) & 1
    let flags = properties & 0xF | isExtended << 4 | UInt64(report.dataStatus.rawValue) << 5
    head = flags << 32
    address = report.address.bits | UInt64(extended.primaryPHY) << 48 | UInt64(extended.secondaryPHY) << 56
    identity = UInt64(report.advertisingSID) << 56
    levels = Self.levels(report.txPower, report.rssi)
    setType(of: report.address)
  }

  @inline(__always)
  private static func levels(_ txPower: Int8, _ rssi: Int8) -> UInt16 {
    UInt16(UInt8(bitPattern: txPower)) | UInt16(UInt8(bitPattern: rssi)) << 8
  }

  /// Identity addresses of the controller are the next two numbers after public and random; anonymous has every bit.
  @inline(__always)
  private mutating func setType(of address: DeviceAddress) {
    let type = address.word & 0xFF
    guard type & 0xFE == 2 else { return head |= type << 24 }
    head |= (type & 1) << 24
    setIdentity(address)
  }

  /// The controller, or a key of the manifest or of a bond, has resolved the address.
  @inline(__always)
  mutating func setIdentity(_ address: DeviceAddress) {
    head |= 128 << 32
    identity = identity & 0xFF << 56 | (address.word & 1) << 48 | address.bits
  }
}

// Which reports the streams want.

extension Pipeline {
  /// Says which streams, by their bits, want every report; follow with ``followWants()``.
  public mutating func wantEverything(_ streams: UInt8) { reports.everything = streams }

  /// Says which streams want the reports of an accessory, by its settled address.
  public mutating func want(_ streams: UInt16, ofAccessory address: DeviceAddress) {
    devices.accessories.want(streams, of: address)
  }

  /// Says which streams want the reports of the devices that an item has found.
  public mutating func want(_ streams: UInt8, ofItem item: Int) { matches.quotas[item].streams = streams }

  /// Brings the devices in line with what the streams want.
  public mutating func followWants() {
    for row in 0..<devices.rows.count where devices.rows[row].isLive {
      devices.setAccessory(&devices.rows[row])
      followWants(row)
    }
  }

  /// Brings one device in line with what the streams want.
  mutating func followWants(_ row: Int) {
    var streams = UInt16(reports.everything) | devices.rows[row].accessoryStreams
    for slot in 0..<devices.matchCount(row) {
      let match = matches.match(slot, of: row)
      if match.isFound { streams |= UInt16(matches.quotas[Int(match.item)].streams) }
    }
    devices.rows[row].streams = streams
  }

  /// Passes a report on to the streams that want its device, after it has been processed: the report that an item finds its
  /// device by is among them.
  @inline(never)
  mutating func passOn(_ report: HeardReport, _ data: RawSpan, row: Int) {
    passOn(words(of: report), data, row: row)
  }

  /// The same for a legacy report, of which its row has the rest.
  @inline(never)
  mutating func passOn(_ properties: ReportHeader.Properties, _ data: RawSpan, row: Int) {
    let rows = devices.rows
    let report = HeardReport(legacy: rows[row].address, properties, rssi: rows[row].rssi)
    passOn(ReportWords(legacy: report), data, row: row)
  }

  @inline(__always)
  private mutating func passOn(_ numbers: ReportWords, _ data: RawSpan, row: Int) {
    let rows = devices.rows
    var words = numbers
    if rows[row].identity >= 0 { words.setIdentity(devices.publicAddress(of: rows[row])) }
    if rows[row].isAccessory { words.head |= 256 << 32 }
    let streams = rows[row].streams
    guard streams & (streams &- 1) == 0, streams < ReportBatches.readings else {
      if streams >= ReportBatches.readings { keepReading(of: row) }
      return reports.add(words, data, to: UInt8(truncatingIfNeeded: streams), at: clock)
    }
    reports.add(words, data, toStream: streams.trailingZeroBitCount, at: clock)
  }

  /// Passes a report on that belongs to no row.
  @inline(never)
  mutating func passOnUnlisted(_ report: HeardReport, _ data: RawSpan) {
    guard reports.everything != 0 else { return }
    reports.add(words(of: report), data, to: reports.everything, at: clock)
  }

  @inline(__always)
  private func words(of report: HeardReport) -> ReportWords {
    report.properties.contains(.extendedEvent)
      ? ReportWords(report, reports.last) : ReportWords(legacy: report)
  }
}
