// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryFormat
import RegistryStore
import RegistrySupport
import TestSupport

/// Opens a registry's file, changes what was accepted, and reads it again.
func fuzzRegistry(_ bytes: RawSpan) {
  let disk = CrashDisk()
  disk[CrashDisk.path] = bytes.bytes
  let keeper = disk.keeper()
  defer { _ = keeper.execute(.close) }
  guard case .opened(var registry) = keeper.execute(.open) else { return }
  registry.checkInvariants()
  guard let accessory = registry.accessories.first,
    let outcome = try? registry.apply(.rename(accessory.identifier, displayName: "fuzzed"))
  else { return }
  // What SQLite accepted as a whole may still turn out to be damaged where it is written.
  guard keeper.execute(.commit(outcome.writes)) == .done else { return }
  if case .opened(let found) = keeper.execute(.open) {
    precondition(found == registry, "an acknowledged change is gone")
  }
}

/// Reads an export, and writes what was accepted.
func fuzzExport(_ bytes: RawSpan) {
  let lines = String(decoding: bytes.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  guard let registry = try? RegistryImport.read(lines) else { return }
  registry.checkInvariants()
  let again = try? RegistryImport.read(Array(RegistryExport(registry)))
  precondition(again == registry, "an export that does not come back")
}

/// The exports of every scenario.
let exportSeeds: [[UInt8]] = Scenario.all.compactMap { scenario in
  guard let registry = try? scenario.registryBefore() else { return nil }
  return Array(RegistryExport(registry).joined(separator: "\n").utf8)
}
