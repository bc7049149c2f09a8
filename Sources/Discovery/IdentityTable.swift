// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The identity keys of known devices, and the row of each device.
///
/// Capacity: the number of keys the pipeline was made for; more are a mistake of the caller and trap.
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

  mutating func add(_ key: IdentityKey) {
    keys[count] = key
    count += 1
  }

  /// The identity whose key made a resolvable private address, or nil.
  func identity(resolving address: DeviceAddress) -> Int? {
    guard address.lifetime == .resolvablePrivate else { return nil }
    for identity in 0..<count where keys[identity].resolves(address) { return identity }
    return nil
  }

  func index(of key: IdentityKey) -> Int? {
    for identity in 0..<count where keys[identity] == key { return identity }
    return nil
  }

  /// The address that events give: the identity address once a key has resolved the one on the air, -1 for no identity.
  func publicAddress(of address: DeviceAddress, identity: Int) -> DeviceAddress {
    guard identity >= 0 else { return address }
    let known = keys[identity].identity
    return DeviceAddress(bits: known.bits, type: known.type == .public ? .publicIdentity : .randomIdentity)
  }
}
