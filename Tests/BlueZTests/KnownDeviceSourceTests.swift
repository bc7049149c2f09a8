// SPDX-License-Identifier: GPL-3.0-or-later

@testable import BlueZ
import BusSupport
import DBus
import Foundation
import HCI
import LinuxSystem
import Testing

@Suite("The devices that BlueZ knows")
struct KnownDeviceSourceTests {
  private static let info = """
    [General]
    Name=Lumo Küche
    AddressType=static
    SupportedTechnologies=LE;
    Trusted=false
    Services=0000180a-0000-1000-8000-00805f9b34fb;0000fe0f-0000-1000-8000-00805f9b34fb;

    [LongTermKey]
    Key=00112233445566778899AABBCCDDEEFF
    """

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bluez-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  private func store(_ info: String, _ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try info.write(toFile: path + "/info", atomically: true, encoding: .utf8)
  }

  @Test("bluetoothd's folder has its devices with address type, name, services and keys")
  func folder() throws {
    try withFolder { folder in
      let adapter = folder + "/00:11:22:33:44:55"
      try store(Self.info, adapter + "/C4:A1:00:00:1E:27")
      try store("[General]\nAddressType=public\n[Foo]\nName=no\n", adapter + "/00:11:22:33:44:66")
      // A classic device, a name that bluetoothd has seen, and files that are no devices.
      try store("[General]\nName=Phone\nSupportedTechnologies=BR/EDR;\n", adapter + "/00:11:22:33:44:77")
      try store(Self.info, adapter + "/cache")
      try store(Self.info, folder + "/lost+found/C4:A1:00:00:1E:28")
      var bulb = KnownDevice(
        DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random), name: "Lumo Küche", isPaired: true)
      bulb.serviceUUIDs = [BluetoothUUID(short: 0x180A), BluetoothUUID(short: 0xFE0F)]
      let other = KnownDevice(DeviceAddress(bits: 0x0011_2233_4466, type: .public))
      #expect(try KnownDeviceSource(bus: nil, folder: folder).read() == [other, bulb])
      // Without a bus the folder is read all the same.
      #expect(try KnownDeviceSource(bus: [folder + "/none"], folder: folder).read() == [other, bulb])
    }
  }

  @Test("Without a bus and without the folder, the error gives both reasons")
  func neither() throws {
    try withFolder { folder in
      let error = try #require(throws: KnownDeviceError.self) {
        try KnownDeviceSource(bus: [folder + "/bus"], folder: "/none").read()
      }
      #expect(
        error.reason
          == "there is no system bus, and bluetoothd's folder \"/none\" cannot be read: No such file or directory"
      )
      let alone = try #require(throws: KnownDeviceError.self) {
        try KnownDeviceSource(bus: nil, folder: "/n\n").read()
      }
      #expect(alone.reason == #""/n\u{A}" cannot be read: No such file or directory"#)
    }
  }

  @Test("On a real bus without bluetoothd, the account is accepted and the error says what is missing")
  func realBus() throws {
    let bus = try TestBus()
    let error = try #require(throws: KnownDeviceError.self) {
      try KnownDeviceSource(bus: [bus.folder + "/other", bus.path], folder: bus.folder + "/none").read()
    }
    #expect(error.bus == .bus(.refused("org.freedesktop.DBus.Error.ServiceUnknown")))
    #expect(error.reason.hasPrefix("bluetoothd is not running, and bluetoothd's folder"))
  }
}
