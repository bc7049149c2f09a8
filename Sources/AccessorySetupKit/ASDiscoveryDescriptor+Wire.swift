// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Interfaces
import SessionClient

extension ASDiscoveryDescriptor {
  /// A descriptor as the agent sends it.
  package convenience init(_ line: DescriptorLine) {
    self.init()
    supportedOptions = ASAccessory.SupportOptions(rawValue: UInt(clamping: line.supportedOptions))
    bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(line.companyIdentifier ?? 0)
    (bluetoothManufacturerDataBlob, bluetoothManufacturerDataMask) = Self.data(line.manufacturerData)
    bluetoothNameSubstring = line.nameSubstring
    bluetoothNameSubstringCompareOptions = NSString.CompareOptions(
      rawValue: UInt(clamping: line.nameCompareOptions))
    bluetoothRange = Range(rawValue: line.range) ?? .default
    (bluetoothServiceDataBlob, bluetoothServiceDataMask) = Self.data(line.serviceData)
    bluetoothServiceUUID = line.serviceUUID.flatMap { CBUUID(text: $0) }
    ssid = line.ssid?.repaired
    ssidPrefix = line.ssidPrefix
    wifiAwareServiceName = line.wifiAwareServiceName
    wifiAwareServiceRole = WiFiAwareServiceRole(rawValue: line.wifiAwareServiceRole) ?? .subscriber
    wifiAwareModelNameMatch = line.wifiAwareModelNameMatch.map { ASPropertyCompareString($0) }
    wifiAwareVendorNameMatch = line.wifiAwareVendorNameMatch.map { ASPropertyCompareString($0) }
  }

  private static func data(_ bytes: DescriptorLine.MaskedBytes?) -> (blob: Data?, mask: Data?) {
    (bytes.map { Data($0.blob) }, bytes?.mask.map { Data($0) })
  }

  /// As the agent reads it. `path` names the descriptor in errors: `items[1].descriptor`.
  func line(at path: String) throws(SessionError) -> DescriptorLine {
    var line = DescriptorLine()
    line.supportedOptions = Int(supportedOptions.bits)
    let company = bluetoothCompanyIdentifier.rawValue
    line.companyIdentifier = company == 0 ? nil : company
    line.manufacturerData = try Self.bytes(
      bluetoothManufacturerDataBlob, bluetoothManufacturerDataMask, at: "\(path).bluetoothManufacturerData")
    line.nameSubstring = bluetoothNameSubstring
    line.nameCompareOptions = Int(bluetoothNameSubstringCompareOptions.bits)
    line.range = bluetoothRange.rawValue
    line.serviceData = try Self.bytes(
      bluetoothServiceDataBlob, bluetoothServiceDataMask, at: "\(path).bluetoothServiceData")
    line.serviceUUID = bluetoothServiceUUID?.uuidString
    line.ssid = ssid.map { AirText(Array($0.utf8)) }
    line.ssidPrefix = ssidPrefix
    line.takeWiFiAware(of: self)
    return line
  }

  /// The network's name and the Wi-Fi Aware service, as far as the accessory does not have them.
  func networkLine(for accessory: ASAccessory) throws(SessionError) -> DescriptorLine {
    let (own, all) = (accessory.line.descriptor, try line(at: "descriptor"))
    var line = DescriptorLine()
    line.ssid = ssid == own.ssid?.repaired ? nil : all.ssid
    line.ssidPrefix = all.ssidPrefix == own.ssidPrefix ? nil : all.ssidPrefix
    if !all.hasWiFiAware(of: own) { line.takeWiFiAware(of: self) }
    return line
  }

  private static func bytes(
    _ blob: Data?, _ mask: Data?, at path: String
  ) throws(SessionError) -> DescriptorLine.MaskedBytes? {
    guard let blob else {
      guard mask == nil else {
        throw SessionError(
          .invalidRequest, field: "\(path)Mask", "there is a mask without data", cure: "set \(path)Blob too")
      }
      return nil
    }
    return DescriptorLine.MaskedBytes(blob: [UInt8](blob), mask: mask.map { [UInt8]($0) })
  }
}

extension DescriptorLine {
  fileprivate mutating func takeWiFiAware(of descriptor: ASDiscoveryDescriptor) {
    wifiAwareServiceName = descriptor.wifiAwareServiceName
    wifiAwareServiceRole = descriptor.wifiAwareServiceRole.rawValue
    wifiAwareModelNameMatch = descriptor.wifiAwareModelNameMatch.map { CompareString($0) }
    wifiAwareVendorNameMatch = descriptor.wifiAwareVendorNameMatch.map { CompareString($0) }
  }

  fileprivate func hasWiFiAware(of other: DescriptorLine) -> Bool {
    wifiAwareServiceName == other.wifiAwareServiceName && wifiAwareServiceRole == other.wifiAwareServiceRole
      && wifiAwareModelNameMatch == other.wifiAwareModelNameMatch
      && wifiAwareVendorNameMatch == other.wifiAwareVendorNameMatch
  }
}

extension DescriptorLine.CompareString {
  fileprivate init(_ text: ASPropertyCompareString) {
    self.init(string: text.string, compareOptions: Int(text.compareOptions.bits))
  }
}

extension ASPropertyCompareString {
  fileprivate convenience init(_ line: DescriptorLine.CompareString) {
    self.init(
      string: line.string,
      compareOptions: NSString.CompareOptions(rawValue: UInt(clamping: line.compareOptions)))
  }
}

extension OptionSet where RawValue == UInt {
  /// The bits for the agent. It refuses higher ones like any that it does not know.
  var bits: UInt { min(rawValue, UInt(UInt32.max)) }
}
