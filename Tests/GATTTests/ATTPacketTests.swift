// SPDX-License-Identifier: GPL-3.0-or-later

import GATT
import TestSupport
import Testing
import VirtualRadio

@Suite struct ATTPacketTests {
  @Test(arguments: PacketFixture.all) func readsAndWritesEachPacket(_ fixture: PacketFixture) throws {
    #expect(try ATTPacket(parsing: fixture.bytes) == fixture.packet)
    #expect(fixture.packet.bytes == fixture.bytes)
  }

  @Test func everyOpcodeHasAFixture() {
    #expect(Set(PacketFixture.all.map(\.packet.opcode)) == Set(ATTOpcode.allCases))
  }

  /// What can be read is written the same way again, so nothing of a damaged packet is lost or made up.
  @Test(arguments: PacketFixture.all) func damagedPacketsAreRefusedOrReadWhole(_ fixture: PacketFixture) {
    withEveryDamage(of: fixture.bytes) { bytes, damage in
      guard let packet = try? ATTPacket(parsing: bytes) else { return }
      #expect(packet.bytes == bytes, "\(damage)")
    }
  }

  @Test func randomBytesAreRefusedOrReadWhole() {
    var generator = SeededGenerator(seed: 14)
    for _ in 0..<20_000 {
      var bytes = (0..<generator.number(below: 32)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      if !bytes.isEmpty { bytes[0] &= 0x1F }
      guard let packet = try? ATTPacket(parsing: bytes) else { continue }
      #expect((try? ATTPacket(parsing: packet.bytes)) == packet)
    }
  }

  @Test(arguments: [
    ("", ATTPacketError.empty),
    ("20 01  // Read Multiple Variable", .unknownOpcode(0x20)),
    ("01 0A 03  // an Error Response that ends inside its handle", .truncated(.errorResponse)),
    ("03 17 00 00", .trailingBytes(.exchangeMTUResponse)),
    ("05 01", .truncated(.findInformationResponse)),
    ("05 03 11 00 02 29  // no such format", .invalidField(.findInformationResponse)),
    ("05 01 00 00 02 29  // handle 0", .invalidField(.findInformationResponse)),
    ("07 18 00 10 00  // a range that ends before it starts", .invalidField(.findByTypeValueResponse)),
    ("07 18 00 10", .truncated(.findByTypeValueResponse)),
    ("09", .truncated(.readByTypeResponse)),
    ("09 00 11 00  // elements of no bytes", .invalidField(.readByTypeResponse)),
    ("09 07 11 00 12 12 00 19  // six bytes of seven", .truncated(.readByTypeResponse)),
    ("11 03 01 00 09  // elements shorter than a range", .invalidField(.readByGroupTypeResponse)),
    ("11 06 00 00 09 00 01 18  // handle 0", .invalidField(.readByGroupTypeResponse)),
    ("08 10 00 18 00 03 28 00  // a UUID of three bytes", .invalidField(.readByTypeRequest)),
    ("18 02", .invalidField(.executeWriteRequest)),
    ("1B 12  // half a handle", .truncated(.notification)),
  ])
  func aMalformedPacketSaysWhatIsWrong(_ text: String, _ error: ATTPacketError) {
    #expect(throws: error) { try ATTPacket(parsing: hex(text)) }
  }
}

@Suite struct AttributeUUIDTests {
  @Test func shortUUIDsEqualTheirLongForm() {
    let long: [UInt8] = [
      0, 0, 0x18, 0x0F, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB,
    ]
    #expect(AttributeUUID(bigEndian: long) == AttributeUUID(0x180F))
    #expect(AttributeUUID(bigEndian: [0x18, 0x0F]) == AttributeUUID(0x180F))
    #expect(AttributeUUID(bigEndian: [0, 0, 0x18, 0x0F]) == AttributeUUID(0x180F))
    #expect(AttributeUUID(littleEndian: long.reversed()) == AttributeUUID(0x180F))
    #expect(AttributeUUID(0x180F).bigEndianBytes == long)
    #expect(AttributeUUID(0x180F).littleEndianBytes == [0x0F, 0x18])
    #expect(AttributeUUID(0x180F).short == 0x180F)
  }

  @Test func longUUIDsHaveNoShortForm() {
    let dice = PacketFixture.dice
    #expect(dice.short == nil)
    #expect(AttributeUUID(littleEndian: dice.littleEndianBytes) == dice)
    #expect(AttributeUUID(bigEndian: [0, 1, 0x18, 0x0F])?.short == nil)
  }

  @Test(arguments: [0, 1, 3, 4, 15, 17]) func otherCountsOfBytesAreNoUUID(_ count: Int) {
    #expect(AttributeUUID(littleEndian: [UInt8](repeating: 1, count: count)) == nil)
  }
}
