// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// A stand-in, in memory, for the registry's file.
struct StandInRegistryFile {
  /// The contents of the file.
  private(set) var saved = AccessoryRegistry()
  /// The replies to the next requests; when there are none, requests succeed.
  var replies: [RegistryReply] = []
  /// Whether requests wait until ``release()``.
  var isHeld = false
  private(set) var requests: [RegistryRequest] = []
  private var waiting: RegistryRequest?

  var isWaiting: Bool { waiting != nil }

  init(_ registry: AccessoryRegistry = AccessoryRegistry()) { saved = registry }

  /// Marks every device.s bond as lost, as the program that stores the keys would when devices no longer accept them.
  mutating func loseBonds() {
    changeBonds { $0.record.map { .lost($0) } ?? .lost(BondRecord(owner: .gateway, isAuthenticated: false)) }
  }

  /// Gives every device a bond, as pairing would.
  mutating func setBonds(_ bond: Bond) { changeBonds { _ in bond } }

  private mutating func changeBonds(_ change: (Bond) -> Bond) {
    let devices = saved.rows.compactMap { row -> RegistryWrite? in
      guard case .device(var device) = row else { return nil }
      device.bond = change(device.bond)
      return .put(.device(device))
    }
    write(devices)
  }

  /// Returns the reply; nil while requests wait.
  mutating func answer(_ request: RegistryRequest) -> RegistryReply? {
    requests.append(request)
    guard !isHeld else {
      waiting = request
      return nil
    }
    return reply(to: request)
  }

  mutating func release() -> RegistryReply? {
    isHeld = false
    guard let request = waiting.take() else { return nil }
    return reply(to: request)
  }

  private mutating func reply(to request: RegistryRequest) -> RegistryReply {
    guard replies.isEmpty else { return replies.removeFirst() }
    switch request {
    case .open: return .opened(saved)
    case .commit(let writes): write(writes)
    case .replace(let registry): saved = registry
    case .reset:
      saved = AccessoryRegistry()
      return .reset(kept: "registry.kept")
    case .close: return .closed
    }
    return .done
  }

  private mutating func write(_ writes: [RegistryWrite]) {
    var rows = saved.rows
    for write in writes {
      switch write {
      case .put(let row):
        rows.removeAll { $0.table == row.table && $0.number == row.number }
        rows.append(row)
      case .drop(let table, let number): rows.removeAll { $0.table == table && $0.number == number }
      }
    }
    do {
      saved = try AccessoryRegistry(rows.sorted { $0.number < $1.number })
    } catch {
      preconditionFailure("a commit leaves an invalid registry: \(error)")
    }
  }
}
