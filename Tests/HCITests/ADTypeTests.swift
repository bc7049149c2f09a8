// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Values of AD structures")
struct ADTypeTests {
  static let long = BluetoothUUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  @Test("Every type is read as what it is")
  func everyType() {
    let reading = PayloadReading(Payloads.everyType.bytes)
    #expect(reading.malformations == [])
    func short(_ alias: UInt32) -> BluetoothUUID { BluetoothUUID(short: alias) }
    let expected: [ReadValue] = [
      .flags(0x06),
      .services([short(0xFE0F), short(0x180A)]),
      .services([short(0x180D)]),
      .services([short(0x1234_5678)]),
      .services([short(1), short(2)]),
      .services([Self.long]),
      .services([short(0xFE0F)]),
      .name(Array("Lum".utf8), isComplete: false),
      .name(Array("Lumo".utf8), isComplete: true),
      .txPowerLevel(-12),
      .solicitations([short(0xFE0F)]),
      .solicitations([Self.long]),
      .serviceData(short(0xFE0F), [1, 2]),
      .appearance(0x0341),
      .solicitations([short(0x1234_5678)]),
      .serviceData(short(0x1234_5678), [3]),
      .serviceData(Self.long, [4]),
      .other(hex("17 2F 2F 61 2E")),
      .manufacturerData(companyIdentifier: 0x0EEE, hex("A5 5A 00 10")),
    ]
    #expect(reading.values == expected)
  }

  @Test("A type that is not read here is carried as it is")
  func others() {
    for type in UInt8.min...UInt8.max where ADType(rawValue: type) == nil {
      #expect(PayloadReading([3, type, 0xAA, 0xBB]).values == [.other([0xAA, 0xBB])])
    }
  }

  @Test("Values without bytes are read where the type allows them")
  func empty() {
    let reading = PayloadReading(Payloads.empty.bytes)
    #expect(reading.malformations == [])
    #expect(
      reading.values == [
        .flags(0), .services([]), .name([], isComplete: true), .serviceData(BluetoothUUID(short: 0xFE0F), []),
        .manufacturerData(companyIdentifier: 0, []), .other([]),
      ])
  }

  @Test("NULs at the end are no part of a name; a name of NULs alone is empty")
  func paddedNames() {
    let reading = PayloadReading(hex("05 09 4C 75 00 00  04 08 00 4C 00  03 09 00 00"))
    #expect(
      reading.values == [
        .name(Array("Lu".utf8), isComplete: true), .name([0, 0x4C], isComplete: false),
        .name([], isComplete: true),
      ])
    #expect(reading.malformations == [])
  }

  @Test("Bytes of the flags after the first are reserved and ignored")
  func longFlags() {
    #expect(PayloadReading(hex("03 01 06 FF")).values == [.flags(6)])
  }

  @Test("A value of a wrong size loses only itself, and is named")
  func wrongSizes() {
    let reading = PayloadReading(Payloads.wrongSizes.bytes)
    #expect(reading.values == [.flags(6)])
    let bad = reading.structures.filter { $0.value == nil }
    #expect(bad.count == reading.structures.count - 1)
    #expect(reading.malformations == bad.map { MalformedStructureError(offset: $0.offset, kind: .wrongSize) })
  }

  @Test("A list that ends inside a UUID keeps the whole ones, and is named")
  func cutLists() {
    let reading = PayloadReading(Payloads.cutLists.bytes)
    let service = BluetoothUUID(short: 0xFE0F)
    #expect(
      reading.values == [
        .services([service]), .services([BluetoothUUID(short: 0x1234_5678)]), .solicitations([service]),
        .flags(6),
      ])
    #expect(
      reading.malformations == [0, 5, 12].map { MalformedStructureError(offset: $0, kind: .wrongSize) })
  }

  @Test("The size each type allows is what its layout says", arguments: 0...40)
  func sizes(byteCount: Int) {
    for type in UInt8.min...UInt8.max {
      let bytes = [UInt8(byteCount + 1), type] + [UInt8](repeating: 0x11, count: byteCount)
      let reading = PayloadReading(bytes)
      let isRead = reading.values.count == 1 && reading.malformations == []
      #expect(isRead == allows(type, byteCount: byteCount), "type \(type), \(byteCount) bytes")
    }
  }

  /// Supplement to the Core Specification, Part A, 1.
  func allows(_ type: UInt8, byteCount: Int) -> Bool {
    switch type {
    case 0x02, 0x03, 0x14: byteCount % 2 == 0
    case 0x04, 0x05, 0x1F: byteCount % 4 == 0
    case 0x06, 0x07, 0x15: byteCount % 16 == 0
    case 0x0A: byteCount == 1
    case 0x19: byteCount == 2
    case 0x16, 0xFF: byteCount >= 2
    case 0x20: byteCount >= 4
    case 0x21: byteCount >= 16
    default: true
    }
  }
}
