// SPDX-License-Identifier: Apache-2.0

public import JSON

/// How an accessory is recognised: `Descriptor` of `io.accessoryd.Session`, and `ASDiscoveryDescriptor`. What is not set
/// is absent.
public struct DescriptorLine: Equatable, Line {
  /// Bytes that are compared under a mask of the same length.
  public struct MaskedBytes: Equatable, Sendable {
    public var blob: [UInt8]
    /// nil when every bit counts.
    public var mask: [UInt8]?

    public init(blob: [UInt8], mask: [UInt8]? = nil) {
      self.blob = blob
      self.mask = mask
    }
  }

  /// A text that a name is compared with: `CompareString` of `io.accessoryd.Session`, and `ASPropertyCompareString`.
  public struct CompareString: Equatable, ReadableLine {
    public var string: String
    public var compareOptions: Int

    public init(string: String, compareOptions: Int = 0) {
      self.string = string
      self.compareOptions = compareOptions
    }

    public func writeMembers(to json: inout JSONWriter) {
      json.member("string", string)
      if compareOptions != 0 { json.member("compareOptions", compareOptions) }
    }

    public init(reading line: JSONObjectReader) throws(JSONMemberError) {
      string = try line.string("string")
      compareOptions = try line.integerIfPresent("compareOptions") ?? 0
    }
  }

  /// The role that is the same as none.
  public static let subscriber = 10

  public var companyIdentifier: UInt16?
  public var manufacturerData: MaskedBytes?
  /// 4, 8 or 32 hexadecimal digits, with or without dashes.
  public var serviceUUID: String?
  public var serviceData: MaskedBytes?
  public var nameSubstring: String?
  /// AccessorySetupKit's raw values, here and below; 0 is the same as absent.
  public var nameCompareOptions = 0
  public var range = 0
  public var ssid: AirText?
  public var ssidPrefix: String?
  public var wifiAwareServiceName: String?
  /// AccessorySetupKit's raw value.
  public var wifiAwareServiceRole = DescriptorLine.subscriber
  public var wifiAwareModelNameMatch: CompareString?
  public var wifiAwareVendorNameMatch: CompareString?
  public var supportedOptions = 0

  public init() {}

  public func writeMembers(to json: inout JSONWriter) {
    if let companyIdentifier { json.member("bluetoothCompanyIdentifier", companyIdentifier) }
    Self.write(manufacturerData, "bluetoothManufacturerData", to: &json)
    if let serviceUUID { json.member("bluetoothServiceUUID", serviceUUID) }
    Self.write(serviceData, "bluetoothServiceData", to: &json)
    if let nameSubstring { json.member("bluetoothNameSubstring", nameSubstring) }
    if nameCompareOptions != 0 { json.member("bluetoothNameSubstringCompareOptions", nameCompareOptions) }
    if range != 0 { json.member("bluetoothRange", range) }
    if let ssid { json.member("ssid", networkName: ssid) }
    if let ssidPrefix { json.member("ssidPrefix", ssidPrefix) }
    if let wifiAwareServiceName { json.member("wifiAwareServiceName", wifiAwareServiceName) }
    if wifiAwareServiceRole != Self.subscriber { json.member("wifiAwareServiceRole", wifiAwareServiceRole) }
    if let wifiAwareModelNameMatch { json.object("wifiAwareModelNameMatch", wifiAwareModelNameMatch) }
    if let wifiAwareVendorNameMatch { json.object("wifiAwareVendorNameMatch", wifiAwareVendorNameMatch) }
    if supportedOptions != 0 { json.member("supportedOptions", supportedOptions) }
  }

  private static func write(_ bytes: MaskedBytes?, _ name: String, to json: inout JSONWriter) {
    guard let bytes else { return }
    json.member(name + "Blob", Hex(bytes.blob))
    if let mask = bytes.mask { json.member(name + "Mask", Hex(mask)) }
  }
}

extension DescriptorLine: ReadableLine {
  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    companyIdentifier = try line.integerIfPresent("bluetoothCompanyIdentifier")
    manufacturerData = try Self.maskedBytes(line, "bluetoothManufacturerData")
    serviceUUID = try line.stringIfPresent("bluetoothServiceUUID")
    serviceData = try Self.maskedBytes(line, "bluetoothServiceData")
    nameSubstring = try line.stringIfPresent("bluetoothNameSubstring")
    nameCompareOptions = try line.integerIfPresent("bluetoothNameSubstringCompareOptions") ?? 0
    range = try line.integerIfPresent("bluetoothRange") ?? 0
    ssid = try line.airTextIfPresent("ssid")
    ssidPrefix = try line.stringIfPresent("ssidPrefix")
    wifiAwareServiceName = try line.stringIfPresent("wifiAwareServiceName")
    wifiAwareServiceRole = try line.integerIfPresent("wifiAwareServiceRole") ?? Self.subscriber
    wifiAwareModelNameMatch = try line.lineIfPresent("wifiAwareModelNameMatch")
    wifiAwareVendorNameMatch = try line.lineIfPresent("wifiAwareVendorNameMatch")
    supportedOptions = try line.integerIfPresent("supportedOptions") ?? 0
  }

  private static func maskedBytes(
    _ line: JSONObjectReader, _ name: String
  ) throws(JSONMemberError) -> MaskedBytes? {
    guard let blob = try line.bytesIfPresent(name + "Blob") else { return nil }
    return MaskedBytes(blob: blob, mask: try line.bytesIfPresent(name + "Mask"))
  }
}
