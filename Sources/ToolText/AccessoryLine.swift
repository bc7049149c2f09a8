// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Interfaces
public import JSON
public import Registry
public import Setup

/// An accessory of some app: a line of `list --json` (`Config/schema/list.schema.json`), and an accessory of
/// `io.accessoryd.Operator`.
public struct AccessoryLine: Equatable, Line {
  public let identifier: RandomIdentifier
  public let app: String
  /// The item's id in the manifest; nil when the app brought the item.
  public let item: String?
  public let displayName: String
  public let state: AccessoryState
  public let standing: AccessoryStatus
  /// Nil for a device without Bluetooth; never an anonymous one.
  public let address: DeviceAddress?
  public let ssid: AirText?
  public let bond: AppAccessory.BondState
  public let isIdentityDurable: Bool
  public let isInSight: Bool
  /// dBm; nil when not in sight, or without a reading.
  public let filteredRSSI: Int8?
  /// Seconds since 1970; nil when the clock was not set.
  public let addedAt: Int64?

  public init(
    identifier: RandomIdentifier, app: String, item: String?, displayName: String, state: AccessoryState,
    standing: AccessoryStatus, address: DeviceAddress?, ssid: AirText?, bond: AppAccessory.BondState,
    isIdentityDurable: Bool, isInSight: Bool, filteredRSSI: Int8?, addedAt: Int64?
  ) {
    self.identifier = identifier
    self.app = app
    self.item = item
    self.displayName = displayName
    self.state = state
    self.standing = standing
    self.address = address
    self.ssid = ssid
    self.bond = bond
    self.isIdentityDurable = isIdentityDurable
    self.isInSight = isInSight
    self.filteredRSSI = filteredRSSI
    self.addedAt = addedAt
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("identifier", identifier.text)
    json.member("app", app)
    json.member("item", item)
    json.member("displayName", displayName)
    json.member("state", state.text)
    json.member("standing", standing.rawValue)
    json.member("address", address?.text)
    json.member("addressType", address?.type.text)
    if let ssid { json.member("ssid", ssid) }
    json.member("bond", bond.rawValue)
    json.member("isIdentityDurable", isIdentityDurable)
    json.member("isInSight", isInSight)
    json.member("filteredRSSI", filteredRSSI)
    json.member("addedAt", addedAt)
  }
}

extension AccessoryLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    guard let identifier = RandomIdentifier(text: try line.string("identifier")) else {
      throw line.error("identifier", .unknownValue)
    }
    self.init(
      identifier: identifier, app: try line.string("app"), item: try line.stringIfPresent("item"),
      displayName: try line.string("displayName"),
      state: try line.value("state", of: AccessoryState.allCases, \.text),
      standing: try line.value("standing", of: [.active, .orphaned, .suspended], \AccessoryStatus.rawValue),
      address: try line.addressIfPresent(), ssid: try line.airTextIfPresent("ssid"),
      bond: try line.value("bond", of: [.none, .bonded, .lost], \AppAccessory.BondState.rawValue),
      isIdentityDurable: try line.bool("isIdentityDurable"), isInSight: try line.bool("isInSight"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"), addedAt: try line.integerIfPresent("addedAt"))
  }
}

extension AccessoryState {
  /// ASK's name of the state.
  public var text: String {
    switch self {
    case .unauthorized: "unauthorized"
    case .awaitingAuthorization: "awaitingAuthorization"
    case .authorized: "authorized"
    }
  }
}
