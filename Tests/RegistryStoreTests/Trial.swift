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
    /// The power failed before the log was written back: the last change is in the log.
    case cut
  }

  let disk: CrashDisk
  let before: AccessoryRegistry
  let after: AccessoryRegistry
  let writes: [RegistryWrite]

  init(_ scenario: Scenario, _ start: Start) throws {
    var registry = AccessoryRegistry()
    var changes: [[RegistryWrite]] = []
    for change in scenario.before { changes.append(try registry.apply(change).writes) }
    let last = start == .cut ? changes.popLast() : nil
    let closed = CrashDisk()
    let keeper = closed.keeper()
    #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
    for writes in changes { #expect(keeper.execute(.commit(writes)) == .done) }
    _ = keeper.execute(.close)
    closed.restart(POWER_LOSES_NOTHING)
    disk = try last.map { try Self.cut(closed, $0, after: registry) } ?? closed
    before = registry
    writes = try registry.apply(scenario.change).writes
    after = registry
  }

  /// Returns the disk after a change, the power of which failed when the change was in the log and not in the file.
  private static func cut(
    _ disk: CrashDisk, _ writes: [RegistryWrite], after registry: AccessoryRegistry
  ) throws -> CrashDisk {
    for change in 0..<100 {
      let disk = disk.copy()
      let keeper = disk.keeper()
      _ = keeper.execute(.open)
      disk.cut(at: change)
      let reply = keeper.execute(.commit(writes))
      _ = keeper.execute(.close)
      disk.restart(POWER_LOSES_ALL)
      try #require(reply != .done, "no cut leaves the change in the log alone")
      if opened(disk.copy()) == .opened(registry), !disk[CrashDisk.path + "-wal"].isEmpty { return disk }
    }
    throw CancellationError()
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
