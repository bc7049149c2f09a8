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
    var passed: UInt64 = 0
    var missed: UInt64 = 0
    /// The records and bytes of the batch, and when it is due.
    var recordCount = 0
    var byteCount = ReportLayout.headerByteCount
    var due = Instant(microseconds: .max)
    /// What a batch may grow to: nothing while it is held back, and reports are missed.
    var limit = ReportBatches.stride
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
    full &= ~(1 << UInt8(stream))
  }

  public func passedCount(_ stream: Int) -> UInt64 { streams[stream].passed }
  public func missedCount(_ stream: Int) -> UInt64 { streams[stream].missed }
  public func hasRecords(_ stream: Int) -> Bool { streams[stream].recordCount > 0 }

  /// When a stream's batch is due; nil for an empty one.
  public func due(_ stream: Int) -> Instant? {
    streams[stream].due.microseconds < .max ? streams[stream].due : nil
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
    full &= ~(1 << UInt8(stream))
    streams[stream].recordCount = 0
    streams[stream].byteCount = ReportLayout.headerByteCount
    streams[stream].due = Instant(microseconds: .max)
    streams[stream].limit = Self.stride
  }

  /// Keeps the batch of a stream as it is: its reader has no room for it.
  public mutating func batchWasHeldBack(_ stream: Int) {
    full &= ~(1 << UInt8(stream))
    streams[stream].due = Instant(microseconds: .max)
    streams[stream].limit = 0
  }

  /// Ends a stream, whose last batch was not sent. Returns the reports that passed, and those of them that were missed.
  public mutating func close(_ stream: Int) -> (passed: UInt64, missed: UInt64) {
    let missed = streams[stream].missed &+ UInt64(streams[stream].recordCount)
    batchWasSent(stream)
    return (streams[stream].passed, missed)
  }

  // MARK: Records

  /// Adds a report to the batch of each stream of a set of bits.
  @inline(__always)
  mutating func add(_ words: ReportWords, _ data: RawSpan, to wanted: UInt8, at now: Instant) {
    let byteCount = ReportLayout.recordByteCount &+ data.byteCount
    let head = words.head | UInt64(waited) << 48 | UInt64(truncatingIfNeeded: byteCount)
    var left = wanted
    while left != 0 {
      let place = left.trailingZeroBitCount
      left &= left &- 1
      var stream = streams[place]
      let start = stream.byteCount
      guard start &+ byteCount <= stream.limit else {
        streams[place].passed = stream.passed &+ 1
        streams[place].missed = stream.missed &+ 1
        continue
      }
      let batch = place &* Self.stride
      if stream.recordCount == 0 {
        bytes.store(stream.passed, at: batch &+ 8)
        bytes.store(stream.missed, at: batch &+ 16)
        streams[place].due = now.advanced(milliseconds: stream.patience)
      }
      let time = UInt64(truncatingIfNeeded: now.microseconds &- stream.start.microseconds)
      bytes.store((head, time, words.address, words.identity), at: batch &+ start)
      bytes.store(words.levels, at: batch &+ start &+ 32)
      bytes.write(data, at: batch &+ start &+ ReportLayout.recordByteCount)
      stream.byteCount = start &+ byteCount
      stream.recordCount &+= 1
      streams[place].passed = stream.passed &+ 1
      streams[place].byteCount = stream.byteCount
      streams[place].recordCount = stream.recordCount
      if stream.recordCount >= Self.recordsPerBatch || stream.byteCount >= Self.fullByteCount {
        full |= 1 << UInt8(truncatingIfNeeded: place)
      }
    }
  }
}

/// The numbers of a record (``ReportLayout``) as its words, without its length, its time and how long it waited.
struct ReportWords: BitwiseCopyable {
  var head: UInt64
  let address: UInt64
  var identity: UInt64
  let levels: UInt16

  @inline(__always)
  init(_ report: HeardReport, secondaryPHY: UInt8, primaryPHY: UInt8) {
    // Identity addresses of the controller are the next two numbers after public and random; anonymous has every bit.
    let type = report.address.word & 0xFF
    let isResolved = type & 0xFE == 2
    let settledType = isResolved ? type & 1 : type
    let properties = UInt64(report.properties.rawValue)
    // Connectable, scannable, directed and scan response have the same bits.
    let isExtended = properties >> 5 & ~(properties >> 4) & 1
    let flags = properties & 0xF | isExtended << 4 | UInt64(report.dataStatus.rawValue) << 5
    let bits = report.address.bits
    let sid = UInt64(report.advertisingSID) << 56
    head = settledType << 24 | (flags | (isResolved ? 128 : 0)) << 32
    address = bits | UInt64(primaryPHY) << 48 | UInt64(secondaryPHY) << 56
    identity = isResolved ? bits | settledType << 48 | sid : sid
    levels = UInt16(UInt8(bitPattern: report.txPower)) | UInt16(UInt8(bitPattern: report.rssi)) << 8
  }

  /// A key of the manifest or of a bond has resolved the address.
  mutating func setIdentity(_ address: DeviceAddress) {
    head |= 128 << 32
    identity = identity & 0xFF << 56 | UInt64(address.settled.type.rawValue) << 48 | address.bits
  }
}

// Which reports the streams want.

extension Pipeline {
  /// Says which streams, by their bits, want every report; follow with ``followWants()``.
  public mutating func wantEverything(_ streams: UInt8) { reports.everything = streams }

  /// Says which streams want the reports of an accessory, by its settled address.
  public mutating func want(_ streams: UInt8, ofAccessory address: DeviceAddress) {
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
    var streams = reports.everything | devices.rows[row].accessoryStreams
    for slot in 0..<devices.matchCount(row) {
      let match = matches.match(slot, of: row)
      if match.isFound { streams |= matches.quotas[Int(match.item)].streams }
    }
    devices.rows[row].streams = streams
  }

  /// Passes a report on to streams.
  @inline(never)
  mutating func passOn(_ report: HeardReport, _ data: RawSpan, to streams: UInt8, row: Int) {
    var words = words(of: report)
    let rows = devices.rows
    if rows[row].identity >= 0 { words.setIdentity(devices.publicAddress(of: rows[row])) }
    if rows[row].isAccessory { words.head |= 256 << 32 }
    reports.add(words, data, to: streams, at: clock)
  }

  /// Passes the report by which an item has just found its device on to the streams that want the device because of that. It
  /// is what the row and its newest set say: with a level that a gate let in, the advertising data.
  @inline(__always)
  mutating func passOnIfFound(_ row: Int, _ part: PayloadPart = .data, passedTo streams: UInt8) {
    let new = devices.rows[row].streams & ~streams
    if new != 0 { passOnLast(part, of: row, to: new) }
  }

  @inline(never)
  private mutating func passOnLast(_ part: PayloadPart, of row: Int, to streams: UInt8) {
    let device = devices.rows[row]
    let set = Int(device.newestSet)
    let bytes = sets.payloads.bytes
    let response = bytes.payload(sets.table[set].response, .response, of: set)
    let report = HeardReport(
      last: device, part, of: sets.table[set],
      isScannable: response.byteCount > 0 || sets.table[set].isConnectable, reports.last)
    let data = bytes.payload(sets.table[set].data, .data, of: set)
    passOn(report, part == .response ? response : data, to: streams, row: row)
  }

  /// Passes a report on that belongs to no row.
  @inline(never)
  mutating func passOnUnlisted(_ report: HeardReport, _ data: RawSpan) {
    guard reports.everything != 0 else { return }
    reports.add(words(of: report), data, to: reports.everything, at: clock)
  }

  @inline(__always)
  private func words(of report: HeardReport) -> ReportWords {
    guard report.properties.contains(.extendedEvent) else {
      return ReportWords(report, secondaryPHY: 0, primaryPHY: PHY.le1M.rawValue)
    }
    return ReportWords(report, secondaryPHY: reports.last.secondaryPHY, primaryPHY: reports.last.primaryPHY)
  }
}
