// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension ManifestRules {
  /// The longest local name that GAP defines (Core Specification 5.4, Volume 3, Part C, 12.1).
  private static let nameBytesMax = 248
  /// The bytes of one AD structure after its length and type (Core Specification 5.4, Volume 3, Part C, 11).
  private static let fieldBytesMax = 254

  /// Reports descriptors that match too much or nothing.
  mutating func checkReach(of item: DisplayItem, at path: ManifestKeyPath) {
    let descriptor = item.descriptor
    checkData(of: descriptor, at: path)
    checkName(of: descriptor, at: path)
    checkNetworkName(of: descriptor, at: path)
    checkSupportedOptions(of: descriptor, at: path)
    let wifiPath = ManifestKeyPath().appending(RootKey.gateway).appending(GatewayKey.wifi)
    if manifest.gateway.wifi == nil, isLegible(wifiPath), let key = networkKey(of: descriptor, at: path) {
      report(.wifiInterfaceMissing, at: path, key)
    }
    guard areLegible(DescriptorKey.ofClauses, in: path) else { return }
    if let key = descriptor.onlyKey { report(.broad(key), at: path) }
    if descriptor.isFoundByNetwork, let name = descriptor.ssid, name.allSatisfy({ $0 == 0 }) {
      report(.hiddenNetwork, at: path, DescriptorKey.ssid)
    }
    if descriptor.hasOnlyWiFiAware {
      report(.onlyWiFiAware, at: path, DescriptorKey.wifiAwareServiceName)
    }
  }

  private mutating func checkData(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    if let data = descriptor.manufacturerData, let company = descriptor.companyIdentifier {
      check(data, after: company.littleEndianBytes, at: path.appending(DescriptorKey.manufacturerDataBlob))
    }
    if let data = descriptor.serviceData, let service = descriptor.serviceUUID {
      let full = service.low.littleEndianBytes + service.high.littleEndianBytes
      let short = service.short.map { Array($0.littleEndianBytes.prefix($0 > 0xFFFF ? 4 : 2)) }
      check(data, after: short ?? full, at: path.appending(DescriptorKey.serviceDataBlob))
    }
  }

  /// Checks data that stand after a key in their structure.
  private mutating func check(_ data: MaskedBytes, after key: [UInt8], at path: ManifestKeyPath) {
    let most = Self.fieldBytesMax - key.count
    if data.blob.count > most {
      report(.blobNeverFits(byteCount: data.blob.count, byteCountMax: most), at: path)
    } else if data.maskBitCount == 0 {
      report(.maskComparesNothing, at: path)
    } else if key.count == 2, data.blob.starts(with: key), data.mask.starts(with: [0xFF, 0xFF]) {
      report(.blobBeginsWithItsKey, at: path)
    }
  }

  private mutating func checkName(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    guard let name = descriptor.nameSubstring else { return }
    let namePath = path.appending(DescriptorKey.nameSubstring)
    if name.count > Self.nameBytesMax {
      report(.nameNeverFits(byteCount: name.count, byteCountMax: Self.nameBytesMax), at: namePath)
    } else if manifest.gateway.scan == .passive {
      report(.nameWithPassiveScan, at: namePath)
    }
    checkStar(in: name, at: namePath, .namePrefix)
    let options = descriptor.nameCompareOptions
    let optionsPath = path.appending(DescriptorKey.nameCompareOptions)
    if options.contains(.backwards), !options.contains(.anchored), isLegible(optionsPath) {
      report(.notAnchored, at: optionsPath)
    }
  }

  private mutating func checkNetworkName(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    for (name, key, hex) in [
      (descriptor.ssid, DescriptorKey.ssid, DescriptorKey.ssidHex),
      (descriptor.ssidPrefix, .ssidPrefix, .ssidPrefixHex),
    ] {
      guard let name else { continue }
      checkStar(in: name, at: path.appending(key), .ssidPrefix)
      // A name in hexadecimal was meant byte by byte.
      if name.contains(UInt8(ascii: "\\")), String(validating: name, as: UTF8.self) != nil {
        report(.backslashInSSID(hex), at: path, key)
      }
    }
  }

  /// Reports a star that was probably meant for any text.
  private mutating func checkStar(in text: [UInt8], at path: ManifestKeyPath, _ prefixKey: DescriptorKey) {
    guard text.count > 1, let place = text.lastIndex(of: UInt8(ascii: "*")) else { return }
    report(.star(isAtEnd: place == text.count - 1, key: prefixKey), at: path)
  }

  private mutating func checkSupportedOptions(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    guard isLegible(path.appending(DescriptorKey.supportedOptions)) else { return }
    guard !descriptor.supportedOptions.contains(.bluetoothPairingLE) else {
      if manifest.gateway.access == .exclusive {
        report(.pairingInExclusiveAccess, at: path, DescriptorKey.supportedOptions)
      }
      return
    }
    for (option, name) in [
      (SupportOptions.bluetoothTransportBridging, "bluetoothTransportBridging"),
      (.bluetoothHID, "bluetoothHID"),
    ] where descriptor.supportedOptions.contains(option) {
      report(.optionWithoutPairing(name), at: path, DescriptorKey.supportedOptions)
    }
  }
}

extension DiscoveryDescriptor {
  /// Whether everything with one key matches.
  public var isBroad: Bool { onlyKey != nil }

  /// The key, if it is the only Bluetooth clause.
  fileprivate var onlyKey: DescriptorKey? {
    guard manufacturerData == nil, serviceData == nil, nameSubstring == nil, addressPrefix == nil else {
      return nil
    }
    switch (companyIdentifier, serviceUUID) {
    case (.some, nil): return .companyIdentifier
    case (nil, .some): return .serviceUUID
    default: return nil
    }
  }
}
