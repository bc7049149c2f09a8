// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
import Manifest

/// The devices that bluetoothd has stored: a folder for each adapter, in it one for each device, with a file `info`. Only
/// root may read them.
enum StoredDevices {
  /// What bluetoothd writes for a device.
  private static let infoByteCountMax = 1 << 16

  /// Returns the devices in a folder such as `/var/lib/bluetooth`, by their addresses. A device that cannot be read, or
  /// that has no Low Energy, is left out.
  static func devices(in folder: String) throws(SystemError) -> [KnownDevice] {
    var devices: [KnownDevice] = []
    for adapter in try FolderContents.names(in: folder) where AddressText.bits(adapter) != nil {
      for name in try FolderContents.names(in: "\(folder)/\(adapter)") {
        guard let address = AddressText.bits(name),
          let info = try? FileContents(
            ofFile: "\(folder)/\(adapter)/\(name)/info", byteCountMax: infoByteCountMax),
          let device = device(address, String(decoding: info.bytes, as: UTF8.self)),
          !devices.contains(device)
        else { continue }
        devices.append(device)
      }
    }
    return KnownDevice.inOrder(devices)
  }

  /// Reads a file of keys and values in groups (GLib's key file).
  static func device(_ address: UInt64, _ info: String) -> KnownDevice? {
    var group = ""
    var values: [String: String] = [:]
    var groups: Set<String> = []
    for line in info.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("["), let end = line.lastIndex(of: "]") {
        group = String(line[line.index(after: line.startIndex)..<end])
        groups.insert(group)
      } else if group == "General", let equals = line.firstIndex(of: "=") {
        values[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
    }
    // A classic device has no address type.
    let types: [String: AddressType] = ["public": .public, "static": .random]
    guard let type = types[values["AddressType"] ?? ""] else { return nil }
    var device = KnownDevice(DeviceAddress(bits: address, type: type), name: values["Name"])
    device.isPaired = !groups.isDisjoint(with: keyGroups)
    device.serviceUUIDs = (values["Services"] ?? "").split(separator: ";").compactMap {
      IdentifierText.serviceUUID(String($0))
    }
    return device
  }

  private static let keyGroups = [
    "LongTermKey", "PeripheralLongTermKey", "SlaveLongTermKey", "IdentityResolvingKey", "LinkKey",
  ]
}
