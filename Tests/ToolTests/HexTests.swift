// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

/// Lines of hex instead of a capture, and files that are none.
@Suite struct HexTests {
  private static let bulb = "02010607ffee0ea55a0110"
  private static let packets = """
    043e1702010001010000003412 0b 02010607ffee0ea55a0110 c4
    043e1702010001020000003412 0b 02010607ffee0ea55a0111 c4
    """

  private let folder: TemporaryFolder
  private let manifest: String

  init() throws {
    folder = try TemporaryFolder()
    manifest = try folder.file(
      "manifest.toml",
      """
      schema = 1
      [app.lights]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-company-identifiers = ["0x0EEE"]
      [[app.lights.item]]
      id = "bulb"
      name = "Bulb"
      descriptor.bluetooth-company-identifier = "0x0EEE"

      """)
  }

  @Test("decode shows a line, of one word or of bytes, and says that its address is made up")
  func decode() throws {
    let run = try Tool.run("decode", "--hex", Self.bulb)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.text.contains("manufacturer  0x0eee") && run.text.contains("C0:FF:EE:C0:FF:EE"))
    #expect(
      run.errorOutput.contains("the lines have no address and no level; they are shown as those of C0:FF:EE"))
    let bytes = try Tool.run(
      "decode", "--hex", "02", "01", "06", "07", "FF", "ee", "0e", "a5", "5a", "01", "10")
    #expect(bytes.text == run.text)
    let json = try Tool.run("decode", "--json", "--hex", Self.packets)
    #expect(json.lines.count == 2 && json.errorOutput.isEmpty)
    try expectValid(json.output, "decode")
  }

  @Test("Standard input and files are read as well")
  func inputs() throws {
    let lines = try folder.file("lines.txt", Array(Self.packets.utf8))
    let file = try Tool.run("decode", "--hex", lines)
    #expect(file.status == 0 && file.text.contains("2 reports of 2 addresses"), "\(file.errorOutput)")
    let input = try Tool.shell(#"exec "$TOOL" decode --hex - < "$1""#, lines)
    #expect(input.text == file.text)
    let suggestion = try Tool.shell(#"echo "$1" | "$TOOL" suggest --hex -"#, Self.bulb)
    #expect(suggestion.status == 0 && suggestion.text.contains(#"company-identifier = "0x0EEE""#))
  }

  @Test("try, explain, sightings and suggest take the lines as they take a capture")
  func commands() throws {
    for words in [["try", "bulb"], ["explain"], ["sightings"], ["explain", "C0:FF:EE:C0:FF:EE"]] {
      let run = try Tool.run(words + ["--hex", Self.bulb, "--manifest", manifest])
      #expect(run.status == 0, "\(words) \(run.errorOutput)")
      #expect(run.text.contains("C0:FF:EE:C0:FF:EE"))
      #expect(run.errorOutput.split(separator: "\n").count == 1)
    }
    let added = try Tool.run(
      "suggest", "--hex", "0201060303e0ff05ff01020304", "--app", "lights", "--manifest", manifest, "--add")
    #expect(added.status == 0, "\(added.errorOutput)")
    #expect(added.errorOutput.contains("This is a guess: only 1 different report"))
    let several = try Tool.run("explain", "--hex", Self.packets, "--manifest", manifest)
    #expect(several.status == 64)
    #expect(
      several.errorOutput.contains("--hex has 2 devices; name one: 12:34:00:00:00:01, 12:34:00:00:00:02"))
    let second = try Tool.run("explain", "12:34:00:00:00:02", "--hex", Self.packets, "--manifest", manifest)
    #expect(second.status == 0)
  }

  @Test("What cannot be read is refused with the line and the cure")
  func refusals() throws {
    func refused(_ status: Int32, _ sentence: String, _ words: String...) throws {
      let run = try Tool.run(words)
      #expect(run.status == status && run.output.isEmpty, "\(words) \(run.text)")
      #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
    }
    try refused(65, #"--hex, line 2: "g" in column 2 is no hex digit"#, "decode", "--hex", "0201\n0g")
    try refused(65, "line 1: it has 5 digits, and a byte has two", "decode", "--hex", "02016")
    try refused(65, "has no hex digit; give the data of an advertisement", "decode", "--hex", "")
    try refused(65, "line 1: it has 2000 bytes", "suggest", "--hex", String(repeating: "02", count: 2000))
    try refused(65, "the packet says that it has 46 bytes", "decode", "--hex", "043e2b0201")
    try refused(64, "a capture and --hex exclude each other", "decode", "room.btsnoop", "--hex", "0201")
    try refused(64, "--capture and --hex exclude each other", "suggest", "--capture", "a", "--hex", "0201")
    try refused(
      64, "--hex and --socket exclude each other", "try", "bulb", "--hex", "0201", "--socket", "/x",
      "--manifest", "a")
    try refused(64, "a device is missing", "explain")
    try refused(64, "a capture is missing", "decode")
    try refused(1, "--hex has no advertisement of a device", "suggest", "--hex", "010C20020100")
  }

  @Test("What is wrong in a file is said with the file's name")
  func wrongFile() throws {
    let lines = try folder.file("lines.txt", Array("0201\n0g".utf8))
    let run = try Tool.run("decode", "--hex", lines)
    #expect(run.status == 65)
    #expect(
      run.errorOutput.contains("lines.txt\", line 2: \"g\" in column 2 is no hex digit"), "\(run.errorOutput)"
    )
  }

  @Test("An address that the lines do not have is called so")
  func absentAddress() throws {
    for words in [
      ["explain", "12:34:00:00:00:09", "--manifest", manifest], ["suggest", "12:34:00:00:00:09"],
    ] {
      let run = try Tool.run(words + ["--hex", Self.packets])
      #expect(run.status == 1)
      #expect(
        run.errorOutput.contains("the lines have no address 12:34:00:00:00:09; leave it out"),
        "\(run.errorOutput)")
    }
    let missing = try Tool.run("suggest")
    #expect(missing.status == 64 && missing.errorOutput.contains("lines of it with --hex"))
  }

  @Test("A capture that Wireshark wrote reads after the command that the tool prints")
  func conversion() throws {
    let editcap = "/usr/bin/editcap"
    let source = try folder.file("room.btsnoop", Captures.scene)
    let foreign = folder.path + "/room.pcapng"
    guard FileManager.default.fileExists(atPath: editcap) else { return }
    #expect(try Tool.spawn(editcap, ["-F", "pcapng", source, foreign]).status == 0)
    let refusal = try Tool.run("decode", foreign)
    #expect(refusal.status == 65)
    let command = "editcap -F btsnoop \(foreign) OUT"
    #expect(
      refusal.errorOutput.contains("it is a pcapng capture; convert it with \(command)"),
      "\(refusal.errorOutput)")
    let run = try Tool.shell(
      #"cd "$1" && "# + command + #" && "$TOOL" decode OUT | tail -n 1"#, folder.path)
    #expect(
      run.text == (try Tool.run("decode", source)).lines.suffix(1).joined() + "\n", "\(run.errorOutput)")
  }
}
