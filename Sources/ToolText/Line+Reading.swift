// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
public import Interfaces
public import JSON
import Manifest

extension EventLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      sequence: try line.integer("sequence"), epoch: try line.stringIfPresent("epoch"),
      time: try line.seconds("time"),
      event: try line.value("event", of: SightingEvent.all, \.text), app: try line.string("app"),
      item: try line.string("item"), address: try line.address(), rssi: try line.integerIfPresent("rssi"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"),
      pathLoss: try line.integerIfPresent("pathLoss"),
      samples: try line.integer("samples"), reason: try line.value("reason", of: SightingReason.all, \.text),
      payload: try line.bytes("data"))
  }
}

extension DeviceLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    var items: [Item] = []
    for item in try line.objects("items") {
      let presence = try item.value("presence", of: Presence.all, \.text)
      items.append(Item(app: try item.string("app"), id: try item.string("item"), presence: presence))
    }
    self.init(
      address: try line.address(), name: try line.airTextIfPresent("name"),
      rssi: try line.integerIfPresent("rssi"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"), reportCount: try line.integer("reports"),
      firstSeen: try line.seconds("firstSeen"), lastSeen: try line.seconds("lastSeen"),
      silence: try line.seconds("silence"),
      intervalMilliseconds: try line.integerIfPresent("intervalMilliseconds"), items: items,
      payload: try line.bytes("data"))
  }
}

extension Trial: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      address: try line.address(), app: try line.string("app"), item: try line.string("item"),
      isAlternate: try line.isAlternate(), holds: try line.bool("matches"),
      presence: try line.valueIfPresent("presence", of: Presence.all, \.text),
      level: try line.decibelsIfPresent("filteredRSSI"),
      failure: try line.valueIfPresent("failed", of: ClauseAnswer.keys, \.rawValue),
      why: try line.string("why"))
  }
}

extension JSONObjectReader {
  /// An address and its type; null is an anonymous advertiser's.
  func address() throws(JSONMemberError) -> DeviceAddress {
    let type = try value("addressType", of: AddressType.all, \.text)
    guard let text = try stringIfPresent("address") else {
      guard type == .anonymous else { throw error("address", .wrongType) }
      return DeviceAddress(bits: 0, type: .anonymous)
    }
    guard type != .anonymous, let bits = AddressText.bits(text) else {
      throw error("address", .unknownValue)
    }
    return DeviceAddress(bits: bits, type: type)
  }

  /// An address and its type, or null for both; an anonymous advertiser is nobody.
  func addressIfPresent() throws(JSONMemberError) -> DeviceAddress? {
    guard valueIfPresent("address") != nil || valueIfPresent("addressType") != nil else { return nil }
    let address = try address()
    guard address.type != .anonymous else { throw error("addressType", .unknownValue) }
    return address
  }

  /// Which identity of an item the line is about.
  func isAlternate() throws(JSONMemberError) -> Bool {
    try value("identity", of: [false, true]) { $0 ? "alternate" : "descriptor" }
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
