// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension ManifestRules {
  /// The longest local name that GAP defines (Core Specification 5.4, Volume 3, Part C, 12.1).
  private static let nameBytesMax = 248

  /// Reports descriptors that match too much or nothing.
  mutating func checkReach(of item: DisplayItem, at path: ManifestKeyPath) {
    guard isLegible(path) else { return }
    let descriptor = item.descriptor
    if let key = descriptor.onlyKey { report(.warning(.broad(key)), at: path) }
    checkManufacturerData(of: descriptor, at: path)
    checkServiceData(of: descriptor, at: path)
    checkName(of: descriptor, at: path)
    if descriptor.isFoundByNetwork, let name = descriptor.ssid, name.allSatisfy({ $0 == 0 }) {
      report(.warning(.hiddenNetwork), at: path.appending(DescriptorKey.ssid))
    }
    let wifiPath = ManifestKeyPath().appending(RootKey.gateway).appending(GatewayKey.wifi)
    if descriptor.isFoundByNetwork, manifest.gateway.wifi == nil, isLegible(wifiPath) {
      let key = descriptor.ssid == nil ? DescriptorKey.ssidPrefix : .ssid
      report(.warning(.wifiInterfaceMissing), at: path.appending(key))
    }
    if descriptor.hasOnlyWiFiAware {
      report(.warning(.onlyWiFiAware), at: path.appending(DescriptorKey.wifiAwareServiceName))
    }
    checkSupportedOptions(of: descriptor, at: path)
  }

  private mutating func checkManufacturerData(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    guard let data = descriptor.manufacturerData, let company = descriptor.companyIdentifier else { return }
    check(
      data, bytesMax: AdvertisingData.fieldBytesMax - 2,
      key: [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)],
      at: path.appending(DescriptorKey.manufacturerDataBlob))
  }

  private mutating func checkServiceData(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    guard let data = descriptor.serviceData, let service = descriptor.serviceUUID else { return }
    let short = service.short ?? 0
    let keyByteCount = service.short == nil ? 16 : short > 0xFFFF ? 4 : 2
    let key =
      keyByteCount == 2 ? [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)] : []
    check(
      data, bytesMax: AdvertisingData.fieldBytesMax - keyByteCount, key: key,
      at: path.appending(DescriptorKey.serviceDataBlob))
  }

  private mutating func check(_ data: MaskedBytes, bytesMax: Int, key: [UInt8], at path: ManifestKeyPath) {
    if data.blob.count > bytesMax {
      report(.warning(.blobNeverFits(byteCount: data.blob.count, byteCountMax: bytesMax)), at: path)
    } else if data.maskBitCount == 0 {
      report(.warning(.maskComparesNothing), at: path)
    } else if !key.isEmpty, data.blob.starts(with: key), data.mask.starts(with: [0xFF, 0xFF]) {
      report(.warning(.blobBeginsWithItsKey), at: path)
    }
  }

  private mutating func checkName(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    guard let name = descriptor.nameSubstring else { return }
    let namePath = path.appending(DescriptorKey.nameSubstring)
    if name.count > Self.nameBytesMax {
      report(.warning(.nameNeverFits(byteCount: name.count, byteCountMax: Self.nameBytesMax)), at: namePath)
    } else if manifest.gateway.scan == .passive {
      report(.warning(.nameWithPassiveScan), at: namePath)
    }
    let options = descriptor.nameCompareOptions
    if options.contains(.backwards), !options.contains(.anchored) {
      report(.warning(.noEffect(.notAnchored)), at: path.appending(DescriptorKey.nameCompareOptions))
    }
  }

  private mutating func checkSupportedOptions(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    guard !descriptor.supportedOptions.contains(.bluetoothPairingLE) else {
      if manifest.gateway.access == .exclusive {
        let isInputDevice = descriptor.supportedOptions.contains(.bluetoothHID)
        report(
          .warning(isInputDevice ? .inputDeviceInExclusiveAccess : .pairingInExclusiveAccess),
          at: path.appending(DescriptorKey.supportedOptions))
      }
      return
    }
    for (option, name) in [
      (SupportOptions.bluetoothTransportBridging, "bluetoothTransportBridging"),
      (.bluetoothHID, "bluetoothHID"),
    ] where descriptor.supportedOptions.contains(option) {
      report(.warning(.optionWithoutPairing(name)), at: path.appending(DescriptorKey.supportedOptions))
    }
  }
}

/// Sizes of an advertising data structure.
private enum AdvertisingData {
  /// The bytes of one structure after its length and type (Core Specification 5.4, Volume 3, Part C, 11).
  static let fieldBytesMax = 254
}

extension DiscoveryDescriptor {
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
