// SPDX-License-Identifier: GPL-3.0-or-later

import CCrashDisk
import Registry
@testable import RegistryStore
import RegistrySupport
import Testing
import VirtualRadio

/// SQLite keeps no checksums in its file, and ends its log in silence at the first invalid frame.
@Suite("Damage to the registry's file and log")
struct DamageTests {
  private static let log = CrashDisk.path + "-wal"

  /// A disk whose agent was killed after a number of acknowledged changes: nothing was closed. With its log, the disk
  /// lost power at the same time, and has lost that the log was emptied.
  private func killed(
    changes: Int, keepsLog: Bool
  ) throws -> (disk: CrashDisk, registry: AccessoryRegistry) {
    let disk = CrashDisk()
    let keeper = disk.keeper()
    var registry = AccessoryRegistry()
    _ = keeper.execute(.open)
    for number in 1...changes {
      let writes = try registry.apply(Rows.addition(UInt64(number))).writes
      #expect(keeper.execute(.commit(writes)) == .done)
    }
    if !keepsLog { disk.restart(POWER_LOSES_NOTHING) }
    return (disk.copy(), registry)
  }

  @Test("Of 90 flipped bits and cuts in a killed agent's log, none loses an acknowledged change unnoticed")
  func log() throws {
    var random = SeededGenerator(seed: 18)
    for changes in [1, 3, 8] {
      let (disk, registry) = try killed(changes: changes, keepsLog: true)
      for attempt in 0..<30 {
        let copy = disk.copy()
        let byteCount = copy[Self.log].count
        try #require(byteCount > 0)
        let byte = random.number(below: byteCount)
        if attempt % 3 == 0 {
          copy[Self.log] = Array(copy[Self.log][..<byte])
        } else {
          copy[Self.log][byte] ^= 1 << UInt8(random.number(below: 8))
        }
        #expect(isNoticed(copy, registry), "\(changes) changes, attempt \(attempt)")
      }
    }
  }

  @Test("Of 120 flipped bits in the file, and one in each fourth byte in use, none changes a value unnoticed")
  func file() throws {
    let (disk, registry) = try killed(changes: 8, keepsLog: false)
    let whole = disk[CrashDisk.path]
    var random = SeededGenerator(seed: 20)
    var places = (0..<120).map { _ in random.number(below: whole.count * 8) }
    // Pages are zero where they have no rows.
    let used = whole.indices.filter { whole[$0] != 0 }
    places += stride(from: 0, to: used.count, by: 4).map { used[$0] * 8 + random.number(below: 8) }
    for place in places {
      let copy = disk.copy()
      copy[CrashDisk.path][place / 8] ^= 1 << UInt8(place % 8)
      #expect(isNoticed(copy, registry), "byte \(place / 8), bit \(place % 8)")
    }
    #expect(Trial.opened(disk) == .opened(registry))
  }

  /// Whether the registry is unchanged or refused.
  private func isNoticed(_ disk: CrashDisk, _ registry: AccessoryRegistry) -> Bool {
    switch Trial.opened(disk) {
    case .opened(let opened): opened == registry
    case .refused: true
    default: false
    }
  }

  @Test("A value that was changed in the file is named as damage, though the row is valid")
  func digest() throws {
    let (disk, _) = try killed(changes: 2, keepsLog: false)
    var bytes = disk[CrashDisk.path]
    let name = Array("Lumo 2".utf8)
    // Pages also hold values that were replaced.
    let places = bytes.indices.filter { bytes[$0...].starts(with: name) }
    #expect(!places.isEmpty)
    for place in places { bytes[place] = UInt8(ascii: "l") }
    disk[CrashDisk.path] = bytes
    #expect(Trial.opened(disk) == .refused(.damaged(.digest)))
    #expect(disk[CrashDisk.path] == bytes)
  }

  // MARK: - The log

  /// A disk with three transactions in its log, as a version wrote it that did not write the log back after each.
  private func logged() throws -> (disk: CrashDisk, states: [AccessoryRegistry]) {
    let disk = CrashDisk()
    _ = Trial.opened(disk)
    let database = try Database.open(CrashDisk.path, vfs: disk.vfs)
    var states = [AccessoryRegistry()]
    for number in 1...3 {
      var next = states[number - 1]
      let writes = try next.apply(Rows.addition(UInt64(number))).writes
      states.append(next)
      try database.run("BEGIN IMMEDIATE")
      try database.apply(writes)
      try database.run("COMMIT")
    }
    return (disk.copy(), states)
  }

  @Test("A log of several transactions is read as SQLite reads it")
  func transactions() throws {
    let (disk, states) = try logged()
    #expect(disk[Self.log].count > 3 * 4_096)
    #expect(Trial.opened(disk.copy()) == .opened(states[3]))
  }

  @Test("A flipped bit anywhere in the log leaves a state that was committed")
  func flippedLog() throws {
    let (disk, states) = try logged()
    var found: [RegistryReply] = []
    for byte in stride(from: 0, to: disk[Self.log].count, by: 97) {
      let copy = disk.copy()
      copy[Self.log][byte] ^= 1 << UInt8(byte % 8)
      let reply = Trial.opened(copy)
      #expect(states.contains { reply == .opened($0) }, "byte \(byte): \(reply)")
      found.append(reply)
    }
    #expect(found.contains(.opened(states[2])))
  }

  // MARK: - Refused files

  @Test("A refused database is not modified: its tables are checked first", arguments: [false, true])
  func unmodified(isInLogMode: Bool) throws {
    let disk = CrashDisk()
    try disk.create(CrashDisk.path)
    try disk.syncFolder(of: CrashDisk.path)
    do {
      let database = try Database.open(CrashDisk.path, vfs: disk.vfs)
      if isInLogMode { try database.run("PRAGMA journal_mode = WAL") }
      try database.run("PRAGMA application_id = \(Schema.applicationID)")
      try database.run("CREATE TABLE other (number INTEGER PRIMARY KEY)")
      try database.run("PRAGMA user_version = 2")
      try database.checkpointsOnClose(true)
    }
    disk.restart(POWER_LOSES_NOTHING)
    let bytes = disk[CrashDisk.path]
    #expect(Trial.opened(disk) == .refused(.damaged(.foreignTables)))
    #expect(disk[CrashDisk.path] == bytes)
    #expect(try disk.facts(of: Self.log) == nil && disk.facts(of: CrashDisk.path + "-journal") == nil)
  }
}
