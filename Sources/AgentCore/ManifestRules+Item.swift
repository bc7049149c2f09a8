// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension ManifestRules {
  /// Grants are keyed on the id.
  mutating func checkRepeatedItems(of app: App) {
    var firstIndex: [String: Int] = [:]
    for (index, item) in app.items.enumerated() where !item.id.isEmpty {
      if let first = firstIndex[item.id] {
        let path = Self.path(ofItem: index, inApp: app.name)
        report(.setup(.repeatedItem(id: item.id, first: Self.path(ofItem: first, inApp: app.name))), at: path)
      } else {
        firstIndex[item.id] = index
      }
    }
  }

  /// What nobody confirms must not be mistaken for something else.
  mutating func checkSelection(of item: DisplayItem, at path: ManifestKeyPath) {
    guard item.selection.isHandsFree, isLegible(path.appending(ItemKey.descriptor)) else { return }
    if !item.descriptor.isDistinct {
      report(.setup(.weakForSelection(item.selection)), at: path.appending(ItemKey.select))
    } else if item.selection == .touch, item.descriptor.range != .immediate {
      report(.setup(.touchWithoutImmediateRange), at: path.appending(ItemKey.select))
    }
  }

  /// Settings that change nothing.
  mutating func checkEffects(of item: DisplayItem, at path: ManifestKeyPath) {
    if item.selection == .observe {
      for (key, isSet) in [
        (ItemKey.setupOptions, !item.setupOptions.isEmpty), (.renameOptions, !item.renameOptions.isEmpty),
        (.alternate, item.alternate != nil),
      ] where isSet {
        report(.doubt(.noEffect(.observed)), at: path.appending(key))
      }
    } else if !item.renameOptions.isEmpty, isLegible(path) {
      let renameOptions = path.appending(ItemKey.renameOptions)
      if !item.setupOptions.contains(.rename) {
        report(.doubt(.noEffect(.noRename)), at: renameOptions)
      } else if !item.descriptor.hasWiFiClause {
        report(.doubt(.noEffect(.noSSID)), at: renameOptions)
      }
    }
  }

  /// Two items that mean one device: a picker would offer it twice, and hands-free ways would collide.
  mutating func checkOverlaps() {
    var seen: [OverlapKey: [Place]] = [:]
    for app in manifest.apps {
      for (index, item) in app.items.enumerated() where item.selection != .observe {
        let path = Self.path(ofItem: index, inApp: app.name).appending(ItemKey.descriptor)
        guard isLegible(path) else { continue }
        let place = Place(app: app.name, item: item)
        reportOverlap(of: place, with: item.overlapKeys.flatMap { seen[$0] ?? [] }, at: path)
        for key in item.overlapKeys { seen[key, default: []].append(place) }
      }
    }
  }

  /// One overlap an item: the first.
  private mutating func reportOverlap(of place: Place, with others: [Place], at path: ManifestKeyPath) {
    for other in others where place.meets(other) {
      guard let overlap = DescriptorOverlap(place.item.descriptor, other.item.descriptor) else { continue }
      report(.doubt(.overlap(overlap, app: other.app, id: other.item.id)), at: path)
      return
    }
  }

  private struct Place {
    let app: String
    let item: DisplayItem

    /// Several apps may want one accessory, as long as somebody decides.
    func meets(_ other: Place) -> Bool {
      app == other.app || (item.selection.isHandsFree && other.item.selection.isHandsFree)
    }
  }
}

extension DisplayItem.Selection {
  /// Whether accessories are set up without a person's choice from a list.
  var isHandsFree: Bool {
    switch self {
    case .touch, .automatic: true
    case .operator, .observe: false
    }
  }
}

extension DiscoveryDescriptor {
  /// Whether more than a key has to match.
  fileprivate var isDistinct: Bool {
    nameSubstring != nil
      || [manufacturerData, serviceData].contains {
        ($0?.maskBitCount ?? 0) >= ManifestRules.maskBitsForHandsFree
      }
  }
}

/// Items that share one of these may mean the same device.
private enum OverlapKey: Hashable {
  case company(UInt16)
  case service(BluetoothUUID)
}

extension DisplayItem {
  fileprivate var overlapKeys: [OverlapKey] {
    [descriptor.companyIdentifier.map { .company($0) }, descriptor.serviceUUID.map { .service($0) }]
      .compactMap { $0 }
  }
}
