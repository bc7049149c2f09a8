// SPDX-License-Identifier: GPL-3.0-or-later

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
