// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension ManifestRules {
  /// Reports items that match the same device or network: a picker would offer it twice, and hands-free setups would collide.
  /// Reports one overlap per item, with the first other item that shares a key.
  mutating func checkOverlaps() {
    var descriptors: [DiscoveryDescriptor] = []
    var names: [(app: String, id: String)] = []
    var indices: [OverlapKey: OverlapIndex] = [:]
    for app in manifest.apps {
      for (index, item) in app.items.enumerated() where item.selection != .observe {
        let path = Self.path(ofItem: index, inApp: app.name).appending(ItemKey.descriptor)
        guard isLegible(path) else { continue }
        let descriptor = item.descriptor
        let scopes = OverlapKey.Scope.all(of: item, in: app)
        for value in OverlapKey.Value.all(of: descriptor) {
          let keys = scopes.map { OverlapKey(value: value, scope: $0) }
          let found = keys.compactMap { indices[$0]?.firstOverlap(with: descriptor, in: descriptors) }.min()
          guard let found, let overlap = DescriptorOverlap(descriptor, descriptors[found]) else { continue }
          report(.overlap(overlap, app: names[found].app, id: names[found].id), at: path)
          break
        }
        for value in OverlapKey.Value.all(of: descriptor) {
          for scope in scopes {
            let key = OverlapKey(value: value, scope: scope)
            indices[key, default: OverlapIndex(value)].add(descriptor, at: descriptors.count)
          }
        }
        descriptors.append(descriptor)
        names.append((app.name, item.id))
      }
    }
  }
}

/// What two items must share to match the same device, and to be offered for it.
private struct OverlapKey: Hashable {
  enum Value: Hashable {
    case company(UInt16)
    case service(BluetoothUUID)
    /// A name or the prefix of an address alone.
    case none
    /// The name of a network.
    case network

    static func all(of descriptor: DiscoveryDescriptor) -> [Value] {
      if descriptor.isFoundByNetwork { return [.network] }
      if !descriptor.hasKey { return descriptor.hasBluetoothClause ? [.none] : [] }
      return [descriptor.companyIdentifier.map { .company($0) }, descriptor.serviceUUID.map { .service($0) }]
        .compactMap { $0 }
    }
  }

  /// Items of different apps are offered for one device only if both are hands-free.
  enum Scope: Hashable {
    case app(String)
    case handsFree

    static func all(of item: DisplayItem, in app: App) -> [Scope] {
      [.app(app.name)] + (item.selection.isHandsFree ? [.handsFree] : [])
    }
  }

  let value: Value
  let scope: Scope
}

extension OverlapIndex {
  fileprivate init(_ value: OverlapKey.Value) {
    switch value {
    case .company: self.init(data: \.manufacturerData)
    case .service: self.init(data: \.serviceData)
    case .none, .network: self.init(data: nil)
    }
  }
}
