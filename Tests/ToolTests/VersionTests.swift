// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import Testing

@Suite("The version")
struct VersionTests {
  private static let version = ProjectVersion.text

  @Test("It has three numbers, as Swift packages and Debian's order of versions want")
  func hasThreeNumbers() {
    #expect(Self.version.wholeMatch(of: /(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}/) != nil)
  }

  @Test("The agent and its tool print it", arguments: ["accessoryd", "accessoryctl"])
  func isPrinted(_ program: String) throws {
    let folder = URL(fileURLWithPath: Tool.path).deletingLastPathComponent()
    let run = try Tool.spawn(folder.appendingPathComponent(program).path, ["--version"])
    #expect(run.status == 0 && run.text == "\(program) \(Self.version)\n")
  }

  @Test("The guide for authors of apps asks for it")
  func isInTheGuide() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let guide = root.appendingPathComponent("Sources/AccessorySetupKit/README.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    #expect(text.contains(#"accessory-gateway", exact: "\#(Self.version)")"#))
  }
}
