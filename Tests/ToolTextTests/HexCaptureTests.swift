// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Explanation
import HCI
import TestSupport
import Testing
import ToolText

/// Lines of hex from pages and logs become a capture.
@Suite struct HexCaptureTests {
  private static let packet = "043e1602010301baf7f304 6f62 0a 0201060303aafe020a04 c5"
  private static let bare = hex("0201060303aafe")

  private static func packets(_ text: String) throws -> [[UInt8]] {
    let reading = CaptureReading(try HexCapture(text).bytes)
    #expect(reading.error == nil)
    return reading.records.compactMap(\.packet)
  }

  private static func reports(_ packets: [[UInt8]]) throws -> [DecodedReport] {
    var decoder = ArenaOwner { ReportDecoder(in: &$0) }
    var reports: [DecodedReport] = []
    for bytes in packets {
      let packet = try Packet(parsing: bytes.span.rawBytes)
      let event = try Event(parsing: packet.body)
      let time = Instant(microseconds: 0)
      #expect(decoder.value.decodeReports(of: event, at: time, since: time) { reports.append($0) })
    }
    return reports
  }

  /// What the one report of a text has.
  private static func report(_ text: String) throws -> (address: DeviceAddress, data: [UInt8]) {
    let reports = try reports(try packets(text))
    let report = try #require(reports.count == 1 ? reports[0] : nil)
    return (report.header.address, report.data)
  }

  @Test(
    "An advertisement may be written in every usual way",
    arguments: [
      "0201060303aafe", "02 01 06 03 03 AA FE", "02:01:06:03:03:aa:fe", "02-01-06-03-03-AA-FE",
      "0x0201060303AAFE",
      "0x02, 0x01, 0x06, 0x03, 0x03, 0xAA, 0xFE", "{0x02,0x01,0x06,0x03,0x03,0xaa,0xfe};",
      "0201 0603 03AA FE",
      #""\x02\x01\x06\x03\x03\xaa\xfe""#, "\n  02 01 06 03 03 AA FE \r\n\n",
      "02\u{A0}01\u{A0}06 03 03 AA FE",
      "# from a thread\n0201060303aafe", "02:01:06:03:03:aa:fe  # from a thread",
      "0000   02 01 06 03 03 aa fe                              .......",
      "00000000  02 01 06 03 |....|\n00000004  03 aa fe  |...|\n00000007",
    ])
  func spellings(text: String) throws {
    let report = try Self.report(text)
    #expect(report.data == Self.bare)
    #expect(report.address == HexCapture.address)
    #expect(try HexCapture(text).hasBareData)
  }

  @Test(
    "A packet keeps its address, with and without its indicator, also over several lines",
    arguments: [
      packet, "> " + packet, String(packet.dropFirst(2)), packet.replacing(" ", with: "\n"),
      "0000   04 3e 16 02 01 03 01 ba f7 f3 04 6f 62 0a 02 01   .>.........ob...\n0010   06 03 03 aa fe 02 0a 04 c5",
      "00000000: 043e 1602 0103 01ba f7f3 046f 620a 0201  .>.........ob...\n00000010: 0603 03aa fe02 0a04 c5                   .........",
      "04 3E 16 02\n  01 03 01 BA F7 F3\n  04 6F 62 0A 02 01 06 03 03 AA FE 02 0A 04 C5",
    ])
  func packets(text: String) throws {
    let report = try Self.report(text)
    #expect(report.address == DeviceAddress(bits: 0x626F_04F3_F7BA, type: .random))
    #expect(report.data == hex("0201060303aafe020a04"))
    #expect(try !HexCapture(text).hasBareData)
  }

  @Test("Each line is a report of its own, 100 ms after the one before; commands are kept")
  func lines() throws {
    let text = "0201060303aafe\n\n\(Self.packet)\n01 0C 20 02 01 00\n0201060303aaff"
    let records = CaptureReading(try HexCapture(text).bytes).records
    #expect(records.map(\.time.microseconds) == [0, 100_000, 200_000, 300_000])
    #expect(records.map { $0.packet?.first } == [4, 4, 1, 4])
  }

  @Test("Long data is an extended report, in fragments where it has to be", arguments: [32, 229, 230, 1650])
  func long(count: Int) throws {
    let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let packets = try Self.packets(hexText([0x02, 0x01] + data.dropFirst(2)))
    #expect(packets.count == (count + 228) / 229)
    let reports = try Self.reports(packets)
    #expect(
      reports.allSatisfy { $0.header.address == HexCapture.address && $0.header.rssi == HexCapture.level })
    #expect(reports.flatMap(\.data) == [0x02, 0x01] + data.dropFirst(2))
    // Whole data is also what the decoder puts together.
    #expect(reports.last.map { $0.assembled ?? $0.data } == [0x02, 0x01] + data.dropFirst(2))
  }

  @Test("Words of single bytes are one line, each other word is one")
  func words() {
    #expect(HexCapture.text(ofWords: ["02", "01", "0x06"]) == "02 01 0x06")
    #expect(HexCapture.text(ofWords: ["020106", "0201", "02", "01"]) == "020106\n0201\n02 01")
    #expect(HexCapture.isHex("0x02:01") && !HexCapture.isHex("lines.txt"))
  }

  @Test("What is wrong with a line is said with its number")
  func mistakes() {
    func mistake(_ text: String) -> HexLineError? {
      do throws(HexLineError) {
        _ = try HexCapture(text)
        return nil
      } catch { return error }
    }
    for text in ["", " \n\n", "# only a comment", "0x"] { #expect(mistake(text) == .empty, "\(text)") }
    #expect(mistake("0201\n02 0g") == .wrongCharacter("g", line: 2, column: 5))
    #expect(mistake("02 x1") == .wrongCharacter("x", line: 1, column: 4))
    #expect(mistake("02016") == .oddDigits(count: 5, line: 1))
    #expect(mistake("0201\n\n02 1") == .oddDigits(count: 3, line: 3))
    #expect(mistake(String(repeating: "02", count: 1651)) == .tooLong(byteCount: 1651, line: 1))
    #expect(mistake("\n043e020201") == nil)
    #expect(mistake("\n043e03020100ff") == .bytesAfterPacket(byteCount: 7, said: 6, line: 2))
    #expect(mistake("020106\n043e2b0201") == .packetTruncated(byteCount: 5, said: 46, line: 2))
    #expect(mistake("043e") == .packetTruncated(byteCount: 2, said: 3, line: 1))
  }

  @Test("Every part of a text is read or refused")
  func parts() {
    let text = "> \(Self.packet)\n0x02, \\x01 {AA}\n01 0C 20 02 01 00"
    for count in 0...text.count {
      for piece in [text.prefix(count), text.suffix(count)] {
        guard let capture = try? HexCapture(String(piece)) else { continue }
        #expect(CaptureReading(capture.bytes).error == nil)
      }
    }
  }
}
