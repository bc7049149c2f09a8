// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// What one advertising report does to its advertiser's row.

/// What of a report's header the pipeline decides on, small enough to travel in registers.
struct Heard: BitwiseCopyable {
  let address: DeviceAddress
  let properties: ReportHeader.Properties
  let dataStatus: DataStatus
  let advertisingSID: UInt8
  let txPower: Int8
  let rssi: Int8

  @inline(__always)
  init(_ header: ReportHeader) {
    address = header.address
    properties = header.properties
    dataStatus = header.dataStatus
    advertisingSID = header.advertisingSID
    txPower = header.txPower
    rssi = header.rssi
  }

  @inline(__always)
  init(legacy address: DeviceAddress, _ properties: ReportHeader.Properties, rssi: Int8) {
    self.address = address
    self.properties = properties
    self.rssi = rssi
    dataStatus = .complete
    advertisingSID = ReportHeader.noAdvertisingSID
    txPower = ReportHeader.noTxPower
  }

  @inline(__always)
  var hasReading: Bool { rssi >= -127 && rssi <= 20 }
}

extension Pipeline {
  /// Takes an extended report, which may be a part of a chain, or a directed one.
  mutating func assemble(_ report: borrowing AdvertisingReport) {
    switch assembler.take(report, at: clock) {
    case .whole:
      takeWhole(Heard(report.header), report.data)
    case .pending, .lost:
      if !report.header.hasReading { tally.reportsWithoutReading &+= 1 }
    case .assembled(let slot, let byteCount):
      // The payload stays in its place until the next report is taken; nothing below takes one.
      let bytes = assembler.bytes
      takeWhole(
        Heard(report.header), bytes.span(at: slot * ReportAssembler.payloadBytesMax, count: byteCount))
    }
  }

  private mutating func takeWhole(_ header: Heard, _ payload: RawSpan) {
    guard header.address.type != .anonymous else {
      tally.reportsAnonymous &+= 1
      return
    }
    take(header, payload)
  }

  /// Takes a legacy report, which is few enough values to travel in registers. Not inlined: the loop over an event's
  /// reports needs registers too, and what a legacy report never says is known in here.
  @inline(never)
  mutating func takeLegacy(
    _ address: DeviceAddress, _ properties: ReportHeader.Properties, rssi: Int8, _ payload: RawSpan
  ) {
    take(Heard(legacy: address, properties, rssi: rssi), payload)
  }

  /// Takes a report that has an address, and whose payload is as whole as it will get.
  @inline(__always)
  private mutating func take(_ header: Heard, _ payload: RawSpan) {
    guard let row = row(of: header.address) else { return }
    guard header.hasReading else { return takeWithoutReading(header, payload, row: row) }
    // One handle for the whole report: the row is checked once.
    let devices = devices
    if devices[row].wasSilent(at: clock) { forgetSilentLevel(of: row) }
    let isHeard = devices[row].hear(header, reading: comparable(header.rssi), at: clock) != .nothing
    let isFollowed = devices[row].matchCount > 0
    let claimed = devices[row].claimedTxPower
    if repeats(payload, header, set: Int(devices[row].newestSet), claimed: claimed) {
      tally.reportsUnchanged &+= 1
      if isFollowed, isHeard { judgeMatches(of: row) }
    } else {
      learn(payload, header, row: row)
      if isHeard { judgeMatches(of: row) }
    }
  }

  @inline(never)
  private mutating func takeWithoutReading(_ header: Heard, _ payload: RawSpan, row: Int) {
    tally.reportsWithoutReading &+= 1
    if devices[row].matchCount > 0 { deadlines.bring(row, forwardTo: clock) }
    _ = devices[row].hear(header, reading: nil, at: clock)
    let claimed = devices[row].claimedTxPower
    if repeats(payload, header, set: Int(devices[row].newestSet), claimed: claimed) {
      tally.reportsUnchanged &+= 1
    } else {
      learn(payload, header, row: row)
    }
  }

  /// A reading as the reference adapter would give it.
  @inline(__always)
  private func comparable(_ rssi: Int8) -> Int8 {
    adapterOffset == 0 ? rssi : Int8(max(-127, min(20, Int(rssi) &+ Int(adapterOffset))))
  }

  /// Whether a report says what its advertiser's newest set said before, and nothing that must be counted or kept.
  @inline(__always)
  private func repeats(_ payload: RawSpan, _ header: Heard, set: Int, claimed: Int8) -> Bool {
    guard header.advertisingSID == ReportHeader.noAdvertisingSID, header.txPower == ReportHeader.noTxPower,
      set >= 0
    else {
      return false
    }
    let bytes = payloads.bytes
    return sets[set].repeats(payload, header, claimed: claimed, of: set, in: bytes, at: clock)
  }

  /// Takes a report that may be news.
  @inline(never)
  private mutating func learn(_ payload: RawSpan, _ header: Heard, row: Int) {
    if header.dataStatus == .truncated { tally.reportsTruncated &+= 1 }
    guard let set = set(of: header, row: row) else { return }
    let isChanged = store(payload, header, set: set)
    consider(header.txPower, of: row, set: set, isChanged: isChanged)
  }

  /// Looks at a payload that is new, malformed, or comes with a transmit power.
  private mutating func consider(_ txPower: Int8, of row: Int, set: Int, isChanged: Bool) {
    let isNew = isChanged || !sets[set].isEvaluated
    if isNew { look(at: set) } else { tally.reportsUnchanged &+= 1 }
    if sets[set].evaluation.isMalformed { countMalformed(sets[set].evaluation) }
    claim(txPower, of: row, set: set)
    if isNew { updateMatches(of: row, set: set, isChanged: isChanged) }
  }

  /// Starts the filter anew after a silence of max(5 s, 3 x the learned interval), at most 30 s.
  @inline(never)
  private mutating func forgetSilentLevel(of row: Int) {
    let defaults = GateSettings()
    guard devices[row].signal.readingCount > 0, Gate.silenceEnd(devices[row].signal, defaults) <= clock
    else { return }
    devices[row].signal.resetFilter()
    for place in 0..<Int(devices[row].matchCount) where match(place, of: row).presence == .approaching {
      matches[matchIndex(place, of: row)].become(.outside, at: clock)
    }
  }

  /// Keeps the highest transmit power that the report or its payload claims; only -40...20 dBm are believed.
  private mutating func claim(_ inHeader: Int8, of row: Int, set: Int) {
    let inPayload = sets[set].evaluation.txPower ?? ReportHeader.noTxPower
    devices[row].claimedTxPower = Self.believable(inHeader, inPayload)
  }

  static func believable(_ first: Int8, _ second: Int8) -> Int8 {
    let range: ClosedRange<Int8> = -40...20
    switch (range.contains(first), range.contains(second)) {
    case (true, true): return max(first, second)
    case (true, false): return first
    case (false, true): return second
    case (false, false): return ReportHeader.noTxPower
    }
  }

  private mutating func countMalformed(_ evaluation: Evaluation) {
    tally.reportsMalformed &+= 1
    if evaluation.lengthPastEnd > 0 { tally.reportsLengthPastEnd &+= 1 }
    if evaluation.dataAfterEnd > 0 { tally.reportsDataAfterEnd &+= 1 }
    if evaluation.wrongSize > 0 { tally.reportsWrongSize &+= 1 }
  }

  @inline(never)
  private mutating func judgeMatches(of row: Int) {
    guard devices[row].matchCount > 0, devices[row].newestSet >= 0 else { return }
    for place in 0..<Int(devices[row].matchCount) {
      let item = Int(match(place, of: row).item)
      guard gates[item].isImmediate else { continue }
      judge(place, of: row, item: item)
    }
    hasten(row, set: Int(devices[row].newestSet))
  }

  mutating func judge(_ place: Int, of row: Int, item: Int) {
    let claimed = devices[row].claimedTxPower
    let verdict = Gate.judge(
      &matches[matchIndex(place, of: row)], devices[row].signal, gates[item],
      claimedTxPower: claimed == ReportHeader.noTxPower ? nil : claimed, at: clock)
    switch verdict {
    case .nothing: return
    case .entered: emit(.found, .entered, place, of: row)
    case .startedLeaving: break
    }
    deadlines.bring(row, forwardTo: deadline(ofMatch: place, of: row))
  }
}
