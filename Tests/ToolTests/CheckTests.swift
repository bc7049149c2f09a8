// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite struct CheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func theExampleIsGood() throws {
    let path = try folder.file("good.toml", Array(Data(contentsOf: example)))
    let run = try Tool.shell(#"chmod 644 "$1" && "$TOOL" check "$1""#, path)
    #expect(run.status == 0)
    #expect(run.text == "\(path): nothing is wrong\n")
    let json = try Tool.run("check", "--json", path)
    #expect(json.status == 0 && json.lines.isEmpty)
    try expectValid(json.output, "check")
  }

  @Test func aManifestWithoutFindingsIsGood() throws {
    let path = try folder.file("good.toml", Array("schema = 1\n".utf8))
    let run = try Tool.run("check", path)
    #expect(run.status == 0 && run.text == "\(path): nothing is wrong\n")
    let json = try Tool.run("check", "--json", path)
    #expect(json.status == 0 && json.output.isEmpty)
  }

  private var example: URL { URL(fileURLWithPath: Package.path("Config/accessoryd.toml")) }

  @Test func everyProblemIsALine() throws {
    let manifest = """
      schema = 1
      [gateway]
      radio = "hci\\u001b"
      skan = "auto"
      [app.lights]
      user = "daemon"
      """
    let path = try folder.file("bad.toml", Array(manifest.utf8))
    let text = try Tool.run("check", path)
    let json = try Tool.run("check", "--json", path)
    #expect(text.status == 1)
    #expect(json.status == 1)
    #expect(text.lines.count == json.lines.count)
    #expect(text.lines.allSatisfy { $0.hasPrefix("\(path):") })
    #expect(!text.output.contains(0x1B) && !json.output.contains(0x1B))
    try expectValid(json.output, "check")
  }

  @Test func aFileThatOthersMayWriteIsRefused() throws {
    let path = try folder.file("open.toml", Array(Data(contentsOf: example)))
    let run = try Tool.shell(#"chmod 666 "$1" && "$TOOL" check --json "$1""#, path)
    #expect(run.status == 77)
    try expectValid(run.output, "check")
  }

  @Test(arguments: [
    "replay C", "sightings --capture C", "explain C4:64:E3:12:34:56 --capture C", "try x --capture C",
  ])
  func everyCommandRefusesIt(command: String) throws {
    let path = try folder.file("open.toml", Array(Data(contentsOf: example)))
    let capture = try folder.file("C", Captures.chain)
    let run = try Tool.shell(
      #"chmod 666 "$1" && cd "$(dirname "$2")" && "$TOOL" \#(command) --manifest "$1""#, path, capture)
    #expect(run.status == 77)
    #expect(run.output.isEmpty)
    #expect(
      run.errorOutput == "accessoryctl: \(path): others may write the file (mode 0666); chmod go-w it\n")
  }

  @Test func whatIsNoFileIsNoInput() throws {
    let run = try Tool.run("check", "/dev/null")
    #expect(run.status == 66)
    #expect(run.text.contains("not a regular file"))
    let replay = try Tool.run("replay", "/dev/null", "--manifest", "/dev/null")
    #expect(replay.status == 66)
  }
}
