// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Setup

// Which reports each event requires.

extension ReferenceModel {
  /// Sixteenths of a decibel by which the agent's filter may differ from the model's: it may have restarted from the
  /// last 28 readings while its level was not read.
  private static let tolerance = 4

  /// Checks that level, readings and payload are those of a moment at the event's time.
  func checkReadings(_ event: SeenEvent, _ device: Device) throws(Breach) {
    let moments = device.moments(at: event.time)
    try expect(moments.contains { $0.rssi == event.rssi }, event, "has a level that was not received")
    guard isRoomy else {
      let isKnown = !device.readings(of: event.data).isEmpty
      return try expect(isKnown, event, "has a payload that was not received: \(event.data)")
    }
    // A new frame may have waited for its event.
    let known = event.reason == .payload ? device.moments : moments
    let isKnown = known.contains { $0.views.contains { $0.payload == event.data } }
    try expect(isKnown, event, "has a payload that was not received: \(event.data)")
    // The loss of the radio resets the filter after the moment.
    let isNear = moments.contains { moment in
      guard let level = moment.level, let filtered = event.filteredRSSI else {
        return event.filteredRSSI == nil || event.reason == .radioDown
      }
      return abs(filtered * 16 - level) <= 8 + Self.tolerance
    }
    try expect(isNear, event, "has another filtered level")
  }

  func checkFound(_ event: SeenEvent, _ device: Device) throws(Breach) {
    guard let item = item(event) else { throw unexplained(event, "is about no item") }
    let isReload = reloads.contains { $0.time == event.time }
    let moments = device.moments(at: event.time)
    // A full item takes in the strongest devices by what they sent before, some time after a start and for a picker.
    let isReported = isReload || !isRoomy || moments.contains { $0.time == event.time }
    try expect(isReported, event, "comes without a report")
    let isImmediate = item.descriptor.range == .immediate
    let readings = isRoomy ? moments.flatMap { $0.views.map(\.parsed) } : device.readings(of: event.data)
    let isMatch = readings.contains { item.matches($0) }
    // The gate also lets in by the reading of a frame that does not match itself.
    let earliest = event.time - 1000 * Int64(item.gate.silenceMillisecondsMax)
    let didMatch = isImmediate && device.matched(item, from: earliest, to: event.time)
    try expect(isMatch || didMatch, event, "with \(event.data) does not match")
    try expect(isImmediate == (event.reason == .entered), event, "has another item's reason")
    if isImmediate { try checkEntered(event, device, item.gate) }
  }

  /// Checks that the level was above the threshold for the whole dwell, with enough readings.
  private func checkEntered(_ event: SeenEvent, _ device: Device, _ gate: GateSettings) throws(Breach) {
    let dwell = Int64(gate.enterDwellMilliseconds) * 1000
    let since = event.time - dwell
    // A new item starts with the device's current level, without another reading.
    let isReload = reloads.contains { $0.time == event.time }
    let known = isReload ? device.moments(at: event.time).suffix(1) : []
    let during = known + device.moments(from: since, to: event.time).filter(\.isReading)
    guard isRoomy else { return try checkEverNear(event, device, gate) }
    let isNear = during.allSatisfy { moment in
      moment.level.map { $0 >= moment.enterLevel(gate) - Self.tolerance } ?? false
    }
    guard isNear, !during.isEmpty else {
      let levels = during.map { "\($0.level ?? 0)/\($0.enterLevel(gate)) at \($0.time)" }
      throw Breach(.enterWithoutCrossing, "\(event): \(levels)")
    }
    let window = device.patience(
      gate.sampleWindowMilliseconds, 4, gate.sampleWindowMillisecondsMax, at: event.time)
    let heard = device.moments(from: event.time - 1000 * (window + 1), to: event.time)
    let readings = heard.count(where: \.isReading)
    guard readings >= Int(gate.samplesMin) else {
      throw Breach(.enterWithoutCrossing, "\(event) after \(readings) readings")
    }
  }

  /// A row that was evicted and came back has lost its filter. But no filtered level is above all readings.
  private func checkEverNear(_ event: SeenEvent, _ device: Device, _ gate: GateSettings) throws(Breach) {
    // The row may also have lost a claimed power, which could only have raised the threshold.
    let enter = 16 * (gate.txPower.map { Int($0) - Int(gate.enterPathLoss) } ?? Int(gate.enterRSSI))
    let isNear = device.moments.contains { moment in
      moment.time <= event.time && moment.rssi.map { ($0 + offset) * 16 >= enter } ?? false
    }
    guard isNear else { throw Breach(.enterWithoutCrossing, "\(event)") }
  }

  func checkChanged(_ event: SeenEvent, _ device: Device, since last: Int64) throws(Breach) {
    try expect(event.reason == .payload, event, "has no reason")
    try expect(
      event.time == last || event.time - last >= 1000 * changeMilliseconds, event, "comes too soon")
    // A long payload may be stored later, and several frames are sent together.
    guard isRoomy, event.time > last else { return }
    // A frame that alternated is sent when it has been the only one of its kind for as long as an item's silence.
    let since = last - 1000 * Int64(stretched(10_000))
    let moments = device.moments(at: since) + device.moments(from: since, to: event.time)
    let payloads = moments.map { $0.views.map(\.payload) }
    try expect(payloads.contains { $0 != payloads[0] }, event, "has no change since \(last) µs")
  }

  func checkLost(_ event: SeenEvent, _ device: Device) throws(Breach) {
    switch event.reason {
    case .silence: try checkSilence(event, device)
    case .left: try checkLeft(event, device)
    case .noLongerMatches:
      guard let item = item(event) else { throw unexplained(event, "is about no item") }
      let didMatch = device.matched(item, from: event.time - 1000 * item.silence, to: event.time - 1)
      try expect(!didMatch || !isRoomy, event, "though it matched within the silence time")
    case .evicted: try expect(!isRoomy || hasTooMany(event, device), event, "though there was room")
    case .radioDown: try expect(radioLosses.contains(event.time), event, "though the radio was there")
    case .reload:
      let reload = reloads.last { $0.time == event.time }
      try expect(
        reload.map { Self.item(event, in: $0.before) != nil } ?? false, event, "though nothing was read")
    case .matched, .entered, .payload: throw unexplained(event, "has no reason")
    }
  }

  private func hasTooMany(_ event: SeenEvent, _ device: Device) -> Bool { hasTooMany(device, at: event.time) }

  /// Whether more items match, or matched within their silence time, than a device may have at once.
  func hasTooMany(_ device: Device, at time: Int64) -> Bool {
    let count = items.count { entry in
      let longest = device.lostPatience(Int32(clamping: entry.item.silence), factor, .max, at: time)
      return device.matched(entry.item, from: time - 1000 * longest, to: time)
        || device.moments(at: time).contains { $0.views.contains { entry.item.matches($0.parsed) } }
    }
    return count > 8
  }

  private func checkSilence(_ event: SeenEvent, _ device: Device) throws(Breach) {
    guard let item = item(event) else { throw unexplained(event, "is about no item") }
    let isImmediate = item.descriptor.range == .immediate
    // A report at that very time came after the end of the silence.
    let last = device.moments.last { $0.time < event.time && ($0.isReading || !isImmediate) }?.time ?? 0
    try expect(event.time - last >= 1000 * item.silence, event, "comes too soon")
  }

  private func checkLeft(_ event: SeenEvent, _ device: Device) throws(Breach) {
    guard let item = item(event), item.descriptor.range == .immediate else {
      throw unexplained(event, "is about no immediate item")
    }
    guard isRoomy else { return }
    let since = event.time - 1000 * Int64(item.gate.leaveDwellMilliseconds)
    let before = device.moments(at: since).suffix(1)
    let all = before + device.moments(from: since, to: event.time).filter(\.isReading)
    let isLow = all.allSatisfy { moment in
      moment.level.map { $0 < moment.leaveLevel(item.gate) + Self.tolerance } ?? true
    }
    try expect(isLow, event, "though it was near")
  }
}

extension DisplayItem {
  /// The shortest silence after which a device of the item is lost, in milliseconds.
  var silence: Int64 {
    Int64(descriptor.range == .immediate ? gate.silenceMilliseconds : gate.lostMilliseconds)
  }
}

extension Device {
  /// Whether a report from one time to another, the first excluded, matched or replaced one that did.
  func matched(_ item: DisplayItem, from start: Int64, to end: Int64) -> Bool {
    var previous = moments.last { $0.time <= start }
    for moment in moments(from: start + 1, to: end) {
      let heard = moment.views[0]
      let replaced = previous?.views.first { $0.set == heard.set || $0.set == ReportHeader.noAdvertisingSID }
      if item.matches(heard.parsed) || replaced.map({ item.matches($0.parsed) }) ?? false { return true }
      previous = moment
    }
    return false
  }
}

extension Device.Moment {
  /// The level to reach, in sixteenths of a decibel. A transmit power in the manifest replaces levels by path loss; a
  /// claimed one can only raise the threshold.
  func enterLevel(_ gate: GateSettings) -> Int {
    if let power = gate.txPower { return 16 * (Int(power) - Int(gate.enterPathLoss)) }
    return 16 * (Int(gate.enterRSSI) + max(0, claim ?? 0))
  }

  func leaveLevel(_ gate: GateSettings) -> Int {
    if let power = gate.txPower { return 16 * (Int(power) - Int(gate.leavePathLoss)) }
    return 16 * (Int(gate.leaveRSSI) + max(0, claim ?? 0))
  }
}
