// SPDX-License-Identifier: GPL-3.0-or-later

package import HCI
import LinuxSystem
import Manifest

/// The devices that bluetoothd has stored: a folder for each adapter, in it one for each device, with a file `info`. Only
/// root may read them.
enum StoredDevices {
  /// Returns the devices in a folder such as `/var/lib/bluetooth`, by their addresses. A device that cannot be read, or
  /// that has no Low Energy, is left out.
  static func devices(in folder: String) throws(SystemError) -> [KnownDevice] {
    var devices: [KnownDevice] = []
    for adapter in try FolderContents.names(in: folder) where AddressText.bits(adapter) != nil {
      for name in try FolderContents.names(in: "\(folder)/\(adapter)") {
        guard let address = AddressText.bits(name),
          let info = try? FileContents(
            ofFile: "\(folder)/\(adapter)/\(name)/info", byteCountMax: InfoFile.byteCountMax),
          let device = device(address, String(decoding: info.bytes, as: UTF8.self)),
          !devices.contains(device)
        else { continue }
        devices.append(device)
      }
    }
    return KnownDevice.inOrder(devices)
  }

  /// Reads a device's file; nil for a device without Low Energy.
  static func device(_ address: UInt64, _ text: String) -> KnownDevice? {
    let info = InfoFile(text)
    guard let type = info.addressType else { return nil }
    let values = info.groups["General"] ?? [:]
    var device = KnownDevice(DeviceAddress(bits: address, type: type), name: values["Name"])
    device.isPaired = keyGroups.contains { info.groups[$0] != nil }
    device.serviceUUIDs = (values["Services"] ?? "").split(separator: ";").compactMap {
      IdentifierText.serviceUUID(String($0))
    }
    return device
  }

  private static let keyGroups = [
    "LongTermKey", "PeripheralLongTermKey", "SlaveLongTermKey", "IdentityResolvingKey", "LinkKey",
  ]
}

/// A file `info` of a device in bluetoothd's folder: keys and values in groups (GLib's key file).
///
/// Lines that are neither a group nor a value are passed over. Of two values with the same name the later one holds.
package struct InfoFile {
  /// What bluetoothd writes for a device is far below.
  package static let byteCountMax = 1 << 16

  package private(set) var groups: [String: [String: String]] = [:]

  package init(_ text: String) {
    var group: String?
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("["), let end = line.lastIndex(of: "]") {
        let name = String(line[line.index(after: line.startIndex)..<end])
        group = name
        groups[name, default: [:]] = groups[name] ?? [:]
      } else if let group, let equals = line.firstIndex(of: "=") {
        groups[group]?[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
    }
  }

  package func value(_ name: String, of group: String) -> String? { groups[group]?[name] }

  /// nil for a classic device, which has none.
  package var addressType: AddressType? {
    switch value("AddressType", of: "General") {
    case "public": .public
    case "static": .random
    default: nil
    }
  }
}
