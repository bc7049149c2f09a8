// SPDX-License-Identifier: GPL-3.0-or-later

extension ManifestRules {
  /// The number of bits a blob must compare before a match alone may set up an accessory.
  static let maskBitsForHandsFree = 16

  /// Checks that the clauses may be combined and that the app declares their values. `selection` is that of the
  /// manifest's item whose descriptor it is; nil for a second identity and for what an app supplies.
  mutating func check(
    _ descriptor: DiscoveryDescriptor, of app: App, selection: DisplayItem.Selection? = nil,
    at path: ManifestKeyPath
  ) {
    checkKeys(of: descriptor, selection: selection, at: path)
    if descriptor.ssid != nil, descriptor.ssidPrefix != nil {
      report(.bothNetworkNames, at: path, DescriptorKey.ssidPrefix)
    }
    if !descriptor.nameCompareOptions.isEmpty, descriptor.nameSubstring == nil,
      areLegible(DescriptorKey.ofName, in: path)
    {
      report(.compareOptionsWithoutName, at: path, DescriptorKey.nameCompareOptions)
    }
    checkDeclarations(of: descriptor, by: app, at: path)
  }

  /// Checks that the descriptor has a key: data alone is not specific enough, and a name or the prefix of an address
  /// only where an operator looks at what it finds.
  private mutating func checkKeys(
    of descriptor: DiscoveryDescriptor, selection: DisplayItem.Selection?, at path: ManifestKeyPath
  ) {
    let lacksCompany =
      (descriptor.manufacturerData != nil || isUnreadable(DescriptorKey.manufacturerDataBlob, in: path))
      && descriptor.companyIdentifier == nil && isLegible(path.appending(DescriptorKey.companyIdentifier))
    let lacksService =
      (descriptor.serviceData != nil || isUnreadable(DescriptorKey.serviceDataBlob, in: path))
      && descriptor.serviceUUID == nil && isLegible(path.appending(DescriptorKey.serviceUUID))
    if lacksCompany {
      report(.manufacturerDataWithoutCompanyIdentifier, at: path, DescriptorKey.manufacturerDataBlob)
    }
    if lacksService {
      report(.serviceDataWithoutServiceUUID, at: path, DescriptorKey.serviceDataBlob)
    }
    guard !lacksCompany, !lacksService, !descriptor.hasKey, areLegible(DescriptorKey.ofClauses, in: path)
    else { return }
    let isWatched = selection.map { !$0.isHandsFree } ?? false
    if descriptor.addressPrefix != nil {
      report(isWatched ? .costOfAddress : .addressAlone(selection), at: path, DescriptorKey.addressPrefix)
    } else if descriptor.nameSubstring != nil {
      let isIndexed = descriptor.nameCompareOptions.areIndexed
      report(
        isWatched ? .costOfName(isIndexed: isIndexed) : .nameAlone(selection), at: path,
        DescriptorKey.nameSubstring)
    } else if !descriptor.hasWiFiClause, descriptor.wifiAware == nil {
      report(.nothingToLookFor, at: path)
    } else {
      checkWiFiOnly(descriptor, at: path)
    }
  }

  private mutating func checkWiFiOnly(_ descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    if descriptor.range != .default {
      report(.needBluetooth(.range), at: path, DescriptorKey.range)
    }
    if !descriptor.supportedOptions.isEmpty {
      report(.needBluetooth(.supportedOptions), at: path, DescriptorKey.supportedOptions)
    }
  }

  /// Refuses identifiers that the app does not declare, as AccessorySetupKit does.
  private mutating func checkDeclarations(
    of descriptor: DiscoveryDescriptor, by app: App, at path: ManifestKeyPath
  ) {
    let declared = Self.path(ofApp: app.name)
    if let company = descriptor.companyIdentifier, !app.companyIdentifiers.contains(company),
      isLegible(declared.appending(AppKey.companyIdentifiers))
    {
      report(.undeclared(company: company), at: path, DescriptorKey.companyIdentifier)
    }
    if let service = descriptor.serviceUUID, !app.services.contains(service),
      isLegible(declared.appending(AppKey.services))
    {
      report(.undeclared(service: service), at: path, DescriptorKey.serviceUUID)
    }
    if let name = descriptor.nameSubstring, !app.names.contains(name),
      isLegible(declared.appending(AppKey.names))
    {
      report(.undeclared(name: String(decoding: name, as: UTF8.self)), at: path, DescriptorKey.nameSubstring)
    }
    guard isLegible(declared.appending(AppKey.supports)) else { return }
    if hasBluetoothClause(descriptor, at: path), !app.supports.contains(.bluetooth) {
      report(.undeclared(.bluetooth), at: path)
    }
    let wifiKey = descriptor.wifiKey ?? DescriptorKey.ofWiFi.first { isUnreadable($0, in: path) }
    if !app.supports.contains(.wifi), let wifiKey { report(.undeclared(.wifi), at: path, wifiKey) }
  }

  /// Whether there is a clause about Bluetooth, be it unreadable.
  private func hasBluetoothClause(_ descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) -> Bool {
    descriptor.hasBluetoothClause || DescriptorKey.ofBluetooth.contains { isUnreadable($0, in: path) }
  }

  /// The network's name that the descriptor asks for, be it unreadable; nil for one that is not found by its network.
  func networkKey(of descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) -> DescriptorKey? {
    guard !hasBluetoothClause(descriptor, at: path) else { return nil }
    if descriptor.hasWiFiClause { return descriptor.wifiKey }
    return DescriptorKey.ofNetworks.first { isUnreadable($0, in: path) }
  }

  /// Checks that a second identity has no clause besides those that recognise it on the air.
  mutating func checkAlternate(_ descriptor: DiscoveryDescriptor, at path: ManifestKeyPath) {
    for (key, isSet) in [
      (DescriptorKey.range, descriptor.range != .default),
      (DescriptorKey.ssid, descriptor.ssid != nil),
      (DescriptorKey.ssidPrefix, descriptor.ssidPrefix != nil),
      (DescriptorKey.wifiAwareServiceName, descriptor.wifiAware != nil),
      (DescriptorKey.supportedOptions, !descriptor.supportedOptions.isEmpty),
    ] where isSet {
      report(.notForAlternate(key), at: path, key)
    }
  }
}

extension DiscoveryDescriptor {
  /// The first clause that is about Wi-Fi.
  fileprivate var wifiKey: DescriptorKey? {
    if ssid != nil { return .ssid }
    if ssidPrefix != nil { return .ssidPrefix }
    return wifiAware == nil ? nil : .wifiAwareServiceName
  }
}

extension DescriptorKey {
  fileprivate static let ofName: [DescriptorKey] = [.nameSubstring, .namePrefix]
  fileprivate static let ofBluetooth: [DescriptorKey] =
    ofName + [
      .companyIdentifier, .manufacturerDataBlob, .manufacturerDataMask, .serviceUUID, .serviceDataBlob,
      .serviceDataMask, .addressPrefix,
    ]
  fileprivate static let ofNetworks: [DescriptorKey] = [.ssid, .ssidHex, .ssidPrefix, .ssidPrefixHex]
  fileprivate static let ofWiFi = ofNetworks + [.wifiAwareServiceName]

  /// What says which devices or networks are meant: without all of them, nothing is certain about any that is missing.
  static let ofClauses: [DescriptorKey] = ofBluetooth + ofWiFi
}

extension CompareOptions {
  /// Whether a name with these options is looked up instead of searched: as the beginning, byte by byte.
  fileprivate var areIndexed: Bool { subtracting(.literal) == .anchored }
}
