// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Manifest
import Registry
import Setup

/// The `migrate` of an item of ShowPicker: what an `ASMigrationDisplayItem` has beyond an `ASPickerDisplayItem`.
enum MigrationFields {
  /// Finds the device that an item names, or says why there is none to migrate; an error has the field.
  typealias Search = (_ source: MigrationSource, _ field: String) throws(SetupError) -> Found
  typealias Found = Result<MigratedDevice, SetupError>

  /// Returns the device that the item migrates, or why the item is left out; nil for an item that looks for devices.
  static func read(
    _ item: JSONObjectReader, after others: [PickerItem], _ search: Search
  ) throws(SetupError) -> Found? {
    guard let object = item.checkedObject("migrate") else { return nil }
    let fields = JSONObjectReader(object, at: item.path(of: "migrate"))
    let network = try network(fields)
    let pairedDevice = try pairedDevice(fields)
    guard let text = fields.checkedString("bluetoothIdentifier") else {
      guard let network else {
        if pairedDevice != nil {
          throw fields.failure(
            "wifiAwarePairedDeviceID",
            "it names no device here: nothing on a gateway pairs by Wi-Fi Aware, which would need "
              + WiFiAwareService.needs,
            cure: "name the device with bluetoothIdentifier or ssid too")
        }
        throw fields.failure(
          "bluetoothIdentifier", "nothing says what to migrate",
          cure:
            "give an identifier that the app had, the address of a device that BlueZ knows, or a network's "
            + "whole name in ssid")
      }
      return try find(.network(network), fields.path(of: "ssid"), after: others, search).map {
        $0.with(network: nil, pairedDevice)
      }
    }
    guard let source = source(text) else {
      throw fields.failure(
        "bluetoothIdentifier", "\(text.quotedForDisplay) is no identifier",
        cure: "write 32 hexadecimal digits: an identifier that the app had, or 20 zeros and an address")
    }
    return try find(source, fields.path(of: "bluetoothIdentifier"), after: others, search).map {
      $0.with(network: network, pairedDevice)
    }
  }

  /// What Wi-Fi Aware calls the device; nil when the item does not say it.
  private static func pairedDevice(
    _ fields: JSONObjectReader
  ) throws(SetupError) -> UInt64? {
    let name = "wifiAwarePairedDeviceID"
    guard let text = fields.checkedString(name) else { return nil }
    guard let id = UInt64(text), id != 0 else {
      throw fields.failure(
        name, "\(text.quotedForDisplay) is no such number", cure: "write a decimal number of 64 bits, not 0")
    }
    return id
  }

  private static func find(
    _ source: MigrationSource, _ field: String, after others: [PickerItem], _ search: Search
  ) throws(SetupError) -> Found {
    let found = try search(source, field)
    guard case .success(let device) = found else { return found }
    guard !others.contains(where: { $0.migration?.bits == device.bits && $0.migration?.ssid == device.ssid })
    else {
      throw SetupError(
        .invalidRequest, field: field, "another item migrates the same device", cure: "give each device once")
    }
    return found
  }

  /// The whole name of a network; nil when the item names none.
  private static func network(_ fields: JSONObjectReader) throws(SetupError) -> [UInt8]? {
    guard fields.checkedString("ssid") != nil else { return nil }
    return try fields.bytes(ofText: "ssid", in: 1...RegistryLimits.ssidBytesMax)
  }

  /// Throws when the item, with the descriptor that it has, is not for what it migrates.
  static func check(
    _ migration: MigratedDevice, of item: PickerItem, _ fields: JSONObjectReader
  ) throws(SetupError) {
    let descriptor = item.item.descriptor
    let field = fields.path(of: "migrate") + ".ssid"
    if let name = migration.ssid ?? migration.network, !descriptor.matches(network: name) {
      throw SetupError(
        .invalidRequest, field: field, "the item does not look for this network",
        cure: "give the name that its descriptor has in ssid, or one that begins with its ssidPrefix")
    }
    if migration.wifiAwarePairedDeviceID != nil, descriptor.wifiAware == nil {
      throw SetupError(
        .invalidRequest, field: fields.path(of: "migrate") + ".wifiAwarePairedDeviceID",
        "the item has no Wi-Fi Aware service",
        cure: "leave it out, or add wifiAwareServiceName to the descriptor")
    }
    switch migration.source {
    case .network:
      guard descriptor.isFoundByNetwork else {
        throw SetupError(
          .invalidRequest, field: field, "the item is found by Bluetooth, and a network names no such device",
          cure: "name the device with bluetoothIdentifier")
      }
    case .identifier, .address:
      guard descriptor.hasBluetoothClause else {
        throw fields.failure(
          "descriptor", "the device is recognised by Bluetooth, and this looks for a network",
          cure: "add a Bluetooth clause, or name the network with ssid alone")
      }
    }
  }

  /// As UUIDs are written: with or without dashes.
  private static func source(_ text: String) -> MigrationSource? {
    guard text.utf8.count <= 36 else { return nil }
    return RandomIdentifier(text: text.filter { $0 != "-" }).map { MigrationSource($0) }
  }
}

extension MigratedDevice {
  fileprivate func with(network: [UInt8]?, _ pairedDevice: UInt64?) -> MigratedDevice {
    var device = self
    (device.network, device.wifiAwarePairedDeviceID) = (network, pairedDevice)
    return device
  }
}
