// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The identity keys of known devices, and the row of each device.
///
/// Capacity: the number of keys the pipeline was made for. ``isFull`` says when there is no room; adding a key then is a
/// mistake of the caller and traps.
struct IdentityTable: ~Copyable {
  let keys: FixedTable<IdentityKey>
  /// The row of each identity's device, or -1.
  let rows: FixedTable<Int32>
  private(set) var count = 0

  init(capacity: Int, in arena: inout Arena) {
    let noAddress = DeviceAddress(bits: 0, type: .anonymous)
    keys = arena.table(
      of: IdentityKey(key: Block128(high: 0, low: 0), identity: noAddress), count: capacity)
    rows = arena.table(of: -1, count: capacity)
  }

  var isFull: Bool { count == keys.count }

  /// Adds a key, whose device has no row yet. Returns its index.
  @discardableResult
  mutating func add(_ key: IdentityKey) -> Int {
    keys[count] = key
    rows[count] = -1
    count += 1
    return count - 1
  }

  /// Removes a key, whose device has no row any more. The last key takes its index.
  mutating func remove(_ identity: Int) {
    count -= 1
    keys[identity] = keys[count]
    rows[identity] = rows[count]
  }

  /// The identity of the device with this address, or nil: its key made the address, or the address is the identity
  /// itself, which a controller has resolved, or which the device does not hide.
  func identity(of address: DeviceAddress) -> Int? {
    for identity in 0..<count where keys[identity].isKey(of: address) { return identity }
    return nil
  }

  func index(of key: IdentityKey) -> Int? {
    for identity in 0..<count where keys[identity] == key { return identity }
    return nil
  }

  /// The row of the device that events name by this address, once a key has resolved the one on the air; -1 without one.
  func row(named address: DeviceAddress) -> Int {
    for identity in 0..<count
    where rows[identity] >= 0 && publicAddress(of: address, identity: identity) == address {
      return Int(rows[identity])
    }
    return -1
  }

  /// The address that events give: the identity address once a key has resolved the one on the air, -1 for no identity.
  func publicAddress(of address: DeviceAddress, identity: Int) -> DeviceAddress {
    identity < 0 ? address : keys[identity].identity.resolved
  }
}

extension DeviceAddress {
  /// The address as one that a controller or a key has resolved.
  var resolved: DeviceAddress {
    DeviceAddress(bits: bits, type: settled.type == .public ? .publicIdentity : .randomIdentity)
  }
}

extension IdentityKey {
  /// Whether the device of this key has the address.
  func isKey(of address: DeviceAddress) -> Bool {
    switch address.lifetime {
    case .resolvablePrivate: resolves(address)
    case .durable: address.settled == identity.settled
    case .nonResolvablePrivate: false
    }
  }
}
