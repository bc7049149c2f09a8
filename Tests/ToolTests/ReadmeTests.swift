// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The first block of code in `language`.
  private static func block(_ language: String) throws -> String {
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let block = readme.split(separator: "```\(language)\n").dropFirst().first?.split(separator: "```").first
    return String(try #require(block))
  }

  @Test("Its terminal sessions, and those it refers to, are what the commands print")
  func session() throws {
    let folder = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    let run = try Tool.spawn(Self.root.path + "/Scripts/readme", [folder, "--check"])
    #expect(run.status == 0, "\(run.text)\(run.errorOutput)")
  }

  @Test("Its manifest has nothing wrong")
  func manifest() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("manifest.toml", Array(try Self.block("toml").utf8))
    let run = try Tool.run("check", "--json", file)
    #expect(run.status == 0 && run.text.isEmpty, "\(run.text)")
  }

  @Test(
    "Its first app sets up the bulb that is held at the gateway",
    .enabled(if: ScenarioTests.python != nil, "needs python3-venv and PyPI, see Scripts/varlink-client"))
  func app() throws {
    let agent = try ScenarioAgent()
    let program = try Self.block("python").replacing("/run/accessoryd/io.accessoryd", with: agent.socket)
    let file = try agent.folder.file("app.py", Array(program.utf8))
    let run = try Tool.spawn("/usr/bin/timeout", ["60", try #require(ScenarioTests.python), file])
    #expect(
      run.status == 0 && run.text == "Lumo bulb is at C4:A1:00:00:1E:27\n", "\(run.text)\(run.errorOutput)")
  }

  @Test("It has at most 150 lines")
  func length() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
  }

  @Test(
    "The files that the pages name exist",
    arguments: [
      "README.md", "Board/README.md", "Config/README.md", "Scripts/README.md", "Sources/README.md",
      "Tests/README.md",
    ])
  func files(_ page: String) throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
    let folder = Self.root.appendingPathComponent(page).deletingLastPathComponent().path
    for link in text.matches(of: /\]\(([^):#]+)\)/) {
      #expect(FileManager.default.fileExists(atPath: "\(folder)/\(link.1)"), "\(link.1)")
    }
    for file in text.matches(of: /`([A-Za-z\-]+\/[A-Za-z0-9+\/\-]+\.swift)`/) {
      let isThere = ["", "Sources/"].contains {
        FileManager.default.fileExists(atPath: Self.root.path + "/" + $0 + file.1)
      }
      #expect(isThere, "\(file.1)")
    }
  }
}
