// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import Manifest
import Registry
import DeviceLines

// Questions about the device table that several methods ask.

extension ManifestDataPath {
  var deviceCount: Int { liveRows.count }

  /// How many devices an item has found.
  var foundCount: Int { liveRows.count { isFound(at: $0) } }

  func foundCount(ofItem item: Int) -> Int {
    liveRows.count { row in isFound(at: row) { $0.path == items[item].path } }
  }

  /// Whether an item, or one that is meant, has found the device in a row.
  func isFound(at row: Int, by isMeant: (ManifestItem) -> Bool = { _ in true }) -> Bool {
    guard let device = pipeline.device(at: row) else { return false }
    return (0..<Int(device.matchCount)).contains { index in
      let match = pipeline.match(index, at: row)
      return match.isFound && isMeant(items[Int(match.item)])
    }
  }

  /// The row of a registered device, by any of its addresses.
  func row(of device: RegistryDevice) -> Int? {
    for address in [device.identity.address, device.secondAddress] {
      if let address, let row = row(at: address) { return row }
    }
    return nil
  }

  /// The row of an address, whether the controller, a key or nothing resolved it.
  func row(at address: DeviceAddress) -> Int? {
    if let row = pipeline.row(at: address) { return row }
    for type in [AddressType.public, .random, .publicIdentity, .randomIdentity] {
      let other = DeviceAddress(bits: address.bits, type: type)
      guard other != address, other.settled == address.settled else { continue }
      if let row = pipeline.row(at: other) { return row }
    }
    return nil
  }

  /// The levels at which an item's gate opens and closes; nil for an item whose devices are not held at the gateway.
  func gateLevels(ofItem index: Int) -> (enter: Decibels?, leave: Decibels?) {
    guard pipeline.gate(ofItem: index).isImmediate else { return (nil, nil) }
    let levels = pipeline.thresholds(ofItem: index)
    return (Decibels(sixteenths: levels.enter), Decibels(sixteenths: levels.leave))
  }

  /// The bytes of an event that is still in the ring.
  func payload(of sequence: UInt64, byteCount: Int) -> [UInt8] {
    path.pipeline.events.payload(of: sequence, byteCount: byteCount)
  }

  /// The latest advertising data, then the latest scan response, of the advertising set heard last.
  func payload(at row: Int) -> [UInt8] {
    guard pipeline.setCount(at: row) > 0 else { return [] }
    return pipeline.data(ofSet: 0, at: row).copied + pipeline.response(ofSet: 0, at: row).copied
  }
}

extension Int8 {
  /// dBm; nil for a value that is no reading.
  var asReading: Int8? { self >= -127 && self <= 20 ? self : nil }
}
