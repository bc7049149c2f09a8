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
    ssid = line.ssid
    ssidPrefix = line.ssidPrefix
  }

  private static func data(_ bytes: DescriptorLine.MaskedBytes?) -> (blob: Data?, mask: Data?) {
    (bytes.map { Data($0.blob) }, bytes?.mask.map { Data($0) })
  }

  /// As the agent reads it. `path` names the descriptor in errors: `items[1].descriptor`.
  func line(at path: String) throws(SessionError) -> DescriptorLine {
    if let field = wifiAwareField {
      throw SessionError(
        .invalidRequest, field: "\(path).\(field)", "no gateway has Wi-Fi Aware",
        cure: "leave the property unset, and use Bluetooth or Wi-Fi properties")
    }
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
    line.ssid = ssid
    line.ssidPrefix = ssidPrefix
    return line
  }

  /// The network's name, as far as the accessory does not have it.
  func networkLine(for accessory: ASAccessory) throws(SessionError) -> DescriptorLine {
    let (own, all) = (accessory.line.descriptor, try line(at: "descriptor"))
    var line = DescriptorLine()
    line.ssid = all.ssid == own.ssid ? nil : all.ssid
    line.ssidPrefix = all.ssidPrefix == own.ssidPrefix ? nil : all.ssidPrefix
    return line
  }

  private var wifiAwareField: String? {
    if wifiAwareServiceName != nil { return "wifiAwareServiceName" }
    if wifiAwareServiceRole != .subscriber { return "wifiAwareServiceRole" }
    if wifiAwareModelNameMatch != nil { return "wifiAwareModelNameMatch" }
    return wifiAwareVendorNameMatch == nil ? nil : "wifiAwareVendorNameMatch"
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

extension OptionSet where RawValue == UInt {
  /// The bits for the agent. It refuses higher ones like any that it does not know.
  var bits: UInt { min(rawValue, UInt(UInt32.max)) }
}
