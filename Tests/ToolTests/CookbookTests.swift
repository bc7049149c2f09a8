// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
import Testing
import VirtualRadio

/// The manifest of ten well-known devices in Config/README.md, and a packet of each device as its maker describes it.
@Suite("The cookbook in Config/README.md")
struct CookbookTests {
  private static func manifest() throws -> String {
    let page = try String(contentsOfFile: Package.path("Config/README.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```toml\n")
    return try #require(blocks.dropFirst().first?.components(separatedBy: "```").first)
  }

  private static func hex(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  /// The app that finds the device, the advertising data, and the scan response.
  private static let devices: [(app: String, data: AdvertisingPayload, response: AdvertisingPayload?)] = [
    // The test vector "valid data" of data format 5.
    (
      "ruuvi",
      AdvertisingPayload().flags(6).manufacturerData(
        0x0499, hex("0512fc5394c37c0004fffc040cac364200cdcbb8334c884f")), nil
    ),
    // The example of bthome.io: 25.06 °C, 50.55 %.
    (
      "bthome",
      AdvertisingPayload().flags(6).serviceData(BluetoothUUID(short: 0xFCD2), hex("4002c40903bf13")), nil
    ),
    // Trigger-based, battery 100 %, pressed once.
    (
      "buttons",
      AdvertisingPayload().flags(6).serviceData(BluetoothUUID(short: 0xFCD2), hex("44000901643a01"))
        .name("SBBT-002C"), nil
    ),
    // Frame control, product, counter, address, capability.
    (
      "xiaomi",
      AdvertisingPayload().flags(6).serviceData(
        BluetoothUUID(short: 0xFE95), hex("30585b05bf6b872f38c1a408")), nil
    ),
    // Manufacturer data with the address; type, status, battery, temperature and humidity in the scan response.
    (
      "switchbot", AdvertisingPayload().flags(6).manufacturerData(0x0969, hex("c4a100000005")),
      AdvertisingPayload().serviceData(BluetoothUUID(short: 0xFD3D), hex("54006400990e"))
    ),
    // Proximity UUID, 68 °F as major, a gravity of 1.041 as minor, measured power.
    (
      "brewing",
      AdvertisingPayload().flags(4).manufacturerData(
        0x004C, hex("0215a495bb10c5b14b44b5121370f02d74de00440411c5")), nil
    ),
    // Frame type, power at 0 m, namespace, instance, two reserved bytes.
    (
      "beacons",
      AdvertisingPayload().flags(6).services(BluetoothUUID(short: 0xFEAA)).serviceData(
        BluetoothUUID(short: 0xFEAA), hex("00e7edd1ebeac04e5defa0170000000000010000")), nil
    ),
    (
      "fitness",
      AdvertisingPayload().flags(6).services(BluetoothUUID(short: 0x180D)).name("Polar H10 1A2B3C4D"), nil
    ),
    // Operation code, discriminator 0xF00, test vendor 0xFFF1, product 0x8000, flags.
    (
      "matter",
      AdvertisingPayload().flags(6).serviceData(BluetoothUUID(short: 0xFFF6), hex("00000ff1ff008000")), nil
    ),
    // The serial number, and two bytes more.
    ("air", AdvertisingPayload().flags(6).manufacturerData(0x0334, hex("b970a4ae0900")), nil),
    // Like some of them, but not the same: another namespace, another Meter, another Wave Plus, a commissioned device.
    (
      "", AdvertisingPayload().serviceData(BluetoothUUID(short: 0xFEAA), hex("00e70001020304050607080900")),
      nil
    ),
    ("", AdvertisingPayload().serviceData(BluetoothUUID(short: 0xFD3D), hex("690064031938")), nil),
    ("", AdvertisingPayload().manufacturerData(0x0334, hex("ba70a4ae0900")), nil),
    ("", AdvertisingPayload().serviceData(BluetoothUUID(short: 0xFFF6), hex("01000ff1ff008000")), nil),
  ]

  /// Every device sends at the gateway for two seconds.
  private static let capture: [UInt8] = {
    var packets: [(Int64, [UInt8])] = []
    for step in Int64(0)..<20 {
      for (index, device) in devices.enumerated() {
        let address = DeviceAddress(bits: 0xC4A1_0000_0000 + UInt64(index), type: .random)
        let time = step * 100 + Int64(index)
        let data = AirReport(.scannable, from: address, rssi: -40, device.data)
        packets.append((time, ReportEncoder.event(.legacy, data)))
        guard let payload = device.response else { continue }
        let response = AirReport(.scanResponse, from: address, rssi: -40, payload)
        packets.append((time, ReportEncoder.event(.legacy, response)))
      }
    }
    return Captures.capture(packets)
  }()

  @Test("Its manifest has nothing wrong, but that a board that listens part of the time misses presses")
  func check() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("manifest.toml", Array(try Self.manifest().utf8))
    let run = try Tool.run("check", "--json", file)
    #expect(run.status == 0 && run.lines.count == 1, "\(run.text)\(run.errorOutput)")
    #expect(run.text.contains("app.buttons.item[0]") && run.text.contains("sends only when pressed"))
  }

  @Test("Each item finds the devices that it is for, and no other")
  func replay() throws {
    let folder = try TemporaryFolder()
    let manifest = try folder.file("manifest.toml", Array(try Self.manifest().utf8))
    let run = try Tool.run(
      "replay", try folder.file("room.btsnoop", Self.capture), "--manifest", manifest, "--json")
    #expect(run.status == 0, "\(run.errorOutput)")
    let found = run.lines.compactMap {
      $0.firstMatch(of: /"event":"found","app":"(\w+)".*"address":"C4:A1:00:00:00:(\w\w)"/)
    }
    let expected = Self.devices.enumerated().filter { !$0.element.app.isEmpty }.map {
      "\($0.element.app) \(String(format: "%02X", $0.offset))"
    }
    // The button sends BTHome, too.
    #expect(Set(found.map { "\($0.1) \($0.2)" }) == Set(expected + ["bthome 02"]))
    #expect(found.count == expected.count + 1)
  }
}
