// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// From packets to sighting events. The path of a report is ``process(_:_:)``: row, hear, unchanged?, store, match,
/// gate, emit.
///
/// Time is an input and never runs backwards: an earlier time counts as the latest one. What is due between two inputs
/// happens at its own time. Nothing is allocated after the tables were taken from the arena; ``Capacities`` bounds each
/// of them, and ``Counters`` says what each turned away.
public struct Pipeline: ~Copyable {
  var assembler: ReportAssembler
  var devices: DeviceTable
  var sets: AdvertisingSetTable
  var matches: MatchTable
  var frames: FrameTable
  var deadlines: DeadlineHeap
  var clock = Instant(microseconds: .min)
  /// When the radio was last lost. A pause between receptions begins no earlier.
  var listeningSince = Instant(microseconds: .min)
  /// The strongest devices of full items are to be chosen when the room is known.
  var awaitsChoice = true
  /// Everything counted so far.
  public internal(set) var counters = Counters()

  /// The compiled descriptors. Fill it, then call ``Matcher/compile()``, before the first packet.
  public var matcher: Matcher
  /// Whether the kernel drops the reports that no item looks for.
  public var isFiltered = false
  /// Sighting events, for operators.
  public internal(set) var events: EventRing
  /// The reports that streams want.
  public var reports = ReportBatches()
  /// The reports of accessories whose apps read each one, as sightings of no item; without memory while none does.
  public var readings: EventRing
  /// Added to every reading: what makes this adapter comparable with the reference, in dB.
  public var adapterOffset: Int8 = 0

  /// The sizes of a pipeline besides its capacities.
  public struct Size: Equatable, Sendable, BitwiseCopyable {
    public var matcher: Matcher.Size
    /// Room for identity keys.
    public var identities: Int

    public init(matcher: Matcher.Size, identities: Int) {
      self.matcher = matcher
      self.identities = identities
    }
  }

  /// `epoch` names this run to readers of its events. `hashKey` is a secret of the run, which no sender may know;
  /// a replay has the fixed one.
  public init(
    _ size: Size, _ capacities: Capacities, epoch: Block128, hashKey: HashKey = .replay, in arena: inout Arena
  ) {
    let rows = Int(capacities.devices)
    assembler = ReportAssembler(capacity: Int(capacities.reassemblies), in: &arena)
    devices = DeviceTable(
      rows: rows, identities: size.identities, accessories: Int(capacities.accessories),
      hashKey: hashKey, in: &arena)
    sets = AdvertisingSetTable(
      capacity: rows + max(64, rows / 4), longPayloads: Int(capacities.longPayloads), in: &arena)
    matches = MatchTable(
      rows: rows, items: size.matcher.items, matchesPerItem: capacities.matchesPerItem, in: &arena)
    frames = FrameTable(in: &arena)
    // Beside the devices: when the strongest are chosen.
    deadlines = DeadlineHeap(rows: rows + 1, in: &arena)
    matcher = Matcher(size.matcher, hashKey: hashKey, in: &arena)
    readings = EventRing(epoch: epoch)
    events = EventRing(
      events: Int(capacities.events), eventBytes: Int(capacities.eventBytes), epoch: epoch, in: &arena)
  }

  /// Sets the gate of an item; before the first packet.
  public mutating func setGate(_ settings: GateSettings, item: Int) { matches.setGate(settings, item: item) }

  /// Adds an identity key before the first packet, when there are no devices; at most as many as the size says.
  public mutating func add(_ identity: IdentityKey) { devices.identities.add(identity) }

  public var assemblerCounters: ReportAssembler.Counters { assembler.counters }
  /// The time of the latest input, or nil before the first.
  public var now: Instant? { clock.microseconds == .min ? nil : clock }

  // MARK: Packets to reports

  /// How a packet was handled.
  public enum Reception: Sendable, BitwiseCopyable {
    case reports
    /// No advertising reports: a client that taps the radio may want it.
    case other
    case malformed
  }

  /// Receives one packet as a datagram delivers it, H4 indicator first.
  public mutating func receive(h4 bytes: RawSpan, at time: Instant) -> Reception {
    guard let event = bytes.eventOfPacket else { return receiveNoEvent(bytes, at: time) }
    return receive(event: event, at: time)
  }

  /// Receives one packet from the controller.
  @inline(__always)
  public mutating func receive(_ packet: borrowing Packet, at time: Instant) -> Reception {
    guard case .event = packet.kind else {
      advance(to: time)
      counters.packets &+= 1
      counters.packetsTapped &+= 1
      return .other
    }
    return receive(event: packet.body, at: time)
  }

  @inline(never)
  private mutating func receiveNoEvent(_ bytes: RawSpan, at time: Instant) -> Reception {
    do throws(PacketError) {
      return receive(try Packet(parsing: bytes), at: time)
    } catch {
      advance(to: time)
      counters.packets &+= 1
      counters.packetsMalformed &+= 1
      return .malformed
    }
  }

  /// Nearly every event holds one report, whole and in order. Until it is in its path nothing is called, so that no
  /// register has to be saved for it.
  @inline(__always)
  private mutating func receive(event: RawSpan, at time: Instant) -> Reception {
    guard deadlines.soonest > time, time >= clock else { return receiveLate(event, at: time) }
    return receiveInOrder(event, at: time)
  }

  /// Receives an event after what is due by its time, or before the latest input.
  @inline(never)
  private mutating func receiveLate(_ event: RawSpan, at time: Instant) -> Reception {
    advance(to: time)
    return receiveInOrder(event, at: clock)
  }

  @inline(__always)
  private mutating func receiveInOrder(_ event: RawSpan, at time: Instant) -> Reception {
    switch AdvertisingReport.loneFormat(event) {
    case .legacy: return receiveLegacy(event, at: time)
    case .extended where assembler.isIdle: return receiveExtended(event, at: time)
    case .extended, .directed, nil: return receiveAny(event, at: time)
    }
  }

  /// Receives the one report of an event.
  @inline(never)
  private mutating func receiveLegacy(_ event: RawSpan, at time: Instant) -> Reception {
    guard let report = AdvertisingReport(loneLegacy: event) else { return receiveAny(event, at: time) }
    noteReport(at: time)
    // A name of its own keeps the report out of memory.
    let header = report.header
    let data = report.data
    let (row, streams) = process(
      HeardReport(legacy: header.address, header.properties, rssi: header.rssi), data)
    if streams != 0 { passOn(header.properties, data, row: row) }
    return .reports
  }

  /// Receives the one report of an event, likewise.
  @inline(never)
  private mutating func receiveExtended(_ event: RawSpan, at time: Instant) -> Reception {
    guard let report = AdvertisingReport(loneExtended: event) else { return receiveAny(event, at: time) }
    noteReport(at: time)
    let header = report.header
    reports.last = LastExtendedReport(header)
    processAndPassOn(HeardReport(header), report.data)
    return .reports
  }

  @inline(__always)
  private mutating func noteReport(at time: Instant) {
    clock = time
    counters.packets &+= 1
    counters.reports &+= 1
  }

  /// Receives an event of any length and with reports of any format, or none.
  @inline(never)
  private mutating func receiveAny(_ bytes: RawSpan, at time: Instant) -> Reception {
    advance(to: time)
    counters.packets &+= 1
    do throws(EventError) {
      let event = try Event(parsing: bytes)
      guard var reports = AdvertisingReports(event) else {
        counters.packetsTapped &+= 1
        return .other
      }
      if isFiltered, isByChance(event) {
        counters.reports &+= 1
        counters.reportsByChance &+= 1
        return .reports
      }
      receive(&reports)
      if event.trailingByteCount < 0 { counters.eventsTruncated &+= 1 }
      if event.trailingByteCount > 0 || reports.trailingByteCount > 0 {
        counters.eventsWithTrailingBytes &+= 1
      }
      return .reports
    } catch {
      counters.packetsMalformed &+= 1
      return .malformed
    }
  }

  private mutating func receive(_ reports: inout AdvertisingReports) {
    while true {
      do throws(ReportError) {
        guard let report = try reports.next() else { return }
        counters.reports &+= 1
        assemble(report)
      } catch {
        count(error)
      }
    }
  }

  /// Counts the report that was cut. What would have followed it was not there, whatever number the event claims.
  private mutating func count(_ error: ReportError) {
    switch error {
    case .truncated: counters.reportsLostToTruncation &+= 1
    case .reserved: counters.reportsReserved &+= 1
    }
  }

  /// Processes an extended report, which may be a part of a chain, or a directed one.
  private mutating func assemble(_ report: borrowing AdvertisingReport) {
    reports.last = LastExtendedReport(report.header)
    switch assembler.add(report, at: clock) {
    case .whole:
      processUnlessAnonymous(HeardReport(report.header), report.data)
    case .pending, .lost:
      if !report.header.hasReading { counters.reportsWithoutReading &+= 1 }
    case .assembled(let slot, let byteCount):
      // The payload stays in its slot until the next report is added; nothing below adds one.
      let bytes = assembler.bytes
      processUnlessAnonymous(
        HeardReport(report.header), bytes.span(at: slot * ReportAssembler.payloadBytesMax, count: byteCount))
    }
  }

  private mutating func processUnlessAnonymous(_ report: HeardReport, _ payload: RawSpan) {
    guard report.address.type != .anonymous else {
      counters.reportsAnonymous &+= 1
      return passOnUnlisted(report, payload)
    }
    processAndPassOn(report, payload)
  }

  // MARK: The path of a report

  @inline(__always)
  private mutating func processAndPassOn(_ report: HeardReport, _ payload: RawSpan) {
    let (row, streams) = process(report, payload)
    if streams != 0 { passOn(report, payload, row: row) }
  }

  /// Processes a report that has an address, and whose payload is as complete as it will get. Returns its row, and the streams
  /// that want it.
  @inline(__always)
  private mutating func process(_ report: HeardReport, _ payload: RawSpan) -> (row: Int, streams: UInt16) {
    guard let row = findRow(of: report.address) else {
      passOnUnlisted(report, payload)
      return (-1, 0)
    }
    // One handle for the whole report: the row is checked once.
    let rows = devices.rows
    process(report, payload, row: row, of: rows)
    return (row, rows[row].streams)
  }

  @inline(__always)
  private mutating func process(
    _ report: HeardReport, _ payload: RawSpan, row: Int, of rows: FixedTable<Device>
  ) {
    let isSample = hear(report, row: row, of: rows)
    if isUnchanged(payload, report, row: row, of: rows) {
      counters.reportsUnchanged &+= 1
    } else if let set = findSet(of: report, row: row) {
      sets.table[set].hear(report, at: clock)
      let part: PayloadPart = report.isResponse ? .response : .data
      if report.dataStatus == .truncated { sets.table[set].knownFrames = -1 }
      if sets.table[set].knownFrames < 0
        || !resumeFrame(payload, part, of: set, row: row, txPower: report.txPower)
      {
        let isNew =
          sets.isNew(payload, report, in: set)
          && replacePayload(part, of: set, row: row, with: payload)
        matchPayload(part, of: set, row: row, isNew: isNew, txPower: report.txPower)
      }
    }
    if isSample, rows[row].matchCount > 0, !rows[row].isDeadlineEarly {
      judgeMatches(of: row)
    }
  }

  // MARK: Row

  /// The row of an address, new if need be; nil when the table holds only accessories.
  @inline(__always)
  private mutating func findRow(of address: DeviceAddress) -> Int? {
    let known = devices.row(of: address)
    return known >= 0 ? known : addRow(for: address)
  }

  // MARK: Hear

  /// Takes a report's time and level into its row. Returns whether the gates have a new sample to judge.
  @inline(__always)
  private mutating func hear(_ report: HeardReport, row: Int, of rows: FixedTable<Device>) -> Bool {
    if report.dataStatus == .truncated { counters.reportsTruncated &+= 1 }
    // The row is checked here, before any branch.
    let wasSilent = rows[row].wasSilent(at: clock)
    guard report.hasReading else { return hearWithoutReading(report, row: row) }
    if wasSilent { forgetSilentLevel(of: row) }
    return rows[row].hear(report, reading: comparable(report.rssi), at: clock) != .nothing
  }

  @inline(never)
  private mutating func hearWithoutReading(_ report: HeardReport, row: Int) -> Bool {
    counters.reportsWithoutReading &+= 1
    if devices.rows[row].matchCount > 0 { deadlines.schedule(row, noLaterThan: clock) }
    _ = devices.rows[row].hear(report, reading: nil, at: clock)
    return false
  }

  /// A reading as the reference adapter would give it.
  @inline(__always)
  private func comparable(_ rssi: Int8) -> Int8 {
    adapterOffset == 0 ? rssi : Int8(max(-127, min(20, Int(rssi) &+ Int(adapterOffset))))
  }

  /// Restarts the filter after a silence of max(5 s, 3 x the learned interval), at most 30 s.
  @inline(never)
  private mutating func forgetSilentLevel(of row: Int) {
    let defaults = GateSettings()
    guard devices.rows[row].signal.readingCount > 0,
      Gate.silenceEnd(devices.rows[row].signal, defaults) <= clock
    else { return }
    devices.rows[row].signal.resetFilter()
    devices.rows[row].levels = LevelHistory(appeared: clock)
    for slot in 0..<devices.matchCount(row) {
      guard case .approaching = matches.match(slot, of: row).presence else { continue }
      matches.table[matches.index(slot, of: row)].setPresence(.outside, at: clock)
    }
  }

  // MARK: Unchanged?

  /// Whether a report says what its advertiser's newest set said before, and nothing that must be counted or kept.
  @inline(__always)
  private func isUnchanged(
    _ payload: RawSpan, _ report: HeardReport, row: Int, of rows: FixedTable<Device>
  ) -> Bool {
    let set = Int(rows[row].newestSet)
    guard report.advertisingSID == ReportHeader.noAdvertisingSID, report.txPower == ReportHeader.noTxPower,
      set >= 0
    else { return false }
    let bytes = sets.payloads.bytes
    return sets.table[set].repeats(
      payload, report, claimed: rows[row].claimedTxPower, of: set, in: bytes, at: clock)
  }

  // MARK: Store

  /// The set a report belongs to, now the newest of its row; nil when there is no room for another.
  ///
  /// A report without an Advertising SID belongs to the address's newest set. A set with a SID takes over a set without
  /// one: they are the same advertiser heard through two kinds of report.
  @inline(__always)
  private mutating func findSet(of report: HeardReport, row: Int) -> Int? {
    let newest = Int(devices.rows[row].newestSet)
    if newest >= 0,
      report.advertisingSID == ReportHeader.noAdvertisingSID
        || sets.table[newest].advertisingSID == report.advertisingSID
    {
      return newest
    }
    return findOtherSet(report.advertisingSID, row: row)
  }

  /// Keeps the payload of a report, which differs from the previous one. Returns false when there is no room.
  @inline(never)
  private mutating func replacePayload(
    _ part: PayloadPart, of set: Int, row: Int, with payload: RawSpan
  ) -> Bool {
    if devices.rows[row].matchCount > 0 { rememberFrame(part, of: set, row: row) }
    if sets.lacksSlot(for: payload.byteCount, part, of: set) { evictLongPayload() }
    let isStored = sets.replace(part, of: set, with: payload)
    if !isStored { counters.longPayloadsTurnedAway &+= 1 }
    return isStored
  }

  // MARK: Match

  /// Matches a payload that is new, or was not matched since it came, and counts its malformed parts.
  @inline(never)
  private mutating func matchPayload(
    _ part: PayloadPart, of set: Int, row: Int, isNew isPayloadNew: Bool, txPower: Int8
  ) {
    let isNew = isPayloadNew || !sets.table[set].isEvaluated
    let isRetry = !isPayloadNew && sets.table[set].awaitsPlace
    if isNew, !isRetry { evaluate(set) }
    if !isNew { counters.reportsUnchanged &+= 1 }
    if sets.table[set].evaluation.isMalformed { countMalformed(sets.table[set].evaluation) }
    let inPayload = sets.table[set].evaluation.txPower ?? ReportHeader.noTxPower
    devices.rows[row].claimedTxPower = Device.believableTxPower(txPower, inPayload)
    guard isNew, !isRetry || mayHavePlace(row, set: set) else { return }
    updateMatches(of: row, set: set)
    guard isPayloadNew else { return }
    guard devices.rows[row].matchCount > 0 else {
      sets.table[set].knownFrames = -1
      if isFiltered, !isWanted(row) { forget(row) }
      return
    }
    reportFrame(part, of: set, row: row)
    keepFrame(part, of: set, row: row)
  }

  /// Parses and matches the payload of a set. A resolved device counts by its identity address, which stays, whatever
  /// address it has on the air: the result holds until the payload changes.
  @inline(never)
  mutating func evaluate(_ set: Int) {
    let bytes = sets.payloads.bytes
    let sets = sets.table
    if matcher.asksForAddress {
      matcher.setAddress(devices.publicAddress(of: devices.rows[Int(sets[set].row)]))
    }
    matcher.evaluate(
      bytes.payload(sets[set].data, .data, of: set), bytes.payload(sets[set].response, .response, of: set),
      into: &sets[set].evaluation)
    sets[set].isEvaluated = true
  }

  private mutating func countMalformed(_ evaluation: Evaluation) {
    counters.reportsMalformed &+= 1
    if evaluation.lengthPastEnd > 0 { counters.reportsLengthPastEnd &+= 1 }
    if evaluation.dataAfterEnd > 0 { counters.reportsDataAfterEnd &+= 1 }
    if evaluation.wrongSize > 0 { counters.reportsWrongSize &+= 1 }
  }
}
