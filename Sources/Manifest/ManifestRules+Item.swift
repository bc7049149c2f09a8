// SPDX-License-Identifier: GPL-3.0-or-later

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
        report(.warning(.noEffect(.observed)), at: path.appending(key))
      }
    } else if !item.renameOptions.isEmpty, isLegible(path) {
      let renameOptions = path.appending(ItemKey.renameOptions)
      if !item.setupOptions.contains(.rename) {
        report(.warning(.noEffect(.noRename)), at: renameOptions)
      } else if item.descriptor.ssidPrefix == nil {
        report(.warning(.noEffect(.noSSID)), at: renameOptions)
      }
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
