// SPDX-License-Identifier: GPL-3.0-or-later

import CCrashDisk
import Registry
import RegistryStore
import RegistrySupport
import Testing

/// A scenario on a disk: the registry before its change, and the registry after it.
struct Trial {
  /// The state of the file before the change.
  enum Start: CaseIterable {
    /// Closed properly: there is no log.
    case closed
    /// The power failed: the changes are in the log.
    case cut
  }

  let disk: CrashDisk
  let before: AccessoryRegistry
  let after: AccessoryRegistry
  let writes: [RegistryWrite]

  init(_ scenario: Scenario, _ start: Start) throws {
    disk = CrashDisk()
    let keeper = disk.keeper()
    var registry = AccessoryRegistry()
    #expect(keeper.execute(.open) == .opened(registry))
    for change in scenario.before {
      #expect(keeper.execute(.commit(try registry.apply(change).writes)) == .done)
    }
    if start == .cut { disk.powerOff() }
    _ = keeper.execute(.close)
    // A disk that keeps its power writes everything in the end; the end of the log is not synced.
    disk.restart(start == .cut ? POWER_LOSES_ALL : POWER_LOSES_NOTHING)
    before = registry
    writes = try registry.apply(scenario.change).writes
    after = registry
  }

  /// Returns what a new keeper reads from the disk.
  static func opened(_ disk: CrashDisk) -> RegistryReply {
    let keeper = disk.keeper()
    defer { _ = keeper.execute(.close) }
    return keeper.execute(.open)
  }
}

/// The ways in which writes that were not synced are lost; random ones with three seeds each.
enum Losses {
  static let all: [(CrashDisk.Loss, UInt64)] =
    [(POWER_LOSES_ALL, 0), (POWER_LOSES_NOTHING, 0)] + (1...3).map { (POWER_LOSES_SECTORS, $0) }
    + (1...3).map { (POWER_TEARS_SECTORS, $0) }
}
