// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The settled addresses of accessories, whose devices never give way.
///
/// Capacity: fixed at start. An address that finds the list full is not added; ``set(_:isAccessory:)`` says so.
struct AccessoryList: ~Copyable {
  private let addresses: FixedTable<DeviceAddress>
  private(set) var count = 0

  init(capacity: Int, in arena: inout Arena) {
    addresses = arena.table(of: DeviceAddress(bits: 0, type: .anonymous), count: capacity)
  }

  var capacity: Int { addresses.count }

  subscript(_ index: Int) -> DeviceAddress { addresses[index] }

  func contains(_ address: DeviceAddress) -> Bool { index(of: address) != nil }

  /// Adds or removes an address. Returns whether the list changed, or nil when it is full.
  mutating func set(_ address: DeviceAddress, isAccessory: Bool) -> Bool? {
    switch (index(of: address), isAccessory) {
    case (nil, true):
      guard count < addresses.count else { return nil }
      addresses[count] = address
      count += 1
    case (let index?, false):
      count -= 1
      addresses[index] = addresses[count]
    case (nil, false), (_?, true):
      return false
    }
    return true
  }

  /// Copies the addresses of another list, which fit.
  mutating func copy(_ other: borrowing AccessoryList) {
    count = other.count
    for index in 0..<count { addresses[index] = other.addresses[index] }
  }

  private func index(of address: DeviceAddress) -> Int? {
    for index in 0..<count where addresses[index] == address { return index }
    return nil
  }
}
