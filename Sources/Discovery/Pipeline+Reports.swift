// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

// What one advertising report does to its advertiser's row.

extension Pipeline {
  @inline(__always)
  mutating func take(_ report: borrowing AdvertisingReport) {
    switch assembler.take(report, at: clock) {
    case .whole:
      take(report.header, report.data)
    case .pending, .lost:
      if !report.header.hasReading { tally.reportsWithoutReading &+= 1 }
    case .assembled(let slot, let byteCount):
      // The payload stays in its place until the next report is taken; nothing below takes one.
      let bytes = assembler.bytes
      take(report.header, bytes.span(at: slot * ReportAssembler.payloadBytesMax, count: byteCount))
    }
  }

  /// Takes a report whose payload is as whole as it will get.
  private mutating func take(_ header: ReportHeader, _ payload: RawSpan) {
    if header.dataStatus == .truncated { tally.reportsTruncated &+= 1 }
    guard header.address.type != .anonymous else {
      tally.reportsAnonymous &+= 1
      return
    }
    guard let row = row(of: header.address) else { return }
    let isHeard = sample(header, row: row)
    guard let set = set(of: header, row: row) else { return }
    let isChanged = store(payload, header, set: set)
    let isNew = isChanged || !sets[set].isEvaluated
    if isNew { look(at: set) } else { tally.reportsUnchanged &+= 1 }
    if sets[set].evaluation.isMalformed { countMalformed(sets[set].evaluation) }
    claim(header.txPower, of: row, set: set)
    if isNew { updateMatches(of: row, set: set, isChanged: isChanged) }
    if isHeard, devices[row].matchCount > 0 {
      judgeMatches(of: row)
      hasten(row, set: set)
    }
  }

  /// Feeds the row's signal; true when there is a new reading to judge.
  @inline(__always)
  private mutating func sample(_ header: ReportHeader, row: Int) -> Bool {
    devices[row].lastSeen = clock
    devices[row].reportCount &+= 1
    devices[row].rssi = header.rssi
    var reading: Int8?
    if header.hasReading {
      reading = Int8(clamping: max(-127, min(20, Int(header.rssi) &+ Int(adapterOffset))))
    } else {
      tally.reportsWithoutReading &+= 1
      if devices[row].matchCount > 0 { deadlines.bring(row, forwardTo: clock) }
    }
    if reading != nil, clock.microseconds &- devices[row].signal.lastReading.microseconds >= 5_000_000 {
      forgetSilentLevel(of: row)
    }
    let intake = devices[row].signal.take(
      reading: reading, isResponse: header.properties.contains(.scanResponse), at: clock)
    return reading != nil && intake != .nothing
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
  @inline(__always)
  private mutating func claim(_ inHeader: Int8, of row: Int, set: Int) {
    let inPayload = sets[set].evaluation.txPower ?? ReportHeader.noTxPower
    guard inHeader != ReportHeader.noTxPower || inPayload != ReportHeader.noTxPower else {
      devices[row].claimedTxPower = ReportHeader.noTxPower
      return
    }
    devices[row].claimedTxPower = Self.believable(inHeader, inPayload)
  }

  private static func believable(_ first: Int8, _ second: Int8) -> Int8 {
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

  private mutating func judgeMatches(of row: Int) {
    for place in 0..<Int(devices[row].matchCount) {
      let item = Int(match(place, of: row).item)
      guard gates[item].isImmediate else { continue }
      judge(place, of: row, item: item)
    }
  }

  private mutating func judge(_ place: Int, of row: Int, item: Int) {
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
