// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
public import JSON
import Manifest

/// A line that can be read back from its object.
public protocol ReadableLine: Line {
  init(reading: LineReader) throws(LineProblem)
}

extension ReadableLine {
  public init(_ object: JSONObject) throws(LineProblem) { try self.init(reading: LineReader(object)) }
}

extension EventLine: ReadableLine {
  public init(reading line: LineReader) throws(LineProblem) {
    self.init(
      sequence: try line.integer("sequence"), time: try line.seconds("time"),
      event: try line.word("event", of: SightingEvent.all, \.text), app: try line.text("app"),
      item: try line.text("item"), address: try line.address(), rssi: try line.integerIfAny("rssi"),
      filteredRSSI: try line.integerIfAny("filteredRSSI"), pathLoss: try line.integerIfAny("pathLoss"),
      samples: try line.integer("samples"), reason: try line.word("reason", of: SightingReason.all, \.text),
      payload: try line.bytes("data"))
  }
}

extension DeviceLine: ReadableLine {
  public init(reading line: LineReader) throws(LineProblem) {
    var items: [Item] = []
    for item in try line.objects("items") {
      let presence = try item.word("presence", of: Presence.all, \.text)
      items.append(Item(app: try item.text("app"), id: try item.text("item"), presence: presence))
    }
    self.init(
      address: try line.address(), name: try line.airTextIfAny("name"), rssi: try line.integerIfAny("rssi"),
      filteredRSSI: try line.integerIfAny("filteredRSSI"), reportCount: try line.integer("reports"),
      firstSeen: try line.seconds("firstSeen"), lastSeen: try line.seconds("lastSeen"),
      silence: try line.seconds("silence"),
      intervalMilliseconds: try line.integerIfAny("intervalMilliseconds"), items: items,
      payload: try line.bytes("data"))
  }
}

extension Trial: ReadableLine {
  public init(reading line: LineReader) throws(LineProblem) {
    self.init(
      address: try line.address(), app: try line.text("app"), item: try line.text("item"),
      isAlternate: try line.isAlternate(), holds: try line.truth("matches"),
      presence: try line.wordIfAny("presence", of: Presence.all, \.text),
      level: try line.decibelsIfAny("filteredRSSI"),
      failure: try line.wordIfAny("failed", of: ClauseAnswer.keys, \.rawValue), why: try line.text("why"))
  }
}

extension LineReader {
  /// An address and its type; null is an anonymous advertiser's.
  func address() throws(LineProblem) -> DeviceAddress {
    let type = try word("addressType", of: AddressType.all, \.text)
    guard let text = try textIfAny("address") else {
      guard type == .anonymous else { throw problem("address", .wrongType) }
      return DeviceAddress(bits: 0, type: .anonymous)
    }
    guard type != .anonymous, let bits = AddressText.bits(text) else {
      throw problem("address", .unknownValue)
    }
    return DeviceAddress(bits: bits, type: type)
  }

  /// An address and its type, or null for both; an anonymous advertiser is nobody.
  func addressIfAny() throws(LineProblem) -> DeviceAddress? {
    guard element("address") != nil || element("addressType") != nil else { return nil }
    let address = try address()
    guard address.type != .anonymous else { throw problem("addressType", .unknownValue) }
    return address
  }

  /// Which identity of an item the line is about.
  func isAlternate() throws(LineProblem) -> Bool {
    try word("identity", of: [false, true]) { $0 ? "alternate" : "descriptor" }
  }
}

extension AddressType {
  static let all: [AddressType] = [.public, .random, .publicIdentity, .randomIdentity, .anonymous]
}

extension Presence {
  static let all: [Presence] = [.outside, .approaching, .inside, .leaving]
}

extension SightingEvent {
  fileprivate static let all: [SightingEvent] = [.found, .changed, .lost]
}

extension SightingReason {
  fileprivate static let all: [SightingReason] = [
    .matched, .entered, .payload, .silence, .left, .noLongerMatches, .evicted, .radioDown, .reload,
  ]
}
