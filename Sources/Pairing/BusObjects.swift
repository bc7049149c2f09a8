// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The devices and adapters of bluetoothd, by their paths. A path stays when a device's address becomes its identity,
/// so devices are found by their properties.
///
/// Capacity: ``devicesMax`` devices and 16 adapters; further ones have no place.
struct BusObjects: Equatable, Sendable {
  static let devicesMax = 1024
  static let pairedMax = 2048
  static let adaptersMax = 16

  struct Object: Equatable, Sendable {
    var properties = BusEvent.Properties()
    /// The list in which, or after which, the object was reported last.
    var list: UInt64
  }

  private(set) var devices: [String: Object] = [:]
  private(set) var adapters: [String: Object] = [:]
  private var list: UInt64 = 0

  /// A list was asked for: what is not reported from now on is gone when its reply comes.
  mutating func beginList() { list &+= 1 }

  mutating func endList() {
    devices = devices.filter { $0.value.list == list }
    adapters = adapters.filter { $0.value.list == list }
  }

  /// Returns false if the device has no place.
  mutating func update(device path: String, _ properties: BusEvent.Properties) -> Bool {
    if devices[path] == nil {
      let limit = properties.isPaired == true ? Self.pairedMax : Self.devicesMax
      guard devices.count < limit else { return false }
    }
    devices[path, default: Object(list: list)].update(properties, list)
    return true
  }

  /// Returns false if the adapter has no place.
  mutating func update(adapter path: String, _ properties: BusEvent.Properties) -> Bool {
    guard adapters[path] != nil || adapters.count < Self.adaptersMax else { return false }
    adapters[path, default: Object(list: list)].update(properties, list)
    return true
  }

  mutating func remove(_ path: String) {
    devices[path] = nil
    adapters[path] = nil
  }

  /// Returns the path of the adapter with this public address. While the address is not known, it is the adapter that
  /// bluetoothd names after its index.
  func adapter(address: UInt64, index: UInt16) -> String? {
    adapters.first {
      address == 0 ? $0.key.hasSuffix("/hci\(index)") : $0.value.properties.addressBits == address
    }?.key
  }

  /// Returns the path of an adapter's device that fulfils a condition; a paired one before others.
  func device(of adapter: String, where isWanted: (DeviceAddress) -> Bool) -> String? {
    let found = devices.filter {
      $0.value.properties.adapter == adapter && $0.value.properties.address.map(isWanted) ?? false
    }
    let paired = found.filter { $0.value.properties.isPaired == true }
    return (paired.isEmpty ? found : paired).keys.min()
  }

  func isPaired(_ path: String) -> Bool { devices[path]?.properties.isPaired == true }
  func address(of path: String) -> DeviceAddress? { devices[path]?.properties.address }
}

extension BusObjects.Object {
  fileprivate mutating func update(_ new: BusEvent.Properties, _ list: UInt64) {
    self.list = list
    properties.addressBits = new.addressBits ?? properties.addressBits
    properties.addressType = new.addressType ?? properties.addressType
    properties.adapter = new.adapter ?? properties.adapter
    properties.isPaired = new.isPaired ?? properties.isPaired
  }
}

extension BusEvent.Properties {
  var address: DeviceAddress? {
    guard let addressBits, let addressType else { return nil }
    return DeviceAddress(bits: addressBits, type: addressType)
  }
}
