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
    #expect(json.status == 0)
    #expect(json.output.isEmpty)
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
}
