// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

extension ManifestRules {
  /// Checks that no two items of the app have the same id, because grants refer to it.
  mutating func checkRepeatedItems(of app: App) {
    var firstIndex: [String: Int] = [:]
    for (index, item) in app.items.enumerated() where !item.id.isEmpty {
      if let first = firstIndex[item.id] {
        let path = Self.path(ofItem: index, inApp: app.name)
        report(.repeatedItem(id: item.id, first: Self.path(ofItem: first, inApp: app.name)), at: path)
      } else {
        firstIndex[item.id] = index
      }
    }
  }

  /// Checks that an item that is set up without confirmation has a specific descriptor.
  mutating func checkSelection(of item: DisplayItem, at path: ManifestKeyPath) {
    let descriptor = path.appending(ItemKey.descriptor)
    guard item.selection.isHandsFree else { return }
    if let key = networkKey(of: item.descriptor, at: descriptor) {
      switch item.selection {
      case .touch: report(.touchOfNetwork, at: path, ItemKey.select)
      case .automatic where [.ssidPrefix, .ssidPrefixHex].contains(key):
        report(.automaticByPrefix, at: path, ItemKey.select)
      case .automatic, .operator, .observe: break
      }
    } else if !areLegible(DescriptorKey.ofClauses, in: descriptor) {
      return
    } else if !item.descriptor.isDistinct {
      report(.weakForSelection(item.selection), at: path, ItemKey.select)
    } else if item.selection == .touch, item.descriptor.range != .immediate,
      isLegible(descriptor.appending(DescriptorKey.range))
    {
      report(.touchWithoutImmediateRange, at: path, ItemKey.select)
    }
  }

  /// Checks that only devices that are paired have a demand, and that a person is there to meet it.
  mutating func checkPairing(of item: DisplayItem, at path: ManifestKeyPath) {
    let pairing = path.appending(ItemKey.pairing)
    let options = path.appending(ItemKey.descriptor).appending(DescriptorKey.supportedOptions)
    guard item.selection != .observe, isLegible(pairing), isLegible(options) else { return }
    if !item.descriptor.supportedOptions.contains(.bluetoothPairingLE) {
      if item.pairing != nil { report(.pairingWithoutOption, at: pairing) }
    } else if item.selection.isHandsFree, item.pairing != .justWorks {
      report(
        .pairingWithoutPerson(item.selection),
        at: item.pairing == nil ? path.appending(ItemKey.select) : pairing)
    }
  }

  /// Reports settings that change nothing.
  mutating func checkEffects(of item: DisplayItem, at path: ManifestKeyPath) {
    if item.selection == .observe {
      for (key, isSet) in [
        (ItemKey.setupOptions, !item.setupOptions.isEmpty), (.renameOptions, !item.renameOptions.isEmpty),
        (.alternate, item.alternate != nil), (.pairing, item.pairing != nil),
      ] where isSet {
        report(.observed, at: path, key)
      }
    } else if !item.renameOptions.isEmpty, areLegible([ItemKey.select, .setupOptions], in: path),
      areLegible(DescriptorKey.ofClauses, in: path.appending(ItemKey.descriptor))
    {
      let renameOptions = path.appending(ItemKey.renameOptions)
      if !item.setupOptions.contains(.rename) {
        report(.noRename, at: renameOptions)
      } else if item.descriptor.isFoundByNetwork {
        report(.networkFound, at: renameOptions)
      } else if item.descriptor.ssidPrefix == nil {
        report(.noSSID, at: renameOptions)
      }
    }
  }

  /// Checks that the thresholds leave a hysteresis, that bounds are in order, and that every setting is used.
  mutating func check(_ gate: GateSettings, of item: DisplayItem, at path: ManifestKeyPath) {
    checkHysteresis(of: gate, at: path)
    checkBounds(of: gate, at: path)
    let itemPath = path.parent ?? path
    let range = itemPath.appending(ItemKey.descriptor).appending(DescriptorKey.range)
    if isLegible(range), isLegible(itemPath.appending(ItemKey.txPower)) { checkUse(of: gate, at: path) }
  }

  private mutating func checkHysteresis(of gate: GateSettings, at path: ManifestKeyPath) {
    if gate.leaveRSSI > gate.enterRSSI, areLegible([GateKey.enterRSSI, .leaveRSSI], in: path) {
      report(.above(GateKey.enterRSSI, gate.leaveRSSI, most: gate.enterRSSI), at: path, GateKey.leaveRSSI)
    }
    if gate.leavePathLoss < gate.enterPathLoss,
      areLegible([GateKey.enterPathLoss, .leavePathLoss], in: path)
    {
      report(
        .below(GateKey.enterPathLoss, gate.leavePathLoss, least: gate.enterPathLoss), at: path,
        GateKey.leavePathLoss)
    }
  }

  private mutating func checkBounds(of gate: GateSettings, at path: ManifestKeyPath) {
    for (key, value, maxKey, most) in [
      (
        GateKey.sampleWindow, gate.sampleWindowMilliseconds, GateKey.sampleWindowMax,
        gate.sampleWindowMillisecondsMax
      ),
      (.silence, gate.silenceMilliseconds, .silenceMax, gate.silenceMillisecondsMax),
      (.lost, gate.lostMilliseconds, .lostMax, gate.lostMillisecondsMax),
    ] where value > most && areLegible([key, maxKey], in: path) {
      report(.above(maxKey, value, most: most), at: path, key)
    }
  }

  /// Reports settings that the item's range or way of deciding does not use.
  private mutating func checkUse(of gate: GateSettings, at path: ManifestKeyPath) {
    let standard = GateSettings()
    let changed = gate.changedKeys(from: standard)
    for key in changed where GateKey.lostKeys.contains(key) == gate.isImmediate {
      report(gate.isImmediate ? .immediate : .notImmediate, at: path, key)
    }
    guard gate.isImmediate else { return }
    if gate.silenceMilliseconds > standard.silenceMillisecondsMax,
      gate.enterDwellMilliseconds >= standard.enterDwellMilliseconds
    {
      let dwell = gate.enterDwellMilliseconds
      report(.lastsLongerThanBursts(milliseconds: dwell), at: path, GateKey.enterDwell)
    }
    let unused: Set<GateKey> =
      gate.txPower == nil ? [.enterPathLoss, .leavePathLoss] : [.enterRSSI, .leaveRSSI]
    for key in changed where unused.contains(key) {
      report(gate.txPower == nil ? .txPowerMissing : .txPowerGiven, at: path, key)
    }
  }
}

extension DisplayItem.Selection {
  /// Whether accessories are set up without a choice from a list.
  var isHandsFree: Bool { self == .touch || self == .automatic }
}

extension DiscoveryDescriptor {
  /// Whether the descriptor requires more than a key.
  fileprivate var isDistinct: Bool {
    nameSubstring != nil
      || [manufacturerData, serviceData].contains {
        ($0?.maskBitCount ?? 0) >= ManifestRules.maskBitsForHandsFree
      }
  }
}

extension GateKey {
  /// The settings of the default range; all others are the immediate gate's.
  fileprivate static let lostKeys: Set<GateKey> = [.lost, .lostMax]
}

extension GateSettings {
  /// The settings that differ, in the order of the keys.
  fileprivate func changedKeys(from other: GateSettings) -> [GateKey] {
    let isChanged: [(GateKey, Bool)] = [
      (.enterRSSI, enterRSSI != other.enterRSSI),
      (.leaveRSSI, leaveRSSI != other.leaveRSSI),
      (.enterPathLoss, enterPathLoss != other.enterPathLoss),
      (.leavePathLoss, leavePathLoss != other.leavePathLoss),
      (.enterDwell, enterDwellMilliseconds != other.enterDwellMilliseconds),
      (.leaveDwell, leaveDwellMilliseconds != other.leaveDwellMilliseconds),
      (.samplesMin, samplesMin != other.samplesMin),
      (.sampleWindow, sampleWindowMilliseconds != other.sampleWindowMilliseconds),
      (.sampleWindowMax, sampleWindowMillisecondsMax != other.sampleWindowMillisecondsMax),
      (.silence, silenceMilliseconds != other.silenceMilliseconds),
      (.silenceMax, silenceMillisecondsMax != other.silenceMillisecondsMax),
      (.lost, lostMilliseconds != other.lostMilliseconds),
      (.lostMax, lostMillisecondsMax != other.lostMillisecondsMax),
    ]
    return isChanged.filter(\.1).map(\.0)
  }
}
