// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Registry

extension RowCoder {
  /// Passes the descriptor in the columns that begin with `prefix`. Without a range there is no descriptor.
  mutating func descriptor(_ prefix: String, _ descriptor: inout DiscoveryDescriptor?) {
    var clauses = descriptor ?? DiscoveryDescriptor()
    var range = descriptor?.range
    var service = clauses.serviceUUID.map { RandomIdentifier(high: $0.high, low: $0.low) }
    column(prefix + "CompanyIdentifier", &clauses.companyIdentifier)
    maskedBytes(prefix + "ManufacturerData", &clauses.manufacturerData)
    column(prefix + "ServiceUUID", &service)
    maskedBytes(prefix + "ServiceData", &clauses.serviceData)
    column(prefix + "NameSubstring", &clauses.nameSubstring)
    options(prefix + "NameCompareOptions", &clauses.nameCompareOptions)
    column(prefix + "Range", &range)
    column(prefix + "SSID", &clauses.ssid)
    column(prefix + "SSIDPrefix", &clauses.ssidPrefix)
    options(prefix + "SupportedOptions", &clauses.supportedOptions)
    clauses.serviceUUID = service.map { BluetoothUUID(high: $0.high, low: $0.low) }
    clauses.range = range ?? clauses.range
    descriptor = range.map { _ in clauses }
  }

  /// Passes the Wi-Fi Aware part of a descriptor. Without a service name there is no service.
  mutating func wifiAware(_ prefix: String, of descriptor: inout DiscoveryDescriptor?) {
    let service = descriptor?.wifiAware
    var (name, role) = (service?.serviceName, service?.role)
    var (model, vendor) = (service?.modelName, service?.vendorName)
    column(prefix + "ServiceName", &name, addedIn: 4)
    column(prefix + "ServiceRole", &role, addedIn: 4)
    nameMatch(prefix + "ModelName", &model)
    nameMatch(prefix + "VendorName", &vendor)
    if name == nil, role != nil || model != nil || vendor != nil { fail(prefix + "ServiceName") }
    descriptor?.wifiAware = both(name, role, prefix + "ServiceRole") { name, role in
      var service = WiFiAwareService(serviceName: name)
      (service.role, service.modelName, service.vendorName) = (role, model, vendor)
      return service
    }
  }

  private mutating func nameMatch(_ column: String, _ match: inout WiFiAwareService.NameMatch?) {
    var (text, options) = (match?.text, match?.compareOptions ?? [])
    self.column(column, &text, addedIn: 4)
    self.options(column + "CompareOptions", &options, addedIn: 4)
    if text == nil, !options.isEmpty { fail(column + "CompareOptions") }
    match = text.map { WiFiAwareService.NameMatch(text: $0, compareOptions: options) }
  }

  private mutating func maskedBytes(_ prefix: String, _ bytes: inout MaskedBytes?) {
    var (blob, mask) = (bytes?.blob, bytes?.mask)
    column(prefix + "Blob", &blob)
    column(prefix + "Mask", &mask)
    bytes = both(blob, mask, prefix + "Mask") { MaskedBytes(blob: $0, mask: $1) }
  }

  /// Passes options, which are null if none is set.
  private mutating func options<Options: OptionSet & ColumnValue>(
    _ name: String, _ options: inout Options, addedIn: Int64? = nil
  ) {
    var optional = options.isEmpty ? nil : options
    column(name, &optional, addedIn: addedIn)
    options = optional ?? []
  }
}
