// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
public import Interfaces
public import JSON
public import Manifest

/// What one identity of an item says about a device, in short: a line of `try --json` (`Config/schema/try.schema.json`).
public struct Trial: Equatable, Line {
  public let address: DeviceAddress
  /// How the device calls itself.
  public let name: AirText?
  public let app: String
  public let item: String
  /// Whether it is the item's second identity that was asked.
  public let isAlternate: Bool
  public let holds: Bool
  public let presence: Presence?
  public let level: Decibels?
  /// Whether a clause holds and the item has not found the device.
  public let isNear: Bool
  /// How often the item found the device in a capture; nil for what is true now.
  public let history: FoundHistory?
  /// The first clause that does not hold.
  public let failure: DescriptorKey?
  /// The answer in a few words.
  public let why: String

  /// In a capture: whether the item ever found the device.
  public var isFound: Bool { history.map { $0.count > 0 } ?? presence?.isFound ?? false }

  public func writeMembers(to json: inout JSONWriter) {
    json.members(address)
    if let name { json.member("name", name) }
    writeVerdict(to: &json)
    json.member("isNear", isNear)
    if let history { json.object("history", history) }
    json.member("filteredRSSI", level)
    json.member("failed", failure?.rawValue)
    json.member("why", why)
  }
}

extension Trial {
  public init(_ explanation: ItemExplanation, name: AirText?) {
    address = explanation.address
    self.name = name
    app = explanation.app
    item = explanation.item
    isAlternate = explanation.isAlternate
    holds = explanation.holds
    presence = explanation.presence
    level = explanation.gate.filteredRSSI
    isNear = explanation.isNear
    history = explanation.history
    failure = explanation.failure?.key
    why = explanation.why
  }
}

extension Trial {
  /// The strongest device first, as a replay lists them; the trials of a device stay together.
  public static func ordered(_ devices: [[Trial]]) -> [[Trial]] {
    devices.sorted { ($0.first?.order ?? (0, 0, 0)) < ($1.first?.order ?? (0, 0, 0)) }
  }

  private var order: (Int, UInt64, UInt8) {
    (level.map { -$0.sixteenths } ?? .max, address.bits, address.type.rawValue)
  }
}

/// What one identity of an item says about a device: what the lines of `explain` and `try` say after the device.
protocol ItemVerdict {
  var app: String { get }
  var item: String { get }
  var isAlternate: Bool { get }
  var holds: Bool { get }
  var presence: Presence? { get }
  var isFound: Bool { get }
}

extension ItemVerdict {
  func writeVerdict(to json: inout JSONWriter) {
    json.member("app", app)
    json.member("item", item)
    json.member("identity", isAlternate ? "alternate" : "descriptor")
    json.member("matches", holds)
    json.member("isFound", isFound)
    json.member("presence", presence?.rawValue)
  }
}

extension ItemExplanation: ItemVerdict {}
extension Trial: ItemVerdict {}
