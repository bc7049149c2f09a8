// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryStore
import RegistrySupport
import Testing

@Suite("Migrations of the registry's file")
struct MigrationTests {
  private static let later = "CREATE TABLE later (number INTEGER PRIMARY KEY) STRICT"

  /// The next version.
  private static let next = Schema(
    migrations: Schema.current.migrations + [[later]],
    tables: (Schema.current.tables + [later]).sorted())

  private func keeper(_ disk: CrashDisk) -> RegistryKeeper {
    RegistryKeeper(path: CrashDisk.path, files: disk, owners: nil, schema: Self.next)
  }

  @Test("An older file is migrated with its contents, and is then too new for the older program")
  func migrates() throws {
    let trial = try Trial(Scenario.all[1], .cut)
    let newer = keeper(trial.disk)
    #expect(newer.execute(.open) == .opened(trial.before))
    #expect(newer.execute(.commit(trial.writes)) == .done)
    #expect(newer.execute(.open) == .opened(trial.after))
    _ = newer.execute(.close)
    #expect(Trial.opened(trial.disk) == .refused(.newer(version: 7, known: 6)))
  }

  @Test("A new file has the latest version")
  func fresh() {
    let disk = CrashDisk()
    #expect(keeper(disk).execute(.open) == .opened(AccessoryRegistry()))
    #expect(Trial.opened(disk) == .refused(.newer(version: 7, known: 6)))
  }

  @Test(
    "A power cut during a migration leaves the older version or the newer", arguments: Trial.Start.allCases)
  func powerCut(start: Trial.Start) throws {
    let trial = try Trial(Scenario.all[1], start)
    let probe = trial.disk.copy()
    _ = keeper(probe).execute(.open)
    let count = probe.changeCount
    #expect(count > 0)
    for cut in 0..<count {
      for (loss, seed) in Losses.all {
        let disk = trial.disk.copy()
        disk.cut(at: cut)
        let migrating = keeper(disk)
        _ = migrating.execute(.open)
        _ = migrating.execute(.close)
        disk.restart(loss, seed: seed &+ UInt64(cut))
        #expect(keeper(disk).execute(.open) == .opened(trial.before), "change \(cut), \(loss), seed \(seed)")
      }
    }
    print("power cuts, migrations (\(start)): \(count * Losses.all.count)")
  }
}
