// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Commands")
struct CommandPacketTests {
  private static let passive = ScanParameters(.passive, interval: 0x0060, window: 0x0030)
  private static let active = ScanParameters(.active, interval: 0x4000, window: 0x4000)

  /// A command and the bytes it has.
  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let packet: CommandPacket
    let bytes: [UInt8]

    init(_ name: String, _ packet: CommandPacket, _ bytes: String) {
      description = name
      self.packet = packet
      self.bytes = hex(bytes)
    }
  }

  static let cases = [
    Case("reset", .reset, "01 030C 00"),
    Case("version", .readLocalVersion, "01 0110 00"),
    Case("commands", .readSupportedCommands, "01 0210 00"),
    Case("address", .readAddress, "01 0910 00"),
    Case("LE features", .leReadLocalFeatures, "01 0320 00"),
    Case("event mask", .setEventMask(.leMeta.union(.hardwareError)), "01 010C 08 0080000000000020"),
    Case(
      "LE event mask", .leSetEventMask(.advertisingReport.union(.extendedAdvertisingReport)),
      "01 0120 08 0210000000000000"),
    Case("random address", .leSetRandomAddress(0xC122_3344_5566), "01 0520 06 6655443322C1"),
    Case("passive", .leSetScanParameters(passive), "01 0B20 07 00 6000 3000 00 00"),
    Case(
      "active", .leSetScanParameters(active, ownAddress: .random, filter: .allAndUnresolved),
      "01 0B20 07 01 0040 0040 01 02"),
    Case("enable", .leSetScanEnable(true), "01 0C20 02 01 00"),
    Case("enable without duplicates", .leSetScanEnable(true, filtersDuplicates: true), "01 0C20 02 01 01"),
    Case("disable", .leSetScanEnable(false), "01 0C20 02 00 00"),
    Case(
      "extended, 1M", .leSetExtendedScanParameters(le1M: passive, coded: nil),
      "01 4120 08 00 00 01 00 6000 3000"),
    Case(
      "extended, coded", .leSetExtendedScanParameters(le1M: nil, coded: active, filter: .acceptList),
      "01 4120 08 00 01 04 01 0040 0040"),
    Case(
      "extended, both", .leSetExtendedScanParameters(le1M: passive, coded: active),
      "01 4120 0D 00 00 05 00 6000 3000 01 0040 0040"),
    Case(
      "extended enable",
      .leSetExtendedScanEnable(true, duplicates: .resetEachPeriod, duration: 0x0102, period: 0x0304),
      "01 4220 06 01 02 0201 0403"),
  ]

  @Test("Each has the bytes of its clause", arguments: cases)
  func bytes(of example: Case) {
    let bytes = example.packet.bytes
    #expect(bytes.indices.map { bytes[$0] } == example.bytes)
    #expect(example.packet == example.packet && example.packet.opcode.rawValue & 0xFC00 != 0)
  }

  @Test("A command that the stream carries is measured as one packet", arguments: cases)
  func frames(of example: Case) throws {
    #expect(
      try StreamFrame(measuring: example.bytes.rawSpan) == .packet(byteCount: example.bytes.count))
  }

  @Test("Two commands are equal when all their bytes are")
  func equality() {
    #expect(CommandPacket.leSetScanEnable(true) == .leSetScanEnable(true))
    #expect(CommandPacket.leSetScanEnable(true) != .leSetScanEnable(false))
    #expect(CommandPacket.reset != .leSetScanEnable(false))
  }
}
