// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Registry

extension RowValues {
  /// Returns the descriptor in the columns that begin with `prefix`; nil if its range is null.
  func descriptor(_ prefix: String) throws(ColumnError) -> DiscoveryDescriptor? {
    typealias Range = DiscoveryDescriptor.Range
    guard
      let range = try optional(
        prefix + "Range", integer(prefix + "Range", as: Int.self), Range.init(rawValue:))
    else { return nil }
    var descriptor = DiscoveryDescriptor()
    descriptor.range = range
    descriptor.companyIdentifier = try integer(prefix + "CompanyIdentifier", as: UInt16.self)
    descriptor.manufacturerData = try maskedBytes(prefix + "ManufacturerData")
    descriptor.serviceUUID = try identifier(prefix + "ServiceUUID").map {
      BluetoothUUID(high: $0.high, low: $0.low)
    }
    descriptor.serviceData = try maskedBytes(prefix + "ServiceData")
    descriptor.nameSubstring = try bytes(prefix + "NameSubstring")
    descriptor.nameCompareOptions = CompareOptions(
      rawValue: try integer(prefix + "NameCompareOptions", as: UInt.self) ?? 0)
    descriptor.ssid = try bytes(prefix + "SSID")
    descriptor.ssidPrefix = try bytes(prefix + "SSIDPrefix")
    descriptor.wifiAware = try wifiAware(prefix + "WiFiAware")
    descriptor.supportedOptions = SupportOptions(
      rawValue: try integer(prefix + "SupportedOptions", as: UInt.self) ?? 0)
    return descriptor
  }

  mutating func setDescriptor(_ descriptor: DiscoveryDescriptor?, _ prefix: String) {
    guard let descriptor else { return }
    setInteger(Int64(descriptor.range.rawValue), prefix + "Range")
    setInteger(descriptor.companyIdentifier.map(Int64.init), prefix + "CompanyIdentifier")
    setMaskedBytes(descriptor.manufacturerData, prefix + "ManufacturerData")
    setBytes(
      descriptor.serviceUUID.map { RandomIdentifier(high: $0.high, low: $0.low).bytes },
      prefix + "ServiceUUID")
    setMaskedBytes(descriptor.serviceData, prefix + "ServiceData")
    setBytes(descriptor.nameSubstring, prefix + "NameSubstring")
    setInteger(descriptor.nameCompareOptions.stored, prefix + "NameCompareOptions")
    setBytes(descriptor.ssid, prefix + "SSID")
    setBytes(descriptor.ssidPrefix, prefix + "SSIDPrefix")
    setWiFiAware(descriptor.wifiAware, prefix + "WiFiAware")
    setInteger(descriptor.supportedOptions.stored, prefix + "SupportedOptions")
  }

  /// Without a service name there is no service.
  private func wifiAware(_ prefix: String) throws(ColumnError) -> WiFiAwareService? {
    let roleColumn = prefix + "ServiceRole"
    let role = try optional(
      roleColumn, integer(roleColumn, as: Int.self), WiFiAwareService.Role.init(rawValue:))
    let (model, vendor) = (try nameMatch(prefix + "ModelName"), try nameMatch(prefix + "VendorName"))
    guard let name = try bytes(prefix + "ServiceName") else {
      guard role == nil, model == nil, vendor == nil else {
        throw ColumnError(column: prefix + "ServiceName")
      }
      return nil
    }
    var service = WiFiAwareService(serviceName: name)
    service.role = try required(roleColumn, role)
    service.modelName = model
    service.vendorName = vendor
    return service
  }

  private mutating func setWiFiAware(_ service: WiFiAwareService?, _ prefix: String) {
    guard let service else { return }
    setBytes(service.serviceName, prefix + "ServiceName")
    setInteger(Int64(service.role.rawValue), prefix + "ServiceRole")
    setNameMatch(service.modelName, prefix + "ModelName")
    setNameMatch(service.vendorName, prefix + "VendorName")
  }

  private func nameMatch(_ column: String) throws(ColumnError) -> WiFiAwareService.NameMatch? {
    let options = try integer(column + "CompareOptions", as: UInt.self)
    guard let text = try bytes(column) else {
      guard options == nil else { throw ColumnError(column: column + "CompareOptions") }
      return nil
    }
    return WiFiAwareService.NameMatch(text: text, compareOptions: CompareOptions(rawValue: options ?? 0))
  }

  private mutating func setNameMatch(_ match: WiFiAwareService.NameMatch?, _ column: String) {
    setBytes(match?.text, column)
    setInteger(match?.compareOptions.stored, column + "CompareOptions")
  }

  private func maskedBytes(_ prefix: String) throws(ColumnError) -> MaskedBytes? {
    let mask = try bytes(prefix + "Mask")
    guard let blob = try bytes(prefix + "Blob") else {
      guard mask == nil else { throw ColumnError(column: prefix + "Mask") }
      return nil
    }
    return try required(prefix + "Mask", mask.flatMap { MaskedBytes(blob: blob, mask: $0) })
  }

  private mutating func setMaskedBytes(_ bytes: MaskedBytes?, _ prefix: String) {
    setBytes(bytes?.blob, prefix + "Blob")
    setBytes(bytes?.mask, prefix + "Mask")
  }
}

extension OptionSet where RawValue == UInt {
  /// nil if no option is set.
  fileprivate var stored: Int64? { isEmpty ? nil : Int64(clamping: rawValue) }
}
