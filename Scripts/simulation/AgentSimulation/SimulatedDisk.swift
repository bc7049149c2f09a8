// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import VirtualRadio

/// The registry's file in memory: it answers late, fails sometimes, and keeps its contents over a power cut.
///
/// It holds one request at a time, like the agent's disk worker.
struct SimulatedDisk {
  /// The contents, which survive a power cut.
  private(set) var saved = AccessoryRegistry()
  /// Whether the file is open; a failure may have closed it.
  private(set) var isOpen = false
  private(set) var commitCount = 0
  private var dice: SeededGenerator
  /// How many of a thousand requests fail.
  private var failuresPerMille: Int
  /// How the disk breaks its promises on purpose.
  var tampering: LifeTampering?
  private var before = AccessoryRegistry()
  private var waiting: (request: RegistryRequest, due: Int64)?

  init(failuresPerMille: Int, dice: SeededGenerator) {
    self.failuresPerMille = failuresPerMille
    self.dice = dice
  }

  var nextTime: Int64? { waiting?.due }

  /// Starts a request; returns false while another one is pending.
  mutating func start(_ request: RegistryRequest, at now: Int64) -> Bool {
    guard waiting == nil else { return false }
    let isSlow = failuresPerMille > 0 && dice.chance(perMille: 20)
    let delays: [Int64] = isSlow ? [300_000, 2_000_000, 41_000_000] : [0, 100, 4000, 60_000]
    waiting = (request, now + dice.pick(delays))
    return true
  }

  mutating func reply(at now: Int64) -> RegistryReply? {
    guard let (request, due) = waiting, due <= now else { return nil }
    waiting = nil
    guard dice.chance(perMille: failuresPerMille) else { return execute(request) }
    return fail(request)
  }

  /// Cuts the power: the pending request is in the file, or it is not.
  mutating func cutPower() {
    isOpen = false
    if tampering == .losesACommitAtAPowerCut { saved = before }
    guard let request = waiting.take()?.request, dice.chance(perMille: 500) else { return }
    if request != .open { _ = execute(request) }
  }

  /// The contents that are possible after a power cut now; `before` are those before the pending request.
  func possible(from before: AccessoryRegistry) -> [AccessoryRegistry] {
    switch waiting?.request {
    case .commit(let writes)?: [before, before.written(writes)]
    case .replace(let registry)?: [before, registry]
    case .reset?: [before, AccessoryRegistry()]
    case .open?, .close?, nil: [before]
    }
  }

  /// No request fails from now on.
  mutating func stopFailing() { failuresPerMille = 0 }

  private mutating func fail(_ request: RegistryRequest) -> RegistryReply {
    guard request != .open else {
      isOpen = false
      return .refused(.failed(dice.pick([.readOnly, .noPermission])))
    }
    if dice.chance(perMille: 500) { return .failed(dice.pick([.full, .locked]), isOpen: isOpen) }
    let error = RegistryStoreErrorCode(code: 10, reason: "disk I/O error")
    if dice.chance(perMille: 500) { _ = execute(request) }
    isOpen = false
    return .failed(.disk(error), isOpen: false)
  }

  private mutating func execute(_ request: RegistryRequest) -> RegistryReply {
    switch request {
    case .open:
      isOpen = true
      return .opened(saved)
    case .commit(let writes):
      guard isOpen else { return .failed(.closed, isOpen: false) }
      commitCount += 1
      if tampering == .losesACommit, commitCount == 3 { return .done }
      before = saved
      saved = saved.written(writes)
      return .done
    case .replace(let registry):
      guard isOpen else { return .failed(.closed, isOpen: false) }
      commitCount += 1
      saved = registry
      return .done
    case .reset:
      isOpen = true
      commitCount += 1
      saved = AccessoryRegistry()
      return .reset(kept: "registry.kept")
    case .close:
      isOpen = false
      return .closed
    }
  }
}

extension AccessoryRegistry {
  /// Applies writes row by row, as a file would; it shares no code with the registry's rules.
  fileprivate func written(_ writes: [RegistryWrite]) -> AccessoryRegistry {
    var rows = rows
    for write in writes {
      switch write {
      case .put(let row):
        rows.removeAll { $0.table == row.table && $0.number == row.number }
        rows.append(row)
      case .drop(let table, let number): rows.removeAll { $0.table == table && $0.number == number }
      }
    }
    do {
      return try AccessoryRegistry(rows.sorted { $0.number < $1.number })
    } catch {
      preconditionFailure("a commit leaves no valid registry: \(error)")
    }
  }
}
