// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An accessory of some app: a line of `list --json` (`Config/schema/list.schema.json`), and an accessory of
/// `io.accessoryd.Operator`.
public struct AccessoryLine: Equatable, Line {
  public enum State: String, CaseIterable, Sendable {
    case unauthorized, awaitingAuthorization, authorized
  }

  /// Whether the accessory still belongs to an item of the manifest, and to the app's account.
  public enum Status: String, CaseIterable, Sendable {
    case active
    /// The accessory's item or app is no longer in the manifest.
    case orphaned
    /// The app's account is not the one that set up the accessory: an operator has to confirm it.
    case suspended
  }

  public enum Bond: String, CaseIterable, Sendable {
    case none, bonded, lost
  }

  /// The program that keeps the bond's keys.
  public enum BondOwner: String, CaseIterable, Sendable {
    case gateway, bluetoothd
  }

  /// How far a connection of the app to the accessory is.
  public enum Connection: String, CaseIterable, Sendable {
    case connecting, connected
  }

  /// 32 lower-case hexadecimal digits.
  public let identifier: String
  public let app: String
  /// The item's id in the manifest; nil when the app supplied the item.
  public let item: String?
  public let displayName: String
  public let state: State
  public let status: Status
  /// Nil for a device without Bluetooth; never an anonymous one.
  public let address: WireAddress?
  public let ssid: AirText?
  public let bond: Bond
  public let isIdentityDurable: Bool
  public let isInSight: Bool
  /// dBm; nil when not in sight, or without a reading.
  public let filteredRSSI: Int8?
  /// Seconds since 1970; nil when the clock was not set.
  public let addedAt: Int64?
  /// nil when the app is not connected to it.
  public var connection: Connection?
  /// nil without a bond.
  public var bondOwner: BondOwner?
  /// Whether no third device can be in between; nil without a bond.
  public var isBondAuthenticated: Bool?
  /// True when an item demands an authenticated bond that the device lacks; otherwise nil.
  public var lacksAuthenticatedBond: Bool?
  /// What to know before the device is paired again; nil unless its bond is lost.
  public var pairingNote: String?

  public init(
    identifier: String, app: String, item: String?, displayName: String, state: State,
    status: Status, address: WireAddress?, ssid: AirText?, bond: Bond,
    isIdentityDurable: Bool, isInSight: Bool, filteredRSSI: Int8?, addedAt: Int64?
  ) {
    self.identifier = identifier
    self.app = app
    self.item = item
    self.displayName = displayName
    self.state = state
    self.status = status
    self.address = address
    self.ssid = ssid
    self.bond = bond
    self.isIdentityDurable = isIdentityDurable
    self.isInSight = isInSight
    self.filteredRSSI = filteredRSSI
    self.addedAt = addedAt
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("identifier", identifier)
    json.member("app", app)
    json.member("item", item)
    json.member("displayName", displayName)
    json.member("state", state.rawValue)
    json.member("status", status.rawValue)
    json.members(address)
    if let ssid { json.member("ssid", networkName: ssid) }
    json.member("bond", bond.rawValue)
    if let bondOwner { json.member("bondOwner", bondOwner.rawValue) }
    if let isBondAuthenticated { json.member("isBondAuthenticated", isBondAuthenticated) }
    if let lacksAuthenticatedBond { json.member("lacksAuthenticatedBond", lacksAuthenticatedBond) }
    if let pairingNote { json.member("pairingNote", pairingNote) }
    json.member("isIdentityDurable", isIdentityDurable)
    json.member("isInSight", isInSight)
    json.member("filteredRSSI", filteredRSSI)
    json.member("addedAt", addedAt)
    if let connection { json.member("connection", connection.rawValue) }
  }
}

extension AccessoryLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    guard let identifier = Hex(digits: try line.string("identifier")), identifier.bytes.count == 16 else {
      throw line.error("identifier", .unknownValue)
    }
    self.init(
      identifier: identifier.text, app: try line.string("app"), item: try line.stringIfPresent("item"),
      displayName: try line.string("displayName"),
      state: try line.value("state", of: State.allCases, \.rawValue),
      status: try line.value("status", of: Status.allCases, \.rawValue),
      address: try line.knownAddressIfPresent(), ssid: try line.airTextIfPresent("ssid"),
      bond: try line.value("bond", of: Bond.allCases, \.rawValue),
      isIdentityDurable: try line.bool("isIdentityDurable"), isInSight: try line.bool("isInSight"),
      filteredRSSI: try line.integerIfPresent("filteredRSSI"), addedAt: try line.integerIfPresent("addedAt"))
    connection = try line.valueIfPresent("connection", of: Connection.allCases, \.rawValue)
    bondOwner = try line.valueIfPresent("bondOwner", of: BondOwner.allCases, \.rawValue)
    isBondAuthenticated = try line.boolIfPresent("isBondAuthenticated")
    lacksAuthenticatedBond = try line.boolIfPresent("lacksAuthenticatedBond")
    pairingNote = try line.stringIfPresent("pairingNote")
  }
}
