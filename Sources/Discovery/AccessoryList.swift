// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The settled addresses of accessories, whose devices never give way, and the rhythms that they are known to have.
///
/// Capacity: fixed at start. An address that finds the list full is not added; ``set(_:isAccessory:rhythm:)`` says so.
struct AccessoryList: ~Copyable {
  private let addresses: FixedTable<DeviceAddress>
  /// In milliseconds; 0 where none is known.
  private let rhythms: FixedTable<UInt32>
  /// The streams of reports that want it, by their bits.
  private let streams: FixedTable<UInt16>
  private(set) var count = 0

  init(capacity: Int, in arena: inout Arena) {
    addresses = arena.table(of: DeviceAddress(bits: 0, type: .anonymous), count: capacity)
    rhythms = arena.table(of: 0, count: capacity)
    streams = arena.table(of: 0, count: capacity)
  }

  var capacity: Int { addresses.count }

  subscript(_ index: Int) -> DeviceAddress { addresses[index] }

  /// The rhythm of an accessory, by its place in the list.
  func rhythm(at index: Int) -> UInt32 { rhythms[index] }

  /// The streams that want the reports of an accessory, by its place in the list.
  func streams(at index: Int) -> UInt16 { streams[index] }

  func want(_ wanted: UInt16, of address: DeviceAddress) {
    if let index = index(of: address) { streams[index] = wanted }
  }

  /// Adds or removes an address. Returns whether the list changed, or nil when it is full.
  mutating func set(_ address: DeviceAddress, isAccessory: Bool, rhythm: UInt32 = 0) -> Bool? {
    switch (index(of: address), isAccessory) {
    case (nil, true):
      guard count < addresses.count else { return nil }
      addresses[count] = address
      rhythms[count] = rhythm
      streams[count] = 0
      count += 1
    case (let index?, false):
      count -= 1
      addresses[index] = addresses[count]
      rhythms[index] = rhythms[count]
      streams[index] = streams[count]
    case (nil, false), (_?, true):
      return false
    }
    return true
  }

  /// Copies another list, which fits.
  mutating func copy(_ other: borrowing AccessoryList) {
    count = other.count
    for index in 0..<count {
      addresses[index] = other.addresses[index]
      rhythms[index] = other.rhythms[index]
      streams[index] = other.streams[index]
    }
  }

  func index(of address: DeviceAddress) -> Int? {
    for index in 0..<count where addresses[index] == address { return index }
    return nil
  }
}
