// SPDX-License-Identifier: GPL-3.0-or-later

import GATT
import TestSupport
import Testing

/// Whole exchanges, packet by packet, as Core Specification 5.4, Volume 3, Part G, 4 describes them.
@Suite struct ExchangeTests {
  @Test func theStartExchangesTheMTUAndSubscribesToServiceChanged() {
    var link = LinkHarness()
    link.step(.start)
    link.expectSent("02 05 02", reply: "03 F7 00  // 247")
    link.expectActions([.ready])
    #expect(link.client.mtu == 247)
    link.expectSent("06 01 00 FF FF 00 28 01 18", reply: "07 01 00 04 00  // Generic Attribute: 1 to 4")
    link.expectSent("06 05 00 FF FF 00 28 01 18", reply: "01 06 05 00 0A")
    link.expectSent("08 01 00 04 00 03 28")
    link.receive("09 07 02 00 20 03 00 05 2A  // Service Changed: indicate, value 3")
    link.expectSent("08 03 00 04 00 03 28", reply: "01 08 03 00 0A")
    link.expectSent("04 04 00 04 00", reply: "05 01 04 00 02 29")
    link.expectSent("12 04 00 02 00  // indications", reply: "13")
    link.expectSentNothing()

    link.receive("1D 03 00 10 00 18 00  // Service Changed: 0x10 to 0x18")
    link.expectSent("1E")
    link.expectActions([.servicesChanged(HandleRange(0x10, 0x18) ?? .all)])
  }

  @Test func servicesAreDiscoveredInGroupsOfOneLength() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.discoverServices(uuids: nil))
    link.expectSent("10 01 00 FF FF 00 28", reply: "11 06 01 00 05 00 00 18 06 00 09 00 01 18")
    link.expectSent("10 0A 00 FF FF 00 28")
    link.receive("11 14 10 00 FF FF BC 9A 78 56 34 12 34 12 34 12 34 12 78 56 34 12")
    // The last service ends with the last handle, so there is nothing left to ask for.
    link.expectSentNothing()
    let services = [
      GATTService(range: HandleRange(1, 5) ?? .all, uuid: AttributeUUID(0x1800)),
      GATTService(range: HandleRange(6, 9) ?? .all, uuid: .genericAttribute),
      GATTService(range: HandleRange(0x10, 0xFFFF) ?? .all, uuid: PacketFixture.dice),
    ]
    link.expectActions([.complete(id, .success(.services(services)))])
  }

  @Test func aSearchAsksForEachUUIDOnce() {
    var link = LinkHarness.started()
    let battery = AttributeUUID(0x180F)
    let id = link.beginOperation(.discoverServices(uuids: [battery, battery, PacketFixture.dice]))
    link.expectSent("06 01 00 FF FF 00 28 0F 18", reply: "07 40 00 48 00")
    link.expectSent("06 49 00 FF FF 00 28 0F 18", reply: "01 06 49 00 0A")
    link.expectSent("06 01 00 FF FF 00 28 BC 9A 78 56 34 12 34 12 34 12 34 12 78 56 34 12")
    link.receive("07 20 00 28 00")
    link.expectSent("06 29 00 FF FF 00 28 BC 9A 78 56 34 12 34 12 34 12 34 12 78 56 34 12")
    link.receive("01 06 29 00 0A")
    let services = [
      GATTService(range: HandleRange(0x20, 0x28) ?? .all, uuid: PacketFixture.dice),
      GATTService(range: HandleRange(0x40, 0x48) ?? .all, uuid: battery),
    ]
    link.expectActions([.complete(id, .success(.services(services)))])
  }

  @Test func theLongUUIDOfAnIncludedServiceIsRead() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.discoverIncludedServices(HandleRange(0x10, 0x18) ?? .all))
    link.expectSent("08 10 00 18 00 02 28", reply: "09 06 11 00 20 00 28 00")
    link.expectSent("0A 20 00", reply: "0B BC 9A 78 56 34 12 34 12 34 12 34 12 78 56 34 12")
    link.expectSent("08 12 00 18 00 02 28", reply: "09 08 12 00 30 00 38 00 0F 18")
    link.expectSent("08 13 00 18 00 02 28", reply: "01 08 13 00 0A")
    let services = [
      GATTService(range: HandleRange(0x20, 0x28) ?? .all, uuid: PacketFixture.dice),
      GATTService(range: HandleRange(0x30, 0x38) ?? .all, uuid: AttributeUUID(0x180F)),
    ]
    link.expectActions([.complete(id, .success(.services(services)))])
  }

  @Test func aCharacteristicEndsBeforeTheNextOne() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.discoverCharacteristics(HandleRange(0x10, 0x18) ?? .all))
    link.expectSent("08 10 00 18 00 03 28", reply: "09 07 11 00 12 12 00 19 2A 14 00 08 15 00 01 FF")
    link.expectSent("08 15 00 18 00 03 28", reply: "01 08 15 00 0A")
    let characteristics = [
      GATTCharacteristic(
        declarationHandle: 0x11, valueHandle: 0x12, endHandle: 0x13, properties: 0x12,
        uuid: AttributeUUID(0x2A19)),
      GATTCharacteristic(
        declarationHandle: 0x14, valueHandle: 0x15, endHandle: 0x18, properties: 0x08,
        uuid: AttributeUUID(0xFF01)),
    ]
    link.expectActions([.complete(id, .success(.characteristics(characteristics)))])
  }

  @Test func descriptorsOfBothLengthsAreDiscovered() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.discoverDescriptors(Self.level))
    link.expectSent("04 13 00 15 00", reply: "05 01 13 00 02 29 14 00 01 29")
    link.expectSent("04 15 00 15 00", reply: "05 02 15 00 BC 9A 78 56 34 12 34 12 34 12 34 12 78 56 34 12")
    let descriptors = [
      AttributeType(handle: 0x13, uuid: .clientConfiguration),
      AttributeType(handle: 0x14, uuid: AttributeUUID(0x2901)),
      AttributeType(handle: 0x15, uuid: PacketFixture.dice),
    ]
    link.expectActions([.complete(id, .success(.descriptors(descriptors)))])
  }

  @Test func aCharacteristicWithoutDescriptorsIsNotAskedFor() {
    var link = LinkHarness.started()
    let bare = GATTCharacteristic(
      declarationHandle: 1, valueHandle: 2, endHandle: 2, properties: 0x12, uuid: AttributeUUID(0x2A19))
    let first = link.beginOperation(.discoverDescriptors(bare))
    let second = link.beginOperation(.subscribe(bare, .notifications))
    link.expectSentNothing()
    link.expectActions([
      .complete(first, .success(.descriptors([]))), .complete(second, .failure(.noClientConfiguration)),
    ])
  }

  @Test func aSubscriptionFindsAndWritesTheConfiguration() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.subscribe(Self.level, .notifications))
    link.expectSent("04 13 00 15 00", reply: "05 01 13 00 01 29")
    link.expectSent("04 14 00 15 00", reply: "05 01 14 00 02 29")
    link.expectSent("12 14 00 01 00")
    // The first notification may come before the response.
    link.receive("1B 12 00 05")
    link.receive("13")
    link.expectActions([.receive(0x12, [5]), .complete(id, .success(.done))])
  }

  @Test func aLongValueIsReadInParts() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.read(0x12))
    let value = (0..<50).map { UInt8($0) }
    link.expectSent("0A 12 00")
    link.step(.received([0x0B] + value[..<22]))
    link.expectSent("0C 12 00 16 00")
    link.step(.received([0x0D] + value[22..<44]))
    link.expectSent("0C 12 00 2C 00")
    link.step(.received([0x0D] + value[44...]))
    link.expectActions([.complete(id, .success(.value(value)))])
  }

  /// A server may reply with an empty part, or with either of two errors.
  @Test(arguments: ["0D", "01 0C 12 00 0B", "01 0C 12 00 07"])
  func aValueThatFillsItsPacketHasNoRest(_ reply: String) {
    var link = LinkHarness.started()
    let id = link.beginOperation(.read(0x12))
    let value = [UInt8](repeating: 7, count: 22)
    link.expectSent("0A 12 00")
    link.step(.received([0x0B] + value))
    link.expectSent("0C 12 00 16 00", reply: reply)
    link.expectActions([.complete(id, .success(.value(value)))])
  }

  @Test func aLongValueIsWrittenInParts() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.write(0x12, (0..<21).map { UInt8($0) }))
    link.expectSent("16 12 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11")
    link.receive("17 12 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11")
    link.expectSent("16 12 00 12 00 12 13 14", reply: "17 12 00 12 00 12 13 14")
    link.expectSent("18 01", reply: "19")
    link.expectActions([.complete(id, .success(.done))])
  }

  @Test func aPartThatComesBackAlteredDiscardsTheWrite() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.write(0x12, [UInt8](repeating: 1, count: 21)))
    link.expectSent("16 12 00 00 00 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01")
    link.receive("17 12 00 00 00 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 02")
    link.expectSent("18 00")
    link.expectActions([])
    link.receive("19")
    link.expectActions([.complete(id, .failure(.valueWasAltered(handle: 0x12)))])
  }

  /// Parts that stay with the server would be written by the next long write.
  @Test(arguments: [
    ("01 16 12 00 09", GATTError.refused(.prepareQueueFull, handle: 0x12)),
    ("17 12", .malformedResponse(.truncated(.prepareWriteResponse))),
  ])
  func aPartThatFailsDiscardsThoseBefore(_ reply: String, _ error: GATTError) {
    var link = LinkHarness.started()
    let id = link.beginOperation(.write(0x12, [UInt8](repeating: 1, count: 21)))
    let part = String(repeating: "01 ", count: 18)
    link.expectSent("16 12 00 00 00 " + part, reply: "17 12 00 00 00 " + part)
    link.expectSent("16 12 00 12 00 01 01 01", reply: reply)
    link.expectSent("18 00", reply: "19")
    link.expectActions([.complete(id, .failure(error))])
  }

  private static let level = GATTCharacteristic(
    declarationHandle: 0x11, valueHandle: 0x12, endHandle: 0x15, properties: 0x12, uuid: AttributeUUID(0x2A19)
  )
}
