// SPDX-License-Identifier: GPL-3.0-or-later

@testable import BlueZ
import BusSupport
import DBus
import HCI
import Testing

@Suite("The devices among bluetoothd's objects")
struct KnownDeviceTests {
  /// An adapter and two devices, as the reply to the connection's first call.
  private static func objects(isBigEndian: Bool) -> [UInt8] {
    BusBytes.reply("a{oa{sa{sv}}}", isBigEndian: isBigEndian) { body in
      body.array(8) { objects in
        objects.object("/org/bluez/hci0", "org.bluez.Adapter1") { properties in
          properties.property("Address", "s") { $0.string("00:11:22:33:44:55") }
          properties.property("AddressType", "s") { $0.string("public") }
        }
        objects.object("/org/bluez/hci0/dev_C4_A1_00_00_1E_27", "org.bluez.Device1") { properties in
          properties.property("Address", "s") { $0.string("C4:A1:00:00:1E:27") }
          properties.property("AddressType", "s") { $0.string("random") }
          properties.property("Name", "s") { $0.string("Lumo Küche") }
          properties.property("Paired", "b") { $0.number(1, 4) }
          properties.property("RSSI", "n") { $0.number(0xFFC4, 2) }
          properties.property("UUIDs", "as") { value in
            value.array(4) { $0.string("0000fe0f-0000-1000-8000-00805f9b34fb") }
          }
          properties.property("ManufacturerData", "a{qv}") { value in
            value.array(8) { entries in
              entries.structure { entry in
                entry.number(0x0EEE, 2)
                entry.variant("ay") { bytes in bytes.array(1) { $0.number(0xA5, 1) } }
              }
            }
          }
          properties.property("ServiceData", "a{sv}") { value in value.array(8) { _ in } }
        }
        objects.object("/org/bluez/hci0/dev_00_11_22_33_44_66", "org.bluez.Device1") { properties in
          properties.property("Address", "s") { $0.string("00:11:22:33:44:66") }
          properties.property("AddressType", "s") { $0.string("public") }
        }
      }
    }
  }

  /// The devices in the reply to a call; nil for another message.
  private static func devices(in bytes: [UInt8]) throws -> [KnownDevice]? {
    var bus = BusConnection()
    _ = bus.receive(Array("OK\r\n".utf8)[...])
    let call = BusMessage.call("GetManagedObjects", "i.i", of: "/", at: "org.bluez")
    #expect(bus.call(call, until: .max) == 2)
    guard case .reply(_, let message)? = bus.receive(bytes[...]).first else { return nil }
    return try KnownDevice.devices(in: message)
  }

  @Test("bluetoothd's devices are read from its objects, in both byte orders", arguments: [false, true])
  func devices(isBigEndian: Bool) throws {
    var bulb = KnownDevice(
      DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random), name: "Lumo Küche", isPaired: true)
    bulb.serviceUUIDs = [BluetoothUUID(short: 0xFE0F)]
    bulb.manufacturerData = [0x0EEE: [0xA5]]
    let other = KnownDevice(DeviceAddress(bits: 0x0011_2233_4466, type: .public))
    #expect(try Self.devices(in: Self.objects(isBigEndian: isBigEndian)) == [other, bulb])
  }

  @Test("An error, and objects of another type, are no devices")
  func errors() throws {
    #expect(throws: BusError.refused("org.x.No")) {
      try Self.devices(in: BusBytes.reply("", kind: .error, error: "org.x.No"))
    }
    #expect(throws: BusError.malformed) { try Self.devices(in: BusBytes.reply("s") { $0.string("none") }) }
    #expect(try Self.devices(in: BusBytes.reply("a{oa{sa{sv}}}") { body in body.array(8) { _ in } }) == [])
  }

  @Test("Objects with any flipped bit are read or refused")
  func torn() {
    let message = Self.objects(isBigEndian: false)
    for bit in 0..<8 * message.count {
      var flipped = message
      flipped[bit / 8] ^= 1 << (bit % 8)
      _ = try? Self.devices(in: flipped)
    }
  }
}
