// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import ManifestFormat
import SceneFormat
import TestSupport
import Testing
import VirtualRadio

@Suite("Reading a scene")
struct SceneReaderTests {
  private static let scene = try? SceneReader.read(
    text: Fixtures.bytes(of: Fixtures.folder + "/good/every-key.toml"), fileName: "every-key.toml")

  @Test(
    "A good file gives its scene and no diagnostic", arguments: Fixtures.names(in: "good", ending: ".toml"))
  func good(name: String) throws {
    let text = try Fixtures.bytes(of: Fixtures.folder + "/good/\(name).toml")
    let reading = SceneReader.read(text: text, fileName: name)
    #expect(reading.lines == [] && reading.value != nil)
  }

  @Test("The controller's table is read")
  func controller() throws {
    let script = try #require(Self.scene?.value).controller
    var expected = ControllerScript()
    expected.address = 0xDCA6_3200_0001
    expected.version = 9
    expected.manufacturer = 0x000F
    expected.hasCodedPHY = false
    expected.answerMicroseconds = 1500
    expected.faults = [
      ControllerFault(
        .command(.leSetScanEnable), .late(milliseconds: 700), stage: .after, skips: 2, times: 3),
      ControllerFault(.command(.leSetExtendedScanEnable), .lost),
      ControllerFault(.command(.reset), .refused(.commandDisallowed)),
      ControllerFault(.time(Instant(microseconds: 120_000_000)), .hardwareError(0x42)),
      ControllerFault(.time(Instant(microseconds: 10_000_000)), .silence(milliseconds: 5000)),
      ControllerFault(.time(Instant(microseconds: 20_000_000)), .unplug(milliseconds: nil)),
      ControllerFault(.command(.leSetEventMask), .garbage([0xDE, 0xAD])),
    ]
    #expect(script == expected)
    #expect(Self.scene?.value?.seed == 0xACCE)
    #expect(Self.scene?.value?.periodMicroseconds == 90_000_000)
  }

  @Test("A legacy device's table is read")
  func legacy() throws {
    let service = BluetoothUUID(short: 0xFE0F)
    let turns = [0xA5, 0x5A].map { (byte: UInt8) in
      AdvertisingPayload().flags(6).manufacturerData(0x0EEE, [byte]).serviceData(service, [1])
        .services(service)
    }
    var expected = SceneDevice(
      .staticRandom(0xC4A1_0000_1E27),
      payloads: PayloadScript(cycle: turns, turnMilliseconds: 2500),
      scanResponse: AdvertisingPayload().name("Lumo").shortenedName("Lu").txPowerLevel(-4).appearance(0xC1),
      intervalMilliseconds: 100,
      signal: SignalModel(
        SignalPath([
          SignalPath.Point(seconds: 9, milliseconds: 500, level: -75),
          SignalPath.Point(seconds: 12, level: -38),
        ]), sigmaTenths: 40,
        fades: SignalModel.Fades(startsPerMille: 10, depthTenths: 200, milliseconds: 1000)),
      presence: [
        .seconds(0, 10), Instant(microseconds: 20_000_000)..<Instant(microseconds: .max),
      ])
    expected.name = "legacy"
    expected.jitterMilliseconds = 0
    expected.hasReading = false
    #expect(try #require(Self.scene?.value).devices.first == expected)
  }

  @Test("An extended device's table is read; the scene's signal applies to it")
  func extended() throws {
    var set = AdvertisingSet(id: 3, properties: .connectable)
    set.primaryPHY = .coded
    set.secondaryPHY = .coded
    set.txPower = 8
    set.fragmentByteCount = 160
    let payload = AdvertisingPayload().incompleteServices(BluetoothUUID(short: 0x1234_5678))
      .solicitations(BluetoothUUID(high: 0x7B1F_0001_3A52_4C8E, low: 0x9D60_2F4E_8A6C_1B05))
      .structure(0x2F, [1, 2]).raw([0x1B, 0xFF, 0x59, 0x00])
    let key = Block128(high: 0x8F1C_6E20_B7D3_4A95, low: 0x0D62_E9F4_7135_A8CB)
    let expected = SceneDevice(
      .resolvable(key: key, rotationSeconds: 900), .extended(set), payloads: PayloadScript(payload),
      intervalMilliseconds: 1000,
      signal: SignalModel(
        .steady(-60), sigmaTenths: 22, channelOffsetsTenths: SignalModel.ChannelOffsets(10, -5, -15),
        fades: SignalModel.Fades(startsPerMille: 4, depthTenths: 90, milliseconds: 300), lossPerMille: 50))
    #expect(try #require(Self.scene?.value).devices[1] == expected)
  }

  @Test("The tables of directed, anonymous and scannable devices are read")
  func others() throws {
    let devices = try #require(Self.scene?.value).devices
    #expect(devices[2].advertising == .directed(to: DeviceAddress(bits: 0x5B2C_90D1_44E8, type: .random)))
    #expect(devices[3].address == .anonymous)
    #expect(devices[4].advertising == .extended(AdvertisingSet(id: 0, properties: .scannable)))
    #expect(devices[4].scanResponse == AdvertisingPayload().name("Wide"))
  }

  @Test("A scene from a file is received through its controller")
  func heard() throws {
    var scene = try #require(Self.scene?.value)
    scene.controller.faults = []
    var controller = VirtualController(scene)
    for packet in [
      PacketEncoder.command(0x0C01, Array(repeating: 0xFF, count: 8)), PacketEncoder.command(0x200C, [1, 0]),
    ] {
      controller.receive(packet, at: Instant(microseconds: 0))
    }
    var count = 0
    while controller.next(before: Instant(microseconds: 5_000_000)) != nil { count += 1 }
    #expect(count > 40)
  }
}
