// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import Manifest
import Registry
import Setup

/// The `migrate` of an item of ShowPicker: what an `ASMigrationDisplayItem` has beyond an `ASPickerDisplayItem`.
enum MigrationFields {
  /// Finds the device that an item names; throws an error with the field.
  typealias Search = (_ source: MigrationSource, _ field: String) throws(SetupError) -> MigratedDevice

  /// Returns the device that the item migrates; nil for an item that looks for devices.
  static func read(
    _ item: JSONObjectReader, after others: [PickerItem], _ search: Search
  ) throws(SetupError) -> MigratedDevice? {
    guard let object = item.checkedObject("migrate") else { return nil }
    let fields = JSONObjectReader(object, at: item.path(of: "migrate"))
    if fields.checkedString("ssid") != nil {
      throw fields.failure(
        "ssid", "this gateway does not migrate networks yet",
        cure: "leave ssid out; name the device with bluetoothIdentifier")
    }
    guard let text = fields.checkedString("bluetoothIdentifier") else {
      throw fields.failure(
        "bluetoothIdentifier", "nothing says what to migrate",
        cure: "give an identifier that the app had, or the address of a device that BlueZ knows")
    }
    guard let source = source(text) else {
      throw fields.failure(
        "bluetoothIdentifier", "\(text.quotedForDisplay) is no identifier",
        cure: "write 32 hexadecimal digits: an identifier that the app had, or 20 zeros and an address")
    }
    let field = fields.path(of: "bluetoothIdentifier")
    let device = try search(source, field)
    guard !others.contains(where: { $0.migration?.address == device.address }) else {
      throw SetupError(
        .invalidRequest, field: field, "another item migrates the same device", cure: "give each device once")
    }
    return device
  }

  /// Whether one of the items names a device by its address, for which BlueZ has to be asked.
  static func namesAddress(_ items: JSONValue) -> Bool {
    guard case .array(let elements) = items else { return false }
    return elements.contains { element in
      guard case .object(let item) = element, case .object(let migrate)? = item["migrate"],
        case .string(let text)? = migrate["bluetoothIdentifier"], case .address? = source(text)
      else { return false }
      return true
    }
  }

  /// As UUIDs are written: with or without dashes.
  private static func source(_ text: String) -> MigrationSource? {
    guard text.utf8.count <= 36 else { return nil }
    return RandomIdentifier(text: text.filter { $0 != "-" }).map { MigrationSource($0) }
  }
}
