// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

extension DiscoveryDescriptor {
  package init(_ table: TableReader<DescriptorKey>) {
    self.init()
    companyIdentifier = table.node(.companyIdentifier).flatMap {
      table.companyIdentifier($0, at: table.path(.companyIdentifier))
    }
    manufacturerData = table.maskedBytes(blob: .manufacturerDataBlob, mask: .manufacturerDataMask)
    serviceUUID = table.value(.serviceUUID, .serviceUUID, IdentifierText.serviceUUID)
    serviceData = table.maskedBytes(blob: .serviceDataBlob, mask: .serviceDataMask)
    nameCompareOptions = table.compareOptions(.nameCompareOptions)
    nameSubstring = table.name(.nameSubstring).map { Array($0.utf8) }
    if let prefix = table.namePrefix(nameCompareOptions) {
      nameSubstring = Array(prefix.utf8)
      nameCompareOptions.formUnion(.anchored)
    }
    addressPrefix = table.value(.addressPrefix, .addressPrefix, AddressText.prefix)
    range = table.range()
    ssid = table.networkName(.ssid, hex: .ssidHex)
    ssidPrefix = table.networkName(.ssidPrefix, hex: .ssidPrefixHex)
    wifiAware = table.wifiAware()
    supportedOptions = table.options(.supportedOptions, SupportOptions.names) ?? []
  }
}

extension TableReader<DescriptorKey> {
  fileprivate func maskedBytes(blob: DescriptorKey, mask: DescriptorKey) -> MaskedBytes? {
    let blobBytes = value(blob, .hexadecimal) { Hex(digits: $0)?.bytes }
    guard node(mask) != nil else { return blobBytes.map { MaskedBytes(blob: $0) } }
    let maskBytes = value(mask, .hexadecimal) { Hex(digits: $0)?.bytes }
    if node(blob) == nil { report(.maskWithoutBlob, at: mask) }
    guard let blobBytes, let maskBytes else { return nil }
    // With the longer of both lengths, no other rule says more than is certain.
    let missing = maskBytes.count - blobBytes.count
    if missing != 0 { report(.maskLength(mask: maskBytes.count, blob: blobBytes.count), at: mask) }
    return MaskedBytes(
      blob: blobBytes + [UInt8](repeating: 0, count: max(0, missing)),
      mask: maskBytes + [UInt8](repeating: 0xFF, count: max(0, -missing)))
  }

  /// Refuses the options of `NSString.CompareOptions` that are not supported by name.
  fileprivate func compareOptions(_ key: DescriptorKey) -> CompareOptions {
    texts(key).reduce(into: []) { options, element in
      if CompareOptions.refused.contains(element.text) {
        let known = CompareOptions.names.map(\.0)
        log.report(.refusedWord(found: element.text, known: known), at: element.path)
      } else if let option = word(element.text, among: CompareOptions.names, at: element.path) {
        options.formUnion(option)
      }
    }
  }

  /// A substring and `anchored` in one.
  fileprivate func namePrefix(_ options: CompareOptions) -> String? {
    guard let prefix = name(.namePrefix) else { return nil }
    if node(.nameSubstring) != nil { report(.twoNames, at: .namePrefix) }
    if options.contains(.backwards) { report(.prefixBackwards, at: .nameCompareOptions) }
    return prefix
  }

  fileprivate func range() -> DiscoveryDescriptor.Range {
    let words = [("default", DiscoveryDescriptor.Range.default), ("immediate", .immediate)]
    return text(.range).flatMap { word($0, among: words, at: path(.range)) } ?? .default
  }

  /// Reads the other properties without a service name too, so that mistakes in them are reported.
  fileprivate func wifiAware() -> WiFiAwareService? {
    let name = text(.wifiAwareServiceName, byteCountMax: WiFiAwareService.textBytesMax)
    var service = WiFiAwareService(serviceName: Array((name ?? "").utf8))
    let roles = [("subscriber", WiFiAwareService.Role.subscriber), ("publisher", .publisher)]
    if let role = text(.wifiAwareServiceRole).flatMap({
      word($0, among: roles, at: path(.wifiAwareServiceRole))
    }) {
      service.role = role
    }
    service.modelName = nameMatch(.wifiAwareModelName, .wifiAwareModelNameCompareOptions)
    service.vendorName = nameMatch(.wifiAwareVendorName, .wifiAwareVendorNameCompareOptions)
    if node(.wifiAwareServiceName) == nil {
      for key in [DescriptorKey.wifiAwareServiceRole, .wifiAwareModelName, .wifiAwareVendorName]
      where node(key) != nil {
        report(.without(key: DescriptorKey.wifiAwareServiceName.rawValue), at: key)
      }
    }
    return name == nil ? nil : service
  }

  private func nameMatch(_ key: DescriptorKey, _ optionsKey: DescriptorKey) -> WiFiAwareService.NameMatch? {
    let options = compareOptions(optionsKey)
    if !options.isEmpty, node(key) == nil { report(.without(key: key.rawValue), at: optionsKey) }
    return text(key, byteCountMax: WiFiAwareService.textBytesMax).map {
      WiFiAwareService.NameMatch(text: Array($0.utf8), compareOptions: options)
    }
  }

  /// A network's name, or how it begins; for one that is no UTF-8, its bytes under the key in `hex`.
  fileprivate func networkName(_ key: DescriptorKey, hex: DescriptorKey) -> [UInt8]? {
    let name = text(key, byteCountMax: networkNameBytesMax).map { Array($0.utf8) }
    guard node(hex) != nil else { return name }
    if node(key) != nil { report(.twoForms(of: key.rawValue, hex: hex.rawValue), at: hex) }
    return value(hex, .networkName) {
      Hex(digits: $0).flatMap { (1...networkNameBytesMax).contains($0.bytes.count) ? $0.bytes : nil }
    }
  }
}

/// An SSID has 1 to 32 bytes (IEEE 802.11-2020, 9.4.2.2).
private let networkNameBytesMax = 32

extension CompareOptions {
  fileprivate static let refused: Set<String> = [
    "numeric", "diacriticInsensitive", "widthInsensitive", "forcedOrdering", "regularExpression",
  ]
}

extension SupportOptions {
  fileprivate static let names: [(String, SupportOptions)] = [
    ("bluetoothPairingLE", .bluetoothPairingLE), ("bluetoothTransportBridging", .bluetoothTransportBridging),
    ("bluetoothHID", .bluetoothHID),
  ]
}
