// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import VirtualRadio

/// The data path exactly as its rules say: arrays and dictionaries without limits, everything computed again each time.
/// Times are microseconds; there is no limit on matches, so manifests have at most eight items.
struct Model {
  let items: [DisplayItem]
  private(set) var devices: [ModelDevice] = []
  private var clock = Int64.min
  private(set) var events: [ModelEvent] = []

  init(_ items: [DisplayItem]) { self.items = items }

  /// Takes the events since the last call.
  mutating func drain() -> [ModelEvent] {
    defer { events = [] }
    return events
  }

  // MARK: Reports

  mutating func hear(_ report: AirReport, at time: Int64) {
    advance(to: time)
    let header = report.header
    guard header.address.type != .anonymous else { return }
    let index = self.index(of: header.address)
    let isResponse = header.properties.contains(.scanResponse)
    let isHeard = devices[index].sample(header, at: clock)
    let set = devices[index].select(header.advertisingSID, at: clock)
    let before = devices[index].sets[set]
    let isChanged = devices[index].sets[set].store(report)
    if isChanged { remember(before, isResponse, of: index) }
    let view = devices[index].sets[set]
    devices[index].claim(header.txPower, view.fields.txPower)
    let matching = items.indices.filter { items[$0].descriptor.holds(on: view.fields) }
    withdraw(view.id, from: index, keeping: matching)
    for item in matching { add(item, to: index, set: view.id) }
    if isChanged { reportFrame(view, isResponse, of: index) }
    if isHeard { judge(index) }
  }

  private mutating func index(of address: DeviceAddress) -> Int {
    if let known = devices.firstIndex(where: { $0.address == address }) { return known }
    devices.append(ModelDevice(address: address, at: clock))
    return devices.count - 1
  }

  private mutating func withdraw(_ set: UInt8, from index: Int, keeping matching: [Int]) {
    for item in devices[index].matches.keys where !matching.contains(item) {
      guard devices[index].matches[item]?.sets.remove(set) != nil else { continue }
      devices[index].matches[item]?.replaced = clock
    }
  }

  private mutating func end(_ item: Int, of index: Int, _ reason: SightingReason) {
    if devices[index].matches[item]?.isFound == true { emitLost(reason, item, of: index) }
    devices[index].matches[item] = nil
  }

  private mutating func add(_ item: Int, to index: Int, set: UInt8) {
    guard devices[index].matches[item] == nil else {
      devices[index].matches[item]?.sets.insert(set)
      return
    }
    let isImmediate = items[item].descriptor.range == .immediate
    devices[index].matches[item] = ModelMatch(
      presence: isImmediate ? .outside : .inside, since: clock, sets: [set])
    if !isImmediate { emit(.found, .matched, item, of: index) }
  }

  // MARK: Frames

  private mutating func remember(_ set: ModelSet, _ isResponse: Bool, of index: Int) {
    for item in devices[index].matches.keys where devices[index].matches[item]?.isFound == true {
      let since = devices[index].matches[item]?.since ?? 0
      var frames = devices[index].matches[item]?.frames ?? ModelFrames(reported: since)
      frames.remember(set, isResponse: isResponse, at: clock)
      devices[index].matches[item]?.frames = frames
    }
  }

  private mutating func reportFrame(_ set: ModelSet, _ isResponse: Bool, of index: Int) {
    guard !set.bytes(isResponse).isEmpty else { return }
    for item in devices[index].matches.keys.sorted() {
      guard devices[index].matches[item]?.isFound == true, var frames = devices[index].matches[item]?.frames
      else { continue }
      let isNew = frames.hear(set, isResponse: isResponse, at: clock)
      devices[index].matches[item]?.frames = frames
      if isNew { noteChange(set, item, of: index) }
    }
  }

  private mutating func noteChange(_ set: ModelSet, _ item: Int, of index: Int) {
    guard let frames = devices[index].matches[item]?.frames else { return }
    guard clock - frames.reported >= 1_000_000 else {
      devices[index].matches[item]?.frames?.wait(set)
      return
    }
    sendWaiting(item, of: index)
    emitChange(set.data + set.response, item, of: index)
  }

  private mutating func sendWaiting(_ item: Int, of index: Int) {
    let waiting = devices[index].matches[item]?.frames?.waiting ?? []
    devices[index].matches[item]?.frames?.waiting = []
    for frame in waiting {
      let set = frame.longSet.map { id in devices[index].sets.first { $0.id == id } }
      switch set {
      case nil: emitChange(frame.payload, item, of: index)
      case .some(nil): devices[index].matches[item]?.frames?.skipped += 1
      case .some(let set?): emitChange(set.data + set.response, item, of: index)
      }
    }
  }

  private mutating func emitChange(_ payload: [UInt8], _ item: Int, of index: Int) {
    let skipped = devices[index].matches[item]?.frames?.skipped ?? 0
    devices[index].matches[item]?.frames?.skipped = 0
    devices[index].matches[item]?.frames?.reported = clock
    emit(.changed, .payload, item, of: index, skipped: skipped, payload: payload)
  }

  private mutating func expireFrames(_ item: Int, of index: Int) {
    guard let frames = devices[index].matches[item]?.frames else { return }
    if !frames.waiting.isEmpty, frames.reported + 1_000_000 <= clock { sendWaiting(item, of: index) }
    guard let settling = frames.settling, settling <= clock else { return }
    for set in devices[index].sets {
      for isResponse in [false, true] where !set.bytes(isResponse).isEmpty {
        guard devices[index].matches[item]?.frames?.holdsBack(set, isResponse: isResponse) == true,
          devices[index].matches[item]?.frames?.hear(set, isResponse: isResponse, at: clock) == true
        else { continue }
        noteChange(set, item, of: index)
      }
    }
    devices[index].matches[item]?.frames?.postponeSettling(at: clock)
  }

  private mutating func emit(
    _ event: SightingEvent, _ reason: SightingReason, _ item: Int, of index: Int, skipped: Int = 0,
    payload: [UInt8]? = nil
  ) {
    let device = devices[index]
    let level = device.readings.isEmpty ? nil : (device.level + 8) >> 4
    let power = items[item].gate.txPower ?? device.claim
    let bearer = device.sets.first { device.matches[item]?.sets.contains($0.id) == true }
    let set = bearer ?? device.sets.first
    events.append(
      ModelEvent(
        time: clock, event: event, reason: reason, item: item, address: device.address, rssi: device.rssi,
        filteredRSSI: level, pathLoss: level.flatMap { level in power.map { Int($0) - level } },
        samples: device.readings.count, skipped: skipped,
        payload: payload ?? set.map { $0.data + $0.response } ?? []))
  }

  private mutating func emitLost(_ reason: SightingReason, _ item: Int, of index: Int) {
    let frames = devices[index].matches[item]?.frames
    devices[index].matches[item]?.frames = nil
    emit(.lost, reason, item, of: index, skipped: (frames?.skipped ?? 0) + (frames?.waiting.count ?? 0))
  }

  // MARK: The gate

  private mutating func judge(_ index: Int) {
    for item in devices[index].matches.keys.sorted() where items[item].descriptor.range == .immediate {
      judge(index, item, items[item].gate)
    }
  }

  private mutating func judge(_ index: Int, _ item: Int, _ gate: GateSettings) {
    guard var match = devices[index].matches[item] else { return }
    let device = devices[index]
    let tightening = gate.txPower == nil ? max(0, Int(device.claim ?? 0)) : 0
    let enter = gate.txPower.map { Int($0) - Int(gate.enterPathLoss) } ?? Int(gate.enterRSSI) + tightening
    let leave = gate.txPower.map { Int($0) - Int(gate.leavePathLoss) } ?? Int(gate.leaveRSSI) + tightening
    if match.isFound {
      let isLow = device.level < 16 * leave
      if isLow != (match.presence == .leaving) { match.become(isLow ? .leaving : .inside, at: clock) }
      devices[index].matches[item] = match
      return
    }
    guard device.level + 3 >= 16 * enter else {
      match.become(.outside, at: clock)
      devices[index].matches[item] = match
      return
    }
    if match.presence == .outside { match.become(.approaching, at: clock) }
    let window = device.patience(gate.sampleWindowMilliseconds, 4, gate.sampleWindowMillisecondsMax)
    let isEntering =
      clock - match.since >= 1000 * Int64(gate.enterDwellMilliseconds)
      && device.readings(within: window, at: clock) >= Int(gate.samplesMin)
    if isEntering { match.become(.inside, at: clock) }
    devices[index].matches[item] = match
    if isEntering { emit(.found, .entered, item, of: index) }
  }

  // MARK: Time

  mutating func advance(to time: Int64) {
    while let next = devices.indices.compactMap({ index in due(index).map { ($0, index) } }).min(by: <),
      next.0 <= time
    {
      clock = max(clock, next.0)
      for item in devices[next.1].matches.keys.sorted().reversed() { expire(next.1, item) }
    }
    clock = max(clock, time)
  }

  private func due(_ index: Int) -> Int64? {
    devices[index].matches.keys.flatMap { dues(index, $0) }.min()
  }

  private func dues(_ index: Int, _ item: Int) -> [Int64] {
    guard let match = devices[index].matches[item] else { return [] }
    let gate = items[item].gate
    var dues = [matchEnd(index, item)]
    if let frames = match.frames {
      if !frames.waiting.isEmpty { dues.append(frames.reported + 1_000_000) }
      if let settling = frames.settling { dues.append(settling) }
    }
    if match.presence == .leaving { dues.append(match.since + 1000 * Int64(gate.leaveDwellMilliseconds)) }
    if let end = gateSilence(index, item) { dues.append(end) }
    return dues
  }

  private func lastMatched(_ index: Int, _ item: Int) -> Int64 {
    guard let match = devices[index].matches[item] else { return 0 }
    let bearing = devices[index].sets.filter { match.sets.contains($0.id) }
    return (bearing.map(\.lastSeen) + [match.replaced]).max() ?? 0
  }

  private func matchEnd(_ index: Int, _ item: Int) -> Int64 {
    let gate = items[item].gate
    let silence =
      items[item].descriptor.range == .immediate
      ? devices[index].patience(gate.silenceMilliseconds, 3, gate.silenceMillisecondsMax)
      : devices[index].lostPatience(gate)
    return lastMatched(index, item) + 1000 * silence
  }

  private func gateSilence(_ index: Int, _ item: Int) -> Int64? {
    guard items[item].descriptor.range == .immediate, devices[index].matches[item]?.isFound == true else {
      return nil
    }
    let gate = items[item].gate
    return devices[index].lastReading
      + 1000 * devices[index].patience(gate.silenceMilliseconds, 3, gate.silenceMillisecondsMax)
  }

  private mutating func expire(_ index: Int, _ item: Int) {
    let gate = items[item].gate
    guard let match = devices[index].matches[item] else { return }
    if match.frames != nil { expireFrames(item, of: index) }
    if match.presence == .leaving, match.since + 1000 * Int64(gate.leaveDwellMilliseconds) <= clock {
      leave(index, item, .left)
    }
    if let end = gateSilence(index, item), end <= clock { leave(index, item, .silence) }
    guard matchEnd(index, item) <= clock else { return }
    let isSilent = devices[index].sets.allSatisfy { $0.lastSeen <= lastMatched(index, item) }
    end(item, of: index, isSilent ? .silence : .noLongerMatches)
  }

  private mutating func leave(_ index: Int, _ item: Int, _ reason: SightingReason) {
    emitLost(reason, item, of: index)
    devices[index].matches[item]?.become(.outside, at: clock)
  }
}

/// A sighting of the model; equal to the pipeline's in every field.
struct ModelEvent: Equatable {
  var time: Int64
  var event: SightingEvent
  var reason: SightingReason
  var item: Int
  var address: DeviceAddress
  var rssi: Int8?
  var filteredRSSI: Int?
  var pathLoss: Int?
  var samples: Int
  var skipped = 0
  var payload: [UInt8]
}

extension ModelEvent {
  init(_ heard: HeardSighting) {
    let sighting = heard.sighting
    self.init(
      time: sighting.time.microseconds, event: sighting.event, reason: sighting.reason,
      item: Int(sighting.item),
      address: sighting.address, rssi: sighting.rssi, filteredRSSI: sighting.filteredRSSI.map(Int.init),
      pathLoss: sighting.pathLoss.map(Int.init), samples: Int(sighting.samples),
      skipped: Int(sighting.skipped), payload: heard.payload)
  }
}
