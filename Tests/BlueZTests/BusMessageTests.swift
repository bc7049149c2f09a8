// SPDX-License-Identifier: GPL-3.0-or-later

@testable import BlueZ
import BusSupport
import HCI
import Testing

@Suite("Messages of the system bus")
struct BusMessageTests {
  @Test("A call has the bytes that the specification gives it")
  func call() {
    let call = BusMessage.call("Hello", "org.x", path: "/", to: "org.y", serial: 3)
    let expected: [UInt8] =
      [0x6C, 1, 0, 1, 0, 0, 0, 0]  // little-endian, call, no flags, version 1, no body
      + [3, 0, 0, 0, 62, 0, 0, 0]  // serial, bytes of fields
      + [1, 1, 0x6F, 0, 1, 0, 0, 0] + Array("/".utf8) + [0] + [0, 0, 0, 0, 0, 0]  // path, padded to eight
      + [2, 1, 0x73, 0, 5, 0, 0, 0] + Array("org.x".utf8) + [0] + [0, 0]  // interface
      + [3, 1, 0x73, 0, 5, 0, 0, 0] + Array("Hello".utf8) + [0] + [0, 0]  // member
      + [6, 1, 0x73, 0, 5, 0, 0, 0] + Array("org.y".utf8) + [0] + [0, 0]  // destination, padded at the end
    #expect(call == expected)
  }

  /// The objects of bluetoothd: an adapter and two devices.
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

  @Test("A message of more values than bluetoothd can mean is refused, before they fill the memory")
  func manyValues() throws {
    func reply(_ count: Int) -> [UInt8] {
      BusBytes.reply("ay", isBigEndian: false) { body in
        body.array(1) { bytes in for _ in 0..<count { bytes.number(0, 1) } }
      }
    }
    // The header's own values count too.
    #expect(
      try BusMessage.reply(in: reply(BusReader.valuesMax - 100), to: 2)?.elements.count == BusReader.valuesMax
        - 100)
    #expect(throws: BusError.malformed) { try BusMessage.reply(in: reply(BusReader.valuesMax), to: 2) }
  }

  @Test("bluetoothd's devices are read from its objects, in both byte orders", arguments: [false, true])
  func devices(isBigEndian: Bool) throws {
    let message = Self.objects(isBigEndian: isBigEndian)
    #expect(try BusMessage.byteCount(of: message) == message.count)
    var bulb = KnownDevice(
      DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random), name: "Lumo Küche", isPaired: true)
    bulb.serviceUUIDs = [BluetoothUUID(short: 0xFE0F)]
    bulb.manufacturerData = [0x0EEE: [0xA5]]
    let other = KnownDevice(DeviceAddress(bits: 0x0011_2233_4466, type: .public))
    let reply = try #require(try BusMessage.reply(in: message, to: 2))
    #expect(KnownDevice.devices(in: reply) == [other, bulb])
  }

  @Test("Messages to other calls are passed over, and an error has its name")
  func others() throws {
    #expect(try BusMessage.reply(in: Self.objects(isBigEndian: false), to: 3) == nil)
    #expect(try BusMessage.reply(in: BusBytes.reply("", kind: .signal), to: 2) == nil)
    #expect(try BusMessage.reply(in: BusBytes.reply(""), to: 2) == .structure([]))
    #expect(throws: BusError.refused("org.x.No")) {
      try BusMessage.reply(in: BusBytes.reply("", kind: .error, error: "org.x.No"), to: 2)
    }
  }

  @Test("Every prefix of a message and every flipped bit is read or refused")
  func torn() {
    let message = Self.objects(isBigEndian: false)
    for count in 0..<message.count {
      let prefix = Array(message[..<count])
      if count >= BusMessage.headByteCount {
        #expect(throws: BusError.malformed) { try BusMessage.reply(in: prefix, to: 2) }
      }
    }
    for bit in 0..<8 * message.count {
      var flipped = message
      flipped[bit / 8] ^= 1 << (bit % 8)
      _ = try? BusMessage.byteCount(of: flipped)
      if let reply = try? BusMessage.reply(in: flipped, to: 2) { _ = KnownDevice.devices(in: reply) }
    }
  }

  @Test("What is nested too deeply, or longer than any reply, is refused")
  func bounds() {
    let deep = String(repeating: "a", count: 100) + "y"
    #expect(throws: BusError.malformed) {
      try BusMessage.reply(
        in: BusBytes.reply(deep) { body in for _ in 0..<100 { body.number(4, 4) } }, to: 2)
    }
    var long = BusBytes.reply("")
    long.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(throws: BusError.malformed) { try BusMessage.byteCount(of: long) }
  }
}
