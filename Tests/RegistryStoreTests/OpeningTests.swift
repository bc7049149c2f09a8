// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Registry
import RegistryStore
import RegistrySupport
import Testing

@Suite("Opening the registry's file")
struct OpeningTests {
  private let path = CrashDisk.path

  /// A disk with a registry of some rows that was closed properly.
  private func disk() throws -> (disk: CrashDisk, registry: AccessoryRegistry) {
    let trial = try Trial(Scenario.all[1], .closed)
    return (trial.disk, trial.before)
  }

  @Test("A registry reads back as it was written, after any changes", arguments: 0..<8)
  func readsBack(seed: UInt64) throws {
    let disk = CrashDisk()
    let keeper = disk.keeper()
    var registry = AccessoryRegistry()
    var changes = RandomChanges(seed: seed)
    #expect(keeper.execute(.open) == .opened(registry))
    for turn in 0..<200 {
      let change = changes.next(for: registry)
      guard let outcome = try? registry.apply(change) else { continue }
      #expect(keeper.execute(.commit(outcome.writes)) == .done)
      if turn % 40 == 0 { #expect(keeper.execute(.open) == .opened(registry)) }
    }
    _ = keeper.execute(.close)
    #expect(Trial.opened(disk) == .opened(registry))
  }

  @Test("A truncated file is damaged, and stays unchanged")
  func torn() throws {
    let (disk, registry) = try disk()
    let whole = disk[path]
    for count in [0, 1, 99, 100, 511, 4_096, whole.count / 2, whole.count - 4_096] {
      disk[path] = Array(whole[..<count])
      let reply = Trial.opened(disk)
      guard case .refused(let refusal) = reply, refusal.reason.hasPrefix("is damaged: ") else {
        Issue.record("\(count) of \(whole.count) bytes: \(reply)")
        continue
      }
      if count < 100 { #expect(refusal == .damaged(.torn(byteCount: count))) }
      #expect(disk[path] == Array(whole[..<count]))
    }
    disk[path] = whole
    #expect(Trial.opened(disk) == .opened(registry))
  }

  @Test("Another program's database and other files are refused and stay unchanged")
  func otherApplication() throws {
    let (disk, _) = try disk()
    var bytes = disk[path]
    bytes.replaceSubrange(68..<72, with: [0x0F, 0x05, 0x51, 0x12])
    disk[path] = bytes
    #expect(Trial.opened(disk) == .refused(.otherApplication(applicationID: 0x0F05_5112)))
    #expect(disk[path] == bytes)
    disk[path] = Array(repeating: 0x41, count: 4_096)
    #expect(Trial.opened(disk) == .refused(.damaged(.noDatabase)))
  }

  @Test("A later version's file is refused and stays unchanged")
  func newer() throws {
    let (disk, _) = try disk()
    var bytes = disk[path]
    bytes[63] = 7
    disk[path] = bytes
    #expect(Trial.opened(disk) == .refused(.newer(version: 7, known: 6)))
    #expect(disk[path] == bytes)
  }

  @Test("A log without its file is damage, because a new registry would read it")
  func missingBesideLog() throws {
    let (disk, _) = try disk()
    try disk.rename(path, to: path + "-wal")
    #expect(Trial.opened(disk) == .refused(.damaged(.missingBesideLog)))
  }

  @Test("Invalid rows are named")
  func badRows() throws {
    let (disk, registry) = try disk()
    let keeper = disk.keeper()
    _ = keeper.execute(.open)
    let device = try #require(registry.devices.first)
    #expect(keeper.execute(.commit([.drop(.device, number: device.number)])) == .done)
    #expect(keeper.execute(.open) == .refused(.damaged(.violation(.missingDevice(accessory: 1)))))
    #expect(keeper.execute(.commit([])) == .failed(.closed, isOpen: false))
  }

  @Test("A reset keeps the old registry beside the new one, under another name each time")
  func reset() throws {
    let (disk, registry) = try disk()
    let whole = disk[path]
    let keeper = disk.keeper()
    #expect(keeper.execute(.reset) == .reset(kept: "registry.kept-1"))
    #expect(disk["registry.kept-1"] == whole)
    #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
    #expect(keeper.execute(.replace(registry)) == .done)
    #expect(keeper.execute(.reset) == .reset(kept: "registry.kept-2"))
    _ = keeper.execute(.close)
    let kept = RegistryKeeper(path: "registry.kept-2", files: disk)
    #expect(kept.execute(.open) == .opened(registry))
    _ = kept.execute(.close)
    #expect(RegistryKeeper(path: "other", files: disk).execute(.reset) == .reset(kept: nil))
  }

  @Test("Of the registries that are kept there are at most 16, and the next reset changes nothing")
  func keptMax() throws {
    let (disk, registry) = try disk()
    let keeper = disk.keeper()
    for count in 1...16 { #expect(keeper.execute(.reset) == .reset(kept: "registry.kept-\(count)")) }
    #expect(keeper.execute(.open) == .opened(AccessoryRegistry()))
    #expect(keeper.execute(.replace(registry)) == .done)
    #expect(keeper.execute(.reset) == .failed(.tooManyKept(16), isOpen: false))
    #expect(keeper.execute(.open) == .opened(registry))
  }
}
