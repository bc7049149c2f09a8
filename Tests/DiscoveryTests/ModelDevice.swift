// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import VirtualRadio

/// An item that matches, in the model.
struct ModelMatch {
  private(set) var presence: Presence
  private(set) var since: Int64
  /// The sets that match now, and when the last one that does not match any more was replaced.
  var sets: Set<UInt8>
  var replaced = Int64.min
  /// From the first change on.
  var frames: ModelFrames?

  init(presence: Presence, since: Int64, sets: Set<UInt8>) {
    self.presence = presence
    self.since = since
    self.sets = sets
  }

  var isFound: Bool { presence == .inside || presence == .leaving }

  mutating func become(_ presence: Presence, at time: Int64) {
    self.presence = presence
    since = time
  }
}

/// An advertiser in the model, with all its reports.
struct ModelDevice {
  let address: DeviceAddress
  var samples: [(milliseconds: Int64, hasReading: Bool)] = []
  /// Readings since the last silence.
  var readings: [Int] = []
  var level = 0
  var lastReading: Int64 = 0
  private var answered = true
  /// The first reception and the last sample, and the pauses between samples: how long they were and when they ended.
  private let firstSeen: Int64
  private var lastSeen: Int64
  private var lastSample: Int64 = 0
  private var pauses = ModelPauses()
  var rssi: Int8?
  var claim: Int8?
  /// The set heard last first.
  var sets: [ModelSet] = []
  var matches: [Int: ModelMatch] = [:]

  init(address: DeviceAddress, at time: Int64) {
    self.address = address
    firstSeen = time
    lastSeen = time
  }

  /// True when there is a new reading.
  mutating func sample(_ header: ReportHeader, at time: Int64) -> Bool {
    rssi = header.hasReading ? header.rssi : nil
    if header.hasReading { forgetLevel(at: time) }
    let isResponse = header.properties.contains(.scanResponse)
    if isResponse, !answered {
      answered = true
      guard header.hasReading, samples.last?.hasReading == false else { return false }
      lastSeen = time
      samples[samples.count - 1].hasReading = true
    } else {
      answered = isResponse
      lastSeen = time
      let gap = (time - lastSample) / 1000
      if !samples.isEmpty, (1000...93_600_000).contains(gap) { pauses.add(gap, end: time / 1000) }
      lastSample = time
      samples.append((time / 1000, header.hasReading))
      guard header.hasReading else { return false }
    }
    filter(Int(header.rssi), at: time)
    return true
  }

  private mutating func forgetLevel(at time: Int64) {
    guard !readings.isEmpty, time - lastReading >= 1000 * patience(5000, 3, 30_000) else { return }
    readings = []
    answered = true
    for item in matches.keys where matches[item]?.presence == .approaching {
      matches[item]?.become(.outside, at: time)
    }
  }

  private mutating func filter(_ reading: Int, at time: Int64) {
    readings.append(reading)
    lastReading = time
    let sorted = readings.suffix(5).sorted()
    let median = 16 * sorted[(sorted.count - 1) / 2]
    level = readings.count == 1 ? median : level + Int((Double(median - level) / 4).rounded(.down))
  }

  func patience(_ floor: Int32, _ factor: Int64, _ ceiling: Int32) -> Int64 {
    min(max(Int64(floor), factor * (learned ?? 0)), Int64(ceiling))
  }

  /// The silence after which an item of the default range loses the device.
  func lostPatience(_ gate: GateSettings) -> Int64 {
    var patience = patience(gate.lostMilliseconds, 3, gate.lostMillisecondsMax)
    let counting = pauses.lengths(at: lastSeen / 1000)
    if let longest = counting.max() {
      patience = max(patience, (counting.count < 8 ? 4 : 3) * longest + Int64(gate.lostMilliseconds))
    }
    if counting.count < 2, lastSeen - firstSeen < 30_000_000 { patience = max(patience, 300_000) }
    return min(patience, Int64(gate.lostMillisecondsMax))
  }

  private var learned: Int64? {
    let times = samples.suffix(9).map(\.milliseconds)
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 <= 300_000 }.sorted()
    return gaps.isEmpty ? nil : gaps[gaps.count / 2]
  }

  func readings(within milliseconds: Int64, at time: Int64) -> Int {
    let recent = samples.suffix(16).filter { time / 1000 - $0.milliseconds <= milliseconds }
    return min(recent.count(where: \.hasReading), readings.count)
  }

  /// The index of the set a report belongs to: 0, for it becomes the newest.
  mutating func select(_ id: UInt8, at time: Int64) -> Int {
    if let known = sets.firstIndex(where: { $0.id == id }) {
      sets.insert(sets.remove(at: known), at: 0)
    } else if id == ReportHeader.noAdvertisingSID, !sets.isEmpty {
      // It merges with the newest set.
    } else if let newest = sets.first, newest.id == ReportHeader.noAdvertisingSID {
      sets[0].id = id
      for item in matches.keys where matches[item]?.sets.remove(ReportHeader.noAdvertisingSID) != nil {
        matches[item]?.sets.insert(id)
      }
    } else {
      sets.insert(ModelSet(id: id), at: 0)
    }
    sets[0].lastSeen = time
    return 0
  }

  mutating func claim(_ inHeader: Int8, _ inPayload: Int8?) {
    claim = [inHeader, inPayload].compactMap { $0 }.filter { (-40...20).contains($0) }.max()
  }
}

/// The pauses of a device in the model, in milliseconds: the sixteen longest that count.
struct ModelPauses {
  /// Lengths have eleven bits, and a pause counts until 16 lengths have passed, in whole units, since it ended.
  private struct Pause {
    let unit: Int64
    let units: Int64
    let end: Int64

    init(length: Int64, end: Int64) {
      var unit: Int64 = 1
      while (length + unit - 1) / unit > 2047 { unit *= 2 }
      self.unit = unit
      units = (length + unit - 1) / unit
      self.end = end
    }

    var length: Int64 { units * unit }
    func counts(at time: Int64) -> Bool { time / unit - end / unit < 16 * units }
  }

  private var slots = [Pause?](repeating: nil, count: 16)
  private var next = 0

  /// Adds a pause in place of the shortest, of equal ones that after the one added last.
  mutating func add(_ length: Int64, end: Int64) {
    for slot in slots.indices where slots[slot]?.counts(at: end) == false { slots[slot] = nil }
    let pause = Pause(length: length, end: end)
    let order = slots.indices.map { ($0 + next) % 16 }
    guard let shortest = order.min(by: { slots[$0]?.length ?? 0 < slots[$1]?.length ?? 0 }),
      slots[shortest]?.length ?? 0 <= pause.length
    else { return }
    slots[shortest] = pause
    next = shortest + 1
  }

  func lengths(at time: Int64) -> [Int64] {
    slots.compactMap { $0 }.filter { $0.counts(at: time) }.map(\.length)
  }
}

/// An advertising set in the model.
struct ModelSet {
  var id: UInt8
  var lastSeen: Int64 = 0
  var data: [UInt8] = []
  var response: [UInt8] = []

  init(id: UInt8) { self.id = id }

  /// True when the payload changed.
  mutating func store(_ report: AirReport) -> Bool {
    let header = report.header
    if header.properties.contains(.directed), report.data.isEmpty { return false }
    let known = header.properties.contains(.scanResponse) ? response : data
    if known == report.data || (header.dataStatus == .truncated && known.starts(with: report.data)) {
      return false
    }
    if header.properties.contains(.scanResponse) { response = report.data } else { data = report.data }
    return true
  }

  var fields: ModelFields { ModelFields(data).merged(with: ModelFields(response)) }
}

/// What a payload says.
struct ModelFields {
  var manufacturer: [(company: UInt16, data: [UInt8])] = []
  var services: [UInt16] = []
  var serviceData: [(service: UInt16, data: [UInt8])] = []
  var names: [[UInt8]] = []
  var txPower: Int8?

  init(_ payload: [UInt8]) {
    var rest = payload[...]
    while let length = rest.popFirst(), length > 0, rest.count >= Int(length) {
      let value = Array(rest.prefix(Int(length)).dropFirst())
      read(rest[rest.startIndex], value)
      rest = rest.dropFirst(Int(length))
    }
  }

  private mutating func read(_ type: UInt8, _ value: [UInt8]) {
    let number = value.count >= 2 ? UInt16(value[0]) | UInt16(value[1]) << 8 : 0
    switch type {
    case 0xFF where value.count >= 2: manufacturer.append((number, Array(value.dropFirst(2))))
    case 0x16 where value.count >= 2: serviceData.append((number, Array(value.dropFirst(2))))
    case 0x02, 0x03:
      for index in stride(from: 0, to: value.count - 1, by: 2) {
        services.append(UInt16(value[index]) | UInt16(value[index + 1]) << 8)
      }
    case 0x08, 0x09: names.append(value)
    case 0x0A where value.count == 1: txPower = Int8(bitPattern: value[0])
    default: break
    }
  }

  func merged(with response: Self) -> Self {
    var result = self
    result.manufacturer += response.manufacturer
    result.services += response.services
    result.serviceData += response.serviceData
    result.names += response.names
    result.txPower = response.txPower ?? txPower
    return result
  }
}

extension DiscoveryDescriptor {
  func holds(on fields: ModelFields) -> Bool {
    if let company = companyIdentifier {
      let all = fields.manufacturer.filter { $0.company == company }
      guard all.contains(where: { manufacturerData?.holds(on: $0.data) ?? true }) else { return false }
    }
    if let service = serviceUUID?.short.map({ UInt16($0) }) {
      let all = fields.serviceData.filter { $0.service == service }
      let isListed = serviceData == nil && fields.services.contains(service)
      guard isListed || all.contains(where: { serviceData?.holds(on: $0.data) ?? true }) else { return false }
    }
    guard let nameSubstring else { return true }
    return fields.names.contains { name in
      name.indices.contains { name[$0...].starts(with: nameSubstring) }
    }
  }
}

extension MaskedBytes {
  fileprivate func holds(on data: [UInt8]) -> Bool {
    data.count >= blob.count && blob.indices.allSatisfy { data[$0] & mask[$0] == blob[$0] & mask[$0] }
  }
}
