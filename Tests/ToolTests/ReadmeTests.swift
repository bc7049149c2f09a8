// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test("Its terminal session is what the commands print")
  func session() throws {
    let folder = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    let run = try Tool.spawn(Self.root.path + "/Scripts/readme", [folder, "--check"])
    #expect(run.status == 0, "\(run.text)\(run.errorOutput)")
  }

  @Test("Its manifest has nothing wrong")
  func manifest() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let block = try #require(
      readme.split(separator: "```toml\n").dropFirst().first?.split(separator: "```").first)
    let folder = try TemporaryFolder()
    let file = try folder.file("manifest.toml", Array(block.utf8))
    let run = try Tool.run("check", file)
    #expect(run.status == 0, "\(run.text)")
  }
}
