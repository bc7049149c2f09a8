// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryStore
import RegistrySupport
import Testing

@Suite("The registry's file when the power fails")
struct PowerCutTests {
  @Test(
    "A change is stored completely or not at all, and for good once it was acknowledged",
    arguments: Scenario.all.map(\.name))
  func commits(name: String) throws {
    let scenario = try #require(Scenario.all.first { $0.name == name })
    var cuts = 0
    for start in Trial.Start.allCases {
      let trial = try Trial(scenario, start)
      cuts += everyCut(trial.disk, opensFirst: true, { $0.execute(.commit(trial.writes)) }) { reply, found in
        if reply == .done { return found == .opened(trial.after) }
        return found == .opened(trial.after) || found == .opened(trial.before)
      }
    }
    print("power cuts, \(name): \(cuts)")
  }

  @Test("A new registry exists completely or not at all")
  func creation() {
    let cuts = everyCut(CrashDisk(), opensFirst: false, { $0.execute(.open) }) { _, found in
      found == .opened(AccessoryRegistry())
    }
    print("power cuts, creation: \(cuts)")
  }

  @Test(
    "Opening the file after a power cut changes nothing, even with another cut",
    arguments: Trial.Start.allCases)
  func opening(start: Trial.Start) throws {
    let trial = try Trial(Scenario.all[1], start)
    let cuts = everyCut(trial.disk, opensFirst: false, { $0.execute(.open) }) { _, found in
      found == .opened(trial.before)
    }
    print("power cuts, opening (\(start)): \(cuts)")
  }

  @Test("An import replaces everything or nothing", arguments: Trial.Start.allCases)
  func replacing(start: Trial.Start) throws {
    let trial = try Trial(Scenario.all[1], start)
    let imported = try #require(Scenario.all.last).registryBefore()
    let cuts = everyCut(trial.disk, opensFirst: true, { $0.execute(.replace(imported)) }) { reply, found in
      found == .opened(imported) || (reply != .done && found == .opened(trial.before))
    }
    print("power cuts, import (\(start)): \(cuts)")
  }

  @Test(
    "A reset leads from the old registry to a new one, and never to an older state",
    arguments: Trial.Start.allCases)
  func resetting(start: Trial.Start) throws {
    let trial = try Trial(Scenario.all[1], start)
    let cuts = everyCut(trial.disk, opensFirst: true, { $0.execute(.reset) }) { reply, found in
      if case .reset = reply { return found == .opened(AccessoryRegistry()) }
      return [.opened(trial.before), .opened(AccessoryRegistry()), .refused(.damaged(.missingBesideLog))]
        .contains(
          found)
    }
    print("power cuts, reset (\(start)): \(cuts)")
  }

  @Test("Of many changes the first ones survive, including all acknowledged ones")
  func manyChanges() throws {
    let trial = try Trial(Scenario.all[1], .closed)
    let identifier = try #require(trial.before.accessories.first).identifier
    var states = [trial.before]
    var writes: [[RegistryWrite]] = []
    for n in 0..<20 {
      var next = states[n]
      writes.append(try next.apply(.rename(identifier, displayName: "Name \(n)")).writes)
      states.append(next)
    }
    let probe = trial.disk.copy()
    let count = changes(probe) { keeper in for each in writes { _ = keeper.execute(.commit(each)) } }
    var cuts = 0
    for cut in 0..<count {
      // Each write loses all that is not durable, and then with one other kind of loss in turn.
      for (loss, seed) in [Losses.all[0], Losses.all[1 + cut % (Losses.all.count - 1)]] {
        let disk = trial.disk.copy()
        let keeper = disk.keeper()
        _ = keeper.execute(.open)
        disk.cut(at: cut)
        let acknowledged = writes.prefix { keeper.execute(.commit($0)) == .done }.count
        _ = keeper.execute(.close)
        disk.restart(loss, seed: seed &+ UInt64(cut))
        let allowed = states[acknowledged...].prefix(2).map(RegistryReply.opened)
        #expect(
          allowed.contains(Trial.opened(disk)), "cut \(cut), \(loss), \(seed), \(acknowledged) acknowledged")
        cuts += 1
      }
    }
    print("power cuts, many changes: \(cuts)")
  }

  // MARK: Cutting

  /// Cuts the power in each change that the operation and the closing after it make to a copy of the disk, with every
  /// kind of loss. Returns the number of cuts.
  private func everyCut(
    _ disk: CrashDisk, opensFirst: Bool, _ operation: (RegistryKeeper) -> RegistryReply,
    isGood: (_ reply: RegistryReply, _ found: RegistryReply) -> Bool
  ) -> Int {
    let count = changes(disk.copy(), opensFirst: opensFirst) { _ = operation($0) }
    #expect(count > 0)
    var cuts = 0
    for cut in 0..<count {
      for (loss, seed) in Losses.all {
        let disk = disk.copy()
        let keeper = disk.keeper()
        if opensFirst { _ = keeper.execute(.open) }
        disk.cut(at: cut)
        let reply = operation(keeper)
        _ = keeper.execute(.close)
        disk.restart(loss, seed: seed &+ UInt64(cut) << 8)
        let found = Trial.opened(disk)
        #expect(isGood(reply, found), "change \(cut), \(loss), seed \(seed): \(reply), then \(found)")
        cuts += 1
      }
    }
    return cuts
  }

  /// Returns the number of changes that an operation and the closing after it make.
  private func changes(
    _ disk: CrashDisk, opensFirst: Bool = true, _ operation: (RegistryKeeper) -> Void
  ) -> Int {
    let keeper = disk.keeper()
    if opensFirst { _ = keeper.execute(.open) }
    disk.heal()
    operation(keeper)
    _ = keeper.execute(.close)
    return disk.changeCount
  }
}
