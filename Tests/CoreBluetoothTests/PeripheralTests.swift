// SPDX-License-Identifier: GPL-3.0-or-later

import AccessorySetupKit
import CoreBluetooth
import Foundation
import GATTSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct PeripheralTests {
  @Test func aRollIsANotificationAndASettingIsWritten() async throws {
    let app = try await CentralHarness.connected()
    let roll = try app.characteristic(CentralHarness.roll)
    #expect(roll.properties == [.read, .notify])
    app.peripheral?.setNotifyValue(true, for: roll)
    await app.expect("notifying true")
    try app.peer.report([6], of: \.rollHandle)
    await app.expect("value \(CentralHarness.roll) 06")
    app.peripheral?.writeValue(Data([20]), for: try app.characteristic("FF01"), type: .withResponse)
    await app.expect("wrote FF01")
    let server = try app.peer.server
    #expect(server.model.value(server.settingHandle) == [20])
    app.peripheral?.setNotifyValue(false, for: roll)
    await app.expect("notifying false")
    #expect(try !app.peer.report([1], of: \.rollHandle))
    let connected = app.manager?.retrieveConnectedPeripherals(withServices: [CentralHarness.service])
    #expect(connected == [try #require(app.peripheral)])
  }

  @Test func indicationsAreUsedWhereThereAreNoNotifications() async throws {
    let app = try await CentralHarness.connected()
    app.peripheral?.setNotifyValue(true, for: try app.characteristic("FF04"))
    await app.expect("notifying true")
    try app.peer.report([1], of: \.pressHandle)
    await app.expect("value FF04 01")
    while try !app.peer.received.contains([0x1E]) { await Task.yield() }
    app.peripheral?.setNotifyValue(true, for: try app.characteristic("FF01"))
    await app.expect("notifying false CBATTErrorDomain 6")
  }

  @Test(arguments: [23, 185, 517]) func longValuesAreWrittenAndRead(mtu: Int) async throws {
    let app = try await CentralHarness { $0.model.mtuMax = mtu }
    try await app.connectAndDiscover()
    let text = try app.characteristic("FF02")
    #expect(app.peripheral?.maximumWriteValueLength(for: .withResponse) == 512)
    #expect(app.peripheral?.maximumWriteValueLength(for: .withoutResponse) == min(mtu - 3, 512))
    app.peripheral?.writeValue(Data((0..<512).map { UInt8($0 & 0xFF) }), for: text, type: .withResponse)
    app.peripheral?.readValue(for: text)
    await app.expect("wrote FF02")
    _ = await app.recorder.next()
    #expect(text.value == Data((0..<512).map { UInt8($0 & 0xFF) }))
    app.peripheral?.writeValue(Data(count: 513), for: text, type: .withResponse)
    await app.expect("wrote FF02 CBATTErrorDomain 13")
  }

  @Test func aProtectedValueNamesTheMissingEncryption() async throws {
    let app = try await CentralHarness.connected()
    let secret = try app.characteristic("FF03")
    app.peripheral?.readValue(for: secret)
    await app.expect("value FF03 nil CBATTErrorDomain 15")
    try app.peer.setEncrypted()
    app.peripheral?.readValue(for: secret)
    await app.expect("value FF03 2a")
  }

  @Test func descriptorsAreDiscoveredReadAndWritten() async throws {
    let app = try await CentralHarness.connected()
    let roll = try app.characteristic(CentralHarness.roll)
    app.peripheral?.discoverDescriptors(for: roll)
    await app.expect("descriptors [\"2902\", \"2901\"]")
    let descriptors = try #require(roll.descriptors)
    app.peripheral?.readValue(for: descriptors[0])
    app.peripheral?.readValue(for: descriptors[1])
    await app.expect("descriptor 2902 0", "descriptor 2901 Last roll")
    app.peripheral?.writeValue(Data("Latest".utf8), for: descriptors[1])
    await app.expect("wrote descriptor 2901")
    app.peripheral?.writeValue(Data([1, 0]), for: descriptors[0])
    await app.expect("wrote descriptor 2902 CBErrorDomain 1")
    #expect(descriptors[0].characteristic === roll)
    #expect(roll.service?.peripheral === app.peripheral)
  }

  @Test func discoveriesAddToWhatIsKnown() async throws {
    let app = try await CentralHarness()
    app.manager?.connect(try #require(app.peripheral))
    await app.expect("connected connected")
    app.peripheral?.discoverServices([CentralHarness.service])
    await app.expect("services [\"\(CentralHarness.service)\"]")
    let service = try app.service
    app.peripheral?.discoverCharacteristics([CBUUID(string: "FF02")], for: service)
    await app.expect("characteristics [\"FF02\"]")
    let text = try app.characteristic("FF02")
    app.peripheral?.discoverCharacteristics([CBUUID(string: "FF01")], for: service)
    await app.expect("characteristics [\"FF01\", \"FF02\"]")
    #expect(try app.characteristic("FF02") === text)
    app.peripheral?.discoverIncludedServices(nil, for: service)
    await app.expect("included [\"180F\"]")
    app.peripheral?.discoverServices(nil)
    await app.expect("services [\"1801\", \"180F\", \"\(CentralHarness.service)\"]")
    #expect(try app.service === service)
    app.peripheral?.discoverServices([CBUUID(data: Data([1, 2, 3]))])
    await app.expect("services [\"1801\", \"180F\", \"\(CentralHarness.service)\"] CBErrorDomain 1")
  }

  @Test func changedServicesAreNoLongerValid() async throws {
    let app = try await CentralHarness.connected()
    let roll = try app.characteristic(CentralHarness.roll)
    let start = try app.peer.server.diceHandle
    try app.peer.report([UInt8(start), 0, 0xFF, 0xFF], of: \.changedHandle)
    await app.expect("modified [\"\(CentralHarness.service)\"]")
    #expect(app.peripheral?.services?.map(\.uuid.uuidString) == ["1801", "180F"])
    app.peripheral?.readValue(for: roll)
    await app.expect("value \(CentralHarness.roll) nil CBErrorDomain 2")
  }

  @Test func aThousandNotificationsArriveInOrder() async throws {
    let app = try await CentralHarness.connected()
    app.peripheral?.setNotifyValue(true, for: try app.characteristic(CentralHarness.roll))
    await app.expect("notifying true")
    for number in 0..<1_000 {
      try app.peer.report([UInt8(number & 0xFF), UInt8(number >> 8)], of: \.rollHandle)
    }
    for number in 0..<1_000 {
      let text = [number & 0xFF, number >> 8].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      await app.expect("value \(CentralHarness.roll) \(text)")
    }
  }

  @Test func writesWithoutResponseStopWhenTheLinkIsFullAndGoOn() async throws {
    let app = try await CentralHarness.connected()
    let setting = try app.characteristic("FF01")
    let peripheral = try #require(app.peripheral)
    let peer = try app.peer
    peer.reading.wait()
    var sent = 0
    while peripheral.canSendWriteWithoutResponse {
      peripheral.writeValue(
        Data([UInt8(sent & 0xFF), UInt8(sent >> 8)]), for: setting, type: .withoutResponse)
      sent += 1
    }
    // The one that does not fit is reported.
    peripheral.writeValue(Data([0]), for: setting, type: .withoutResponse)
    await app.expect("wrote FF01 CBErrorDomain 4")
    peer.reading.signal()
    await app.expect("ready")
    peripheral.writeValue(Data(count: 513), for: setting, type: .withoutResponse)
    await app.expect("wrote FF01 CBATTErrorDomain 13")
    #expect(peripheral.canSendWriteWithoutResponse)
    peripheral.readValue(for: setting)
    let last = [UInt8((sent - 1) & 0xFF), UInt8((sent - 1) >> 8)]
    _ = await app.recorder.next()
    #expect(setting.value == Data(last))
    #expect(peer.received.filter { $0.first == 0x52 }.count == sent)
  }

  @Test func theSignalStrengthComesFromTheGateway() async throws {
    let app = try await CentralHarness()
    app.peripheral?.readRSSI()
    await app.expect("rssi 127 CBErrorDomain 3")
    app.manager?.connect(try #require(app.peripheral))
    await app.expect("connected connected")
    app.peripheral?.readRSSI()
    await app.expect("rssi -61")
  }

  /// Packets that no peripheral should send, while an app works.
  @Test func aPeripheralThatSendsNonsenseIsHarmless() async throws {
    let app = try await CentralHarness.connected()
    let setting = try app.characteristic("FF01")
    for opcode in 0...UInt8.max {
      for length in [1, 2, 3, 5, 700] where opcode != 0x0B && opcode != 0x01 {
        try app.peer.send([opcode] + [UInt8](repeating: opcode, count: length - 1))
      }
    }
    app.peripheral?.readValue(for: setting)
    await app.expect("value FF01 06")
  }
}

@Suite(.timeLimit(.minutes(30))) struct ScanTests {
  private func advertisement(
    _ identifier: UUID, services: [String], name: String = "Dice", rssi: Int = -50
  ) -> SourceEvent {
    .advertisement(
      SourceAdvertisement(
        identifier: identifier, services: services.map { CBUUID(string: $0) }, rssi: rssi,
        data: { [CBAdvertisementDataLocalNameKey: name] }))
  }

  @Test func eachAccessoryIsReportedOnceInAScan() async throws {
    let app = try await CentralHarness()
    app.manager?.scanForPeripherals(withServices: nil)
    #expect(app.manager?.isScanning == true)
    #expect(app.source.scanMode == .changes)
    app.source.send(advertisement(CentralHarness.identifier, services: []))
    app.source.send(advertisement(CentralHarness.identifier, services: []))
    app.source.send(advertisement(UUID(), services: []))
    await app.expect("discovered Dice as Dice at -50")
    app.manager?.scanForPeripherals(withServices: nil)
    _ = app.manager?.isScanning
    app.source.send(advertisement(CentralHarness.identifier, services: [], rssi: -40))
    await app.expect("discovered Dice as Dice at -40")
    app.manager?.stopScan()
    #expect(app.manager?.isScanning == false)
    #expect(app.source.scanMode == .off)
  }

  @Test func servicesAndDuplicatesAreAsTheAppWantsThem() async throws {
    let app = try await CentralHarness()
    app.manager?.scanForPeripherals(
      withServices: [CBUUID(string: "180F")],
      options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
    #expect(app.manager?.isScanning == true)
    #expect(app.source.scanMode == .readings)
    app.source.send(advertisement(CentralHarness.identifier, services: ["180A"], name: "other"))
    app.source.send(advertisement(CentralHarness.identifier, services: ["180A", "180F"], name: "first"))
    app.source.send(
      advertisement(
        CentralHarness.identifier, services: ["0000180F-0000-1000-8000-00805F9B34FB"], name: "second"))
    await app.expect("discovered Dice as first at -50", "discovered Dice as second at -50")
  }
}
