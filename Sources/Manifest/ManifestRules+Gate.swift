// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery

extension ManifestRules {
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
