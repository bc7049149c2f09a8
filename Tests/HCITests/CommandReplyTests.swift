// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Answers to commands")
struct CommandAnswerTests {
  /// A copy of an answer.
  private struct Answer: Equatable {
    var opcode: UInt16
    var allowed: UInt8
    var status: UInt8?
    var isComplete: Bool
    var returned: [UInt8]
  }

  private func answer(_ body: [UInt8]) -> Answer? {
    guard let event = try? Event(parsing: body.rawSpan), let answer = CommandReply(event) else { return nil }
    return Answer(
      opcode: answer.opcode.rawValue, allowed: answer.commandsAllowed, status: answer.status?.rawValue,
      isComplete: answer.isComplete, returned: answer.returned.bytes)
  }

  @Test("Command Complete gives status and what is returned")
  func complete() {
    #expect(
      answer(hex("0E 06 01 0920 00 AABB"))
        == Answer(opcode: 0x2009, allowed: 1, status: 0, isComplete: true, returned: [0xAA, 0xBB]))
    #expect(
      answer(hex("0E 04 00 4220 0C"))
        == Answer(opcode: 0x2042, allowed: 0, status: 0x0C, isComplete: true, returned: []))
    #expect(
      answer(hex("0E 03 02 0000"))
        == Answer(opcode: 0, allowed: 2, status: nil, isComplete: true, returned: []))
  }

  @Test("Command Status ends a command only when it is refused")
  func status() {
    #expect(
      answer(hex("0F 04 00 01 0D20"))
        == Answer(opcode: 0x200D, allowed: 1, status: 0, isComplete: false, returned: []))
    #expect(
      answer(hex("0F 04 01 01 4120"))
        == Answer(opcode: 0x2041, allowed: 1, status: 1, isComplete: true, returned: []))
  }

  @Test("Other events and cut ones are no answers")
  func others() {
    #expect(answer(hex("10 01 07")) == nil)
    #expect(answer(hex("3E 02 02 00")) == nil)
    for whole in [hex("0E 04 01 0920 00"), hex("0F 04 00 01 0D20")] {
      withEveryPrefix(of: whole) { prefix, damage in #expect(answer(prefix) == nil, "\(damage)") }
      withEveryBitFlip(of: whole) { flipped, _ in _ = answer(flipped) }
    }
  }

  @Test("A hardware error gives the manufacturer's code")
  func hardwareError() throws {
    #expect(try Event(parsing: hex("10 01 07").rawSpan).hardwareErrorCode == 7)
    #expect(try Event(parsing: hex("10 00").rawSpan).hardwareErrorCode == nil)
    #expect(try Event(parsing: hex("0E 01 07").rawSpan).hardwareErrorCode == nil)
  }
}

@Suite("What a controller says it can do")
struct ControllerFeaturesTests {
  @Test("A Pi's chip calls itself 5.0 and has no extended advertising")
  func features() throws {
    let bytes = hex("FF 01 00 00 00 00 00 00")
    let read = LEFeatures(returned: bytes.rawSpan)
    let features = try #require(read)
    #expect(features.contains(.le2M.union(.encryption)))
    #expect(!features.contains(.extendedAdvertising) && !features.contains(.codedPHY))
    #expect(LEFeatures(returned: hex("00 18 00 00 00 00 00 00").rawSpan)?.contains(.codedPHY) == true)
  }

  @Test("Commands are bits of 64 bytes")
  func commands() throws {
    var bytes = [UInt8](repeating: 0, count: 64)
    bytes[37] = 0x20
    let read = SupportedCommands(returned: bytes.rawSpan)
    let commands = try #require(read)
    #expect(commands.contains(.leSetExtendedScanParameters) && !commands.contains(.leSetExtendedScanEnable))
    var built = SupportedCommands()
    built.insert(.leSetExtendedScanParameters)
    #expect((0..<64).map { built[$0] } == bytes)
  }

  @Test("The version's five fields")
  func version() throws {
    let read = LocalVersion(returned: hex("09 0102 09 0F00 0922").rawSpan)
    let version = try #require(read)
    #expect(version.hciVersion == 9 && version.hciRevision == 0x0201 && version.lmpVersion == 9)
    #expect(version.manufacturer == 0x000F && version.lmpSubversion == 0x2209)
  }

  @Test("Fewer bytes than the clause wants give nothing")
  func cut() {
    withEveryPrefix(of: [UInt8](repeating: 0xFF, count: 8)) { prefix, _ in
      #expect(LEFeatures(returned: prefix.rawSpan) == nil)
      #expect(LocalVersion(returned: prefix.rawSpan) == nil)
    }
    withEveryPrefix(of: [UInt8](repeating: 0xFF, count: 64)) { prefix, _ in
      #expect(SupportedCommands(returned: prefix.rawSpan) == nil)
    }
  }
}
