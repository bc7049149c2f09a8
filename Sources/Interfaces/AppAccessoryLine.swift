// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An accessory as its app sees it: `Accessory` of `io.accessoryd.Session`, and `ASAccessory`. What an accessory does not
/// have is absent.
public struct AppAccessoryLine: Equatable, Line {
  /// 32 hexadecimal digits.
  public var identifier: String
  public var displayName: String
  /// `ASAccessory.AccessoryState`, by its raw value.
  public var state: Int
  /// The item's id in the manifest; nil when the app supplied the item.
  public var item: String?
  public var descriptor: DescriptorLine
  /// A second identity that an operator let the app add.
  public var alternate: DescriptorLine?
  public var bluetoothIdentifier: String?
  /// The network's name: up to 32 bytes, among them perhaps NUL (IEEE 802.11-2020, 9.4.2.2).
  public var ssid: AirText?
  /// Six bytes, most significant first.
  public var bridgingIdentifier: [UInt8]?
  public var bond: AccessoryLine.Bond
  public var isIdentityDurable: Bool
  /// nil for none. On the wire it is a string, because it does not fit below 2^53.
  public var wifiAwarePairedDeviceID: UInt64?

  public init(
    identifier: String, displayName: String, state: Int, item: String?, descriptor: DescriptorLine,
    alternate: DescriptorLine?, bluetoothIdentifier: String?, ssid: AirText?, bridgingIdentifier: [UInt8]?,
    bond: AccessoryLine.Bond, isIdentityDurable: Bool
  ) {
    self.identifier = identifier
    self.displayName = displayName
    self.state = state
    self.item = item
    self.descriptor = descriptor
    self.alternate = alternate
    self.bluetoothIdentifier = bluetoothIdentifier
    self.ssid = ssid
    self.bridgingIdentifier = bridgingIdentifier
    self.bond = bond
    self.isIdentityDurable = isIdentityDurable
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("identifier", identifier)
    json.member("displayName", displayName)
    json.member("state", state)
    if let item { json.member("item", item) }
    json.object("descriptor", descriptor)
    if let alternate { json.object("alternate", alternate) }
    if let bluetoothIdentifier { json.member("bluetoothIdentifier", bluetoothIdentifier) }
    if let ssid { json.member("ssid", networkName: ssid) }
    if let bridgingIdentifier { json.member("bluetoothTransportBridgingIdentifier", Hex(bridgingIdentifier)) }
    if let id = wifiAwarePairedDeviceID { json.member("wifiAwarePairedDeviceID", String(id)) }
    json.member("bond", bond.rawValue)
    json.member("isIdentityDurable", isIdentityDurable)
  }
}

extension AppAccessoryLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      identifier: try line.string("identifier"), displayName: try line.string("displayName"),
      state: try line.integer("state"), item: try line.stringIfPresent("item"),
      descriptor: try line.line("descriptor"), alternate: try line.lineIfPresent("alternate"),
      bluetoothIdentifier: try line.stringIfPresent("bluetoothIdentifier"),
      ssid: try line.airTextIfPresent("ssid"),
      bridgingIdentifier: try line.bytesIfPresent("bluetoothTransportBridgingIdentifier"),
      bond: try line.value("bond", of: AccessoryLine.Bond.allCases, \.rawValue),
      isIdentityDurable: try line.bool("isIdentityDurable"))
    wifiAwarePairedDeviceID = try line.stringIfPresent("wifiAwarePairedDeviceID").map {
      (text) throws(JSONMemberError) in
      guard let id = UInt64(text) else { throw line.error("wifiAwarePairedDeviceID", .unknownValue) }
      return id
    }
  }
}
