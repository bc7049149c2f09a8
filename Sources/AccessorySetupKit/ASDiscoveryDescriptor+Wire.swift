// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Interfaces
import SessionClient

extension ASDiscoveryDescriptor {
  /// A descriptor as the agent sends it.
  package convenience init(_ line: DescriptorLine) {
    self.init()
    supportedOptions = ASAccessory.SupportOptions(rawValue: UInt(clamping: line.supportedOptions))
    bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(line.bluetoothCompanyIdentifier ?? 0)
    bluetoothManufacturerDataBlob = line.bluetoothManufacturerDataBlob.map { Data($0) }
    bluetoothManufacturerDataMask = line.bluetoothManufacturerDataMask.map { Data($0) }
    bluetoothNameSubstring = line.bluetoothNameSubstring
    bluetoothNameSubstringCompareOptions = NSString.CompareOptions(
      rawValue: UInt(clamping: line.bluetoothNameSubstringCompareOptions))
    bluetoothRange = Range(rawValue: line.bluetoothRange) ?? .default
    bluetoothServiceDataBlob = line.bluetoothServiceDataBlob.map { Data($0) }
    bluetoothServiceDataMask = line.bluetoothServiceDataMask.map { Data($0) }
    bluetoothServiceUUID = line.bluetoothServiceUUID.flatMap { CBUUID(text: $0) }
    ssid = line.ssid?.repaired
    ssidPrefix = line.ssidPrefix
    wifiAwareServiceName = line.wifiAwareServiceName
    wifiAwareServiceRole = WiFiAwareServiceRole(rawValue: line.wifiAwareServiceRole) ?? .subscriber
    wifiAwareModelNameMatch = line.wifiAwareModelNameMatch.map { ASPropertyCompareString($0) }
    wifiAwareVendorNameMatch = line.wifiAwareVendorNameMatch.map { ASPropertyCompareString($0) }
  }

  /// As the agent reads it. `path` names the descriptor in errors: `items[1].descriptor`.
  func line(at path: String) throws(SessionError) -> DescriptorLine {
    for (name, blob, mask) in [
      ("bluetoothManufacturerData", bluetoothManufacturerDataBlob, bluetoothManufacturerDataMask),
      ("bluetoothServiceData", bluetoothServiceDataBlob, bluetoothServiceDataMask),
    ] where blob == nil && mask != nil {
      throw SessionError(
        .invalidRequest, field: "\(path).\(name)Mask", "there is a mask without data",
        cure: "set \(path).\(name)Blob too")
    }
    let company = bluetoothCompanyIdentifier.rawValue
    var line = DescriptorLine(
      bluetoothCompanyIdentifier: company == 0 ? nil : company,
      bluetoothManufacturerDataBlob: bluetoothManufacturerDataBlob.map { [UInt8]($0) },
      bluetoothManufacturerDataMask: bluetoothManufacturerDataMask.map { [UInt8]($0) },
      bluetoothServiceUUID: bluetoothServiceUUID?.uuidString,
      bluetoothServiceDataBlob: bluetoothServiceDataBlob.map { [UInt8]($0) },
      bluetoothServiceDataMask: bluetoothServiceDataMask.map { [UInt8]($0) },
      bluetoothNameSubstring: bluetoothNameSubstring,
      bluetoothNameSubstringCompareOptions: Int(bluetoothNameSubstringCompareOptions.bits),
      bluetoothRange: bluetoothRange.rawValue, ssid: ssid.map { AirText(Array($0.utf8)) },
      ssidPrefix: ssidPrefix, supportedOptions: Int(supportedOptions.bits))
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
