// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import ToolText

/// A file that is no btsnoop capture is refused with what it is, and with what to do.
@Suite struct ForeignCaptureTests {
  private static func sentence(_ file: [UInt8]) -> String? {
    var stream = CaptureStream(holding: file)
    stream.readPiece { _, _ in 0 }
    stream.forEachRecord { _ in
      Issue.record("there is no record")
      return true
    }
    #expect(stream.error != nil)
    return stream.otherFormat?.sentence(ofFile: "in.pcap")
  }

  private static func pcap(_ linkType: UInt8, isBigEndian: Bool) -> [UInt8] {
    isBigEndian
      ? hex("a1b2c3d4 0002 0004 00000000 00000000 0000ffff 000000") + [linkType]
      : hex("d4c3b2a1 0200 0400 00000000 00000000 ffff0000") + [linkType, 0, 0, 0]
  }

  private static func pcapng(_ linkType: UInt8) -> [UInt8] {
    hex("0a0d0d0a 1c000000 4d3c2b1a 01000000 ffffffffffffffff 1c000000 01000000 14000000") + [linkType, 0]
      + hex("0000 00000400 14000000")
  }

  @Test("In place of lines of hex, a capture is refused with what reads it")
  func inPlaceOfHex() {
    let sentence = { (bytes: [UInt8]) in ForeignCapture.sentence(ofHex: bytes, file: "in") }
    #expect(
      sentence(Self.pcapng(254))
        == "it is a pcapng capture; convert it with editcap -F btsnoop in OUT (editcap is part of Wireshark)")
    #expect(sentence(Array("btsnoop\0\0\0\0\u{1}".utf8)) == "it is a capture; read it with --capture in")
    #expect(
      sentence(Array("02 01 06\n".utf8)) == nil && sentence([]) == nil && sentence(Array("zz".utf8)) == nil)
  }

  @Test("Captures of Wireshark get the command that converts them", arguments: [true, false])
  func conversion(isBigEndian: Bool) {
    let command = "; convert it with editcap -F btsnoop in.pcap OUT"
    #expect(
      Self.sentence(Self.pcap(201, isBigEndian: isBigEndian))?.hasPrefix("it is a pcap capture" + command)
        == true)
    #expect(Self.sentence(Self.pcapng(254))?.hasPrefix("it is a pcapng capture" + command) == true)
    #expect(Self.sentence(Array(Self.pcapng(201).prefix(20)))?.contains(command) == true)
    let h4 = Self.sentence(Self.pcap(187, isBigEndian: isBigEndian))
    #expect(h4?.contains("editcap -F btsnoop -T bluetooth-h4-linux in.pcap OUT") == true)
  }

  @Test("Captures that nothing converts get the reason")
  func reasons() {
    for linkType in [251, 255] as [UInt8] {
      #expect(Self.sentence(Self.pcapng(linkType))?.contains("on the air") == (linkType == 255))
    }
    #expect(
      Self.sentence(Self.pcap(251, isBigEndian: false))?.contains("of a sniffer (link type 251)") == true)
    let nordic = hex("d4c3b2a1 0200 0400 00000000 00000000 ffff0000 10010000")
    #expect(Self.sentence(nordic)?.contains("of a sniffer (link type 272)") == true)
    #expect(Self.sentence(Self.pcap(1, isBigEndian: true))?.contains("(link type 1)") == true)
    let record = hex("0000000f 65531680 00000000 01 3e0402010000")
    #expect(Self.sentence(record + record)?.contains("PacketLogger") == true)
  }

  /// Records of `hcidump -w`: lengths of 2 bytes, a direction, seconds and microseconds.
  private static let hcidump =
    hex("0800 01 00 00105e5f 01000000 04 3e050201000000") + hex("0400 00 00 00105e5f 3f420f00 01 030c00")

  @Test("A dump of hcidump gets the command that converts it")
  func hcidumps() {
    #expect(
      Self.sentence(Self.hcidump)
        == "it is a dump of hcidump -w; convert it with editcap -F btsnoop in.pcap OUT (editcap is part of Wireshark)"
    )
    // No packet, a direction that is none, a second of too many microseconds.
    for (index, byte) in [(12, 0x09), (2, 0x02), (10, 0x10), (22, 0x02), (32, 0x00)] as [(Int, UInt8)] {
      var other = Self.hcidump
      other[index] = byte
      #expect(Self.sentence(other) == nil, "\(index)")
    }
  }

  @Test("Packed files and text get their cure, and other bytes nothing")
  func others() {
    #expect(
      Self.sentence(hex("1f8b0800000000000003"))?.contains("zcat in.pcap | accessoryctl decode -") == true)
    #expect(Self.sentence(Array("PK\u{3}\u{4}".utf8) + [0x14, 0])?.contains("unpack it first") == true)
    #expect(Self.sentence(Array("04 3E 2B 02 01\n".utf8))?.contains("--hex - < in.pcap") == true)
    #expect(Self.sentence(hex("00ff00ff00ff00ff00ff00ff00ff00ff00ff")) == nil)
    #expect(Self.sentence([0x00]) == nil)
  }

  @Test("Every beginning and every damage of a header is read without a fault")
  func damages() {
    for file in [
      Self.pcap(201, isBigEndian: false), Self.pcapng(251), Self.hcidump,
      hex("0000000f 65531680 00000000 01 3e0402010000"),
    ] {
      for count in 0...file.count { _ = Self.sentence(Array(file.prefix(count))) }
      for bit in 0..<(file.count * 8) {
        var damaged = file
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        _ = Self.sentence(damaged)
      }
    }
  }
}
