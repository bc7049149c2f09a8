// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import VirtualRadio
import Wireless

/// Random networks, random scans of them, and items that are found by them.
///
/// It has a generator of its own, so that adding networks did not change the other parts of a seed's run.
struct RandomNetworks {
  /// A network in a scan.
  struct Heard {
    var name: [UInt8]
    var signal: Int8
    var radio: UInt64
    /// When its last beacon was received.
    var seen: Int64
  }

  /// Few enough names that they often match, come and go: among them the beginning of another, bytes that are no text,
  /// and hidden ones.
  private static let names: [[UInt8]] = [
    Array("Cam-1".utf8), Array("Cam-12".utf8), Array("Cam-2".utf8), Array("cam-1".utf8), Array("Home".utf8),
    [0x43, 0x61, 0x6D, 0x2D, 0xFF, 0x00], Array("Cam-".utf8), Array("C".utf8),
    Array(repeating: 0x43, count: 32), [], [0, 0, 0],
  ]
  private static let prefixes: [[UInt8]] = [
    Array("Cam-".utf8), Array("C".utf8), Array("H".utf8), [0x43, 0x61, 0x6D, 0x2D, 0xFF],
  ]

  private var dice: SeededGenerator
  /// When the next scan ends.
  private(set) var nextScan: Int64
  /// When the interface is pulled out; its networks are forgotten then.
  private(set) var nextLoss: Int64

  init(seed: UInt64) {
    dice = SeededGenerator(seed: seed, stream: 0x5C11)
    nextScan = Int64(dice.between(0, 10_000)) * 1000
    nextLoss = dice.chance(perMille: 200) ? Int64(dice.between(5, 60)) * 1_000_000 : .max
  }

  // MARK: Items

  /// Gives apps items that are found by their network, and takes some away.
  mutating func changeItems(of manifest: inout GatewayManifest) {
    for index in manifest.apps.indices {
      manifest.apps[index].supports.insert(.wifi)
      manifest.apps[index].items.removeAll { $0.id.hasPrefix("net") && dice.chance(perMille: 300) }
      for number in 0..<3 where dice.chance(perMille: 300) {
        let item = item(number: number)
        guard !manifest.apps[index].items.contains(where: { $0.id == item.id }) else { continue }
        manifest.apps[index].items.append(item)
      }
    }
  }

  /// An item that `ManifestRules` accepts.
  private mutating func item(number: Int) -> DisplayItem {
    var item = DisplayItem(id: "net\(number)", name: "Network \(number)")
    if dice.chance(perMille: 500) {
      item.descriptor.ssid = dice.pick(Array(Self.names.prefix(9)))
      if dice.chance(perMille: 300) { item.selection = .automatic }
    } else {
      item.descriptor.ssidPrefix = dice.pick(Self.prefixes)
    }
    if dice.chance(perMille: 200) { item.setupOptions.insert(.confirmAuthorization) }
    return item
  }

  // MARK: Scans

  /// The networks that the scan which ends at `now` has found; some of them the kernel had seen before.
  mutating func scan(at now: Int64) -> [Heard] {
    nextScan = now + Int64(dice.between(500, 20_000)) * 1000
    return (0..<dice.between(0, 8)).map { _ in
      let age = dice.chance(perMille: 500) ? 0 : Int64(dice.between(0, 70_000)) * 1000
      return Heard(
        name: dice.pick(Self.names), signal: Int8(dice.between(-90, -20)),
        radio: UInt64(dice.between(1, 3)), seen: max(0, now - age))
    }
  }

  mutating func loseInterface(at now: Int64) {
    nextLoss = dice.chance(perMille: 500) ? now + Int64(dice.between(5, 60)) * 1_000_000 : .max
  }
}

extension [RandomNetworks.Heard] {
  /// Enters a scan that ended at `now` into the agent's table. `start` is when the agent started.
  func enter(into table: inout NetworkTable, at now: Int64, start: Int64 = 0) {
    for heard in self {
      guard let name = NetworkName(heard.name) else { continue }
      table.insert(
        WirelessNetwork(
          bssid: BSSID(bits: heard.radio), name: name, frequencyMegahertz: 2412, signal: heard.signal,
          security: .wpa2, lastSeen: Instant(microseconds: Swift.max(0, heard.seen - start))))
    }
    let end = Instant(microseconds: now - start)
    table.append(CompletedScan(startedAt: end, completedAt: end))
    _ = table.removeLost()
  }
}
