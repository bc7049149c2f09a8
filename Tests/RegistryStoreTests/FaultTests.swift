// SPDX-License-Identifier: GPL-3.0-or-later

import CCrashDisk
import Registry
import RegistryStore
import RegistrySupport
import Testing

@Suite("The registry's file when calls fail")
struct FaultTests {
  private static let faults: [CrashDisk.Fault] = [
    POWER_FAULT_IO, POWER_FAULT_FULL, POWER_FAULT_READ_ONLY, POWER_FAULT_LOCKED,
  ]

  @Test(
    "A change whose calls fail is made or not, and afterwards the file is writable or reports that it is not",
    arguments: Scenario.all.map(\.name))
  func commits(name: String) throws {
    let scenario = try #require(Scenario.all.first { $0.name == name })
    let trial = try Trial(scenario, .cut)
    print("failing calls, \(name): \(failures(of: .commit(trial.writes), from: trial, to: trial.after))")
  }

  @Test(
    "An import whose calls fail is made or not, and afterwards the file is writable or reports that it is not",
    arguments: Trial.Start.allCases)
  func replacing(start: Trial.Start) throws {
    let trial = try Trial(Scenario.all[1], start)
    let imported = try #require(Scenario.all.last).registryBefore()
    print("failing calls, import (\(start)): \(failures(of: .replace(imported), from: trial, to: imported))")
  }

  /// Lets each call fail during a change from the trial's registry to `after`.
  private func failures(of change: RegistryRequest, from trial: Trial, to after: AccessoryRegistry) -> Int {
    everyFault(trial.disk, opensFirst: true, { $0.execute(change) }) { keeper, disk, reply in
      var expected: [RegistryReply] = [.opened(after)]
      switch reply {
      case .done: break
      case .failed(_, isOpen: true): #expect(keeper.execute(change) == .done)
      case .failed(_, isOpen: false):
        #expect(keeper.execute(change) == .failed(.closed, isOpen: false))
        expected.append(.opened(trial.before))
      default: Issue.record("\(change) replied \(reply)")
      }
      // The log counts; what is not durable is lost.
      disk.powerOff()
      _ = keeper.execute(.close)
      disk.restart()
      let found = Trial.opened(disk)
      #expect(expected.contains(found), "\(reply), then \(found)")
    }
  }

  @Test(
    "Opening with failing calls reports that, never damage, and changes nothing",
    arguments: Trial.Start.allCases)
  func opening(start: Trial.Start) throws {
    let trial = try Trial(Scenario.all[1], start)
    let failures = everyFault(trial.disk, opensFirst: false, { $0.execute(.open) }) { keeper, disk, reply in
      switch reply {
      case .opened(let registry), .readable(let registry, _): #expect(registry == trial.before)
      case .refused(let refusal) where refusal.failure != nil: break
      default: Issue.record("opening replied \(reply)")
      }
      _ = keeper.execute(.close)
      #expect(Trial.opened(disk) == .opened(trial.before))
    }
    print("failing calls, opening (\(start)): \(failures)")
  }

  @Test("A new registry whose creation fails is created the next time")
  func creation() throws {
    let failures = everyFault(CrashDisk(), opensFirst: false, { $0.execute(.open) }) { keeper, disk, reply in
      switch reply {
      case .opened(let registry), .readable(let registry, _): #expect(registry == AccessoryRegistry())
      case .refused(let refusal) where refusal.failure != nil: break
      default: Issue.record("creation replied \(reply)")
      }
      _ = keeper.execute(.close)
      #expect(Trial.opened(disk) == .opened(AccessoryRegistry()))
    }
    print("failing calls, creation: \(failures)")
  }

  @Test("A failed reset leaves the old registry, none, or a new one, and can be repeated")
  func resetting() throws {
    let trial = try Trial(Scenario.all[1], .cut)
    let failures = everyFault(trial.disk, opensFirst: true, { $0.execute(.reset) }) { keeper, disk, reply in
      let found = keeper.execute(.open)
      let allowed: [RegistryReply] = [
        .opened(trial.before), .opened(AccessoryRegistry()), .refused(.damaged(.missingBesideLog)),
      ]
      #expect(allowed.contains(found), "\(reply), then \(found)")
      if case .reset = reply { #expect(found == .opened(AccessoryRegistry())) }
      guard case .reset(kept: _) = keeper.execute(.reset) else {
        Issue.record("a second reset fails")
        return
      }
      _ = keeper.execute(.close)
      #expect(Trial.opened(disk) == .opened(AccessoryRegistry()))
    }
    print("failing calls, reset: \(failures)")
  }

  /// Lets each call of an operation fail, once or from then on, with every error that it can have. Returns the number
  /// of operations with a failure.
  private func everyFault(
    _ disk: CrashDisk, opensFirst: Bool, _ operation: (RegistryKeeper) -> RegistryReply,
    judge: (RegistryKeeper, CrashDisk, RegistryReply) -> Void
  ) -> Int {
    let count = callCount(disk.copy(), opensFirst: opensFirst, operation)
    #expect(count > 0)
    var failures = 0
    for fault in Self.faults {
      for stays in [false, true] {
        for call in 0..<count {
          let disk = disk.copy()
          let keeper = disk.keeper()
          if opensFirst { _ = keeper.execute(.open) }
          disk.fail(at: call, fault, stays: stays)
          let reply = operation(keeper)
          guard disk.failureCount > 0 else { continue }
          failures += 1
          disk.heal()
          judge(keeper, disk, reply)
        }
      }
    }
    return failures
  }

  private func callCount(
    _ disk: CrashDisk, opensFirst: Bool, _ operation: (RegistryKeeper) -> RegistryReply
  ) -> Int {
    let keeper = disk.keeper()
    if opensFirst { _ = keeper.execute(.open) }
    disk.heal()
    _ = operation(keeper)
    let count = disk.callCount
    _ = keeper.execute(.close)
    return count
  }
}
