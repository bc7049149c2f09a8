// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite struct DecodeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func decode(_ capture: [UInt8], _ options: String...) throws -> Tool.Run {
    try Tool.run(["decode"] + options + [folder.file("capture.btsnoop", capture)])
  }

  @Test func everyReportIsALineOfJSON() throws {
    let run = try decode(Captures.everyReport, "--json")
    #expect(run.status == 0)
    #expect(run.errorOutput.isEmpty)
    try expectValid(run.output, "decode")
    try expectGolden(run.output, "decode-every-report.json")
  }

  @Test func peopleReadTheSameAtEightyColumns() throws {
    let run = try decode(Captures.everyReport)
    #expect(run.lines.allSatisfy { $0.count <= 80 })
    try expectGolden(run.output, "decode-every-report.text")
  }

  @Test func otherPacketsAreShownOnRequest() throws {
    try expectGolden(decode(Captures.everyReport, "--all").output, "decode-every-packet.text")
  }

  @Test func fragmentsAreJoinedOnTheirLastLine() throws {
    let run = try decode(Captures.chain, "--json")
    try expectValid(run.output, "decode")
    try expectGolden(run.output, "decode-chain.json")
    try expectGolden(decode(Captures.chain).output, "decode-chain.text")
  }

  @Test func whatWasLostOfAPayloadIsSaid() throws {
    let run = try decode(Captures.malformed, "--json")
    try expectValid(run.output, "decode")
    try expectGolden(run.output, "decode-malformed.json")
    try expectGolden(decode(Captures.malformed).output, "decode-malformed.text")
  }

  @Test(arguments: [
    Array("\u{1B}]0;owned\u{7}\u{1B}[2J".utf8),
    Array("safe\u{202E}fdp.exe".utf8),
    Array("line\nbreak\r\u{2028}\u{85}".utf8),
    [0x41, 0xFF, 0xC0, 0xAF, 0xED, 0xA0, 0x80, 0x00, 0x7F],
    Array("\u{9B}31m\u{200B}\u{2066}\u{E0041}".utf8),
    [UInt8](repeating: 0x1B, count: 29),
  ])
  func noNameHarmsTheTerminalOrTheLines(name: [UInt8]) throws {
    let capture = Captures.named(name)
    let (text, json) = (try decode(capture), try decode(capture, "--json"))
    try expectValid(json.output, "decode")
    #expect(json.lines.count == 1)
    for run in [text, json] {
      #expect(run.text.unicodeScalars.allSatisfy(isHarmless), "\(run.output)")
    }
  }

  @Test(arguments: [("EOSM50m2\0\0\0\0", "EOSM50m2"), ("a\0b\0", "a\u{0}b"), ("\0\0\0", "")])
  func nulsAtTheEndArePartOfNoName(sent: String, name: String) throws {
    let run = try decode(Captures.named(Array(sent.utf8)), "--json")
    let line = try #require(try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
    #expect((line["fields"] as? [String: Any])?["name"] as? String == name)
  }

  private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\n" { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
    default: return true
    }
  }

  @Test func whatTheRecorderLostIsSaid() throws {
    let sentence = "the recorder cut 1 record short and dropped 7 packets\n"
    let lossy = Captures.lossy(Captures.malformed, drops: 7)
    let text = try decode(lossy)
    #expect(text.text.hasSuffix("\n" + sentence))
    let json = try decode(lossy, "--json")
    #expect(json.errorOutput == "accessoryctl: " + sentence)
    #expect(json.output == (try decode(Captures.malformed, "--json").output))
  }

  @Test func aTornCaptureIsShownUpToItsLastGoodRecord() throws {
    let whole = try decode(Captures.chain, "--json")
    let torn = try decode(Array(Captures.chain.dropLast()), "--json")
    #expect(torn.status == 0)
    #expect(torn.lines == whole.lines.dropLast())
    #expect(
      torn.errorOutput.contains("warning: ") && torn.errorOutput.contains("ends inside the record at byte"))
  }

  @Test func everyPrefixOfACaptureGivesAnAnswer() throws {
    let capture = Captures.malformed
    for end in stride(from: 0, to: capture.count, by: 7) {
      let run = try decode(Array(capture[..<end]), "--json")
      #expect(run.status == 65 || run.status == 0)
      try expectValid(run.output, "decode")
    }
  }

  @Test func theSameCaptureGivesTheSameBytes() throws {
    for options in [["--json"], [], ["--all"]] {
      let path = try folder.file("same.btsnoop", Captures.everyReport)
      let runs = try (0..<2).map { _ in try Tool.run(["decode", path] + options) }
      #expect(runs[0].output == runs[1].output)
    }
  }

  @Test(.enabled(if: TestData.isPresent, "\(TestData.absence)"), arguments: ["legacy-busy", "extended"])
  func recordedCapturesAreValid(name: String) throws {
    let path = TestData.path("captures/\(name).btsnoop")
    let run = try Tool.run("decode", "--json", path)
    #expect(run.status == 0)
    #expect(run.lines.count == (name == "extended" ? 557 : 5000))
    try expectValid(run.output, "decode")
    let text = try Tool.run("decode", "--all", path)
    #expect(text.status == 0)
  }
}
