// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The schemas and the interfaces")
struct SchemaScriptTests {
  private static let script = Package.path("Scripts/steps/schemas")

  @Test("The schemas say what the interfaces say")
  func equal() throws {
    let run = try Tool.spawn(Self.script, ["--check"])
    #expect(run.status == 0, "\(run.errorOutput)")
  }

  @Test(
    "A difference between them is reported",
    arguments: [
      ("io.accessoryd.Gateway.varlink", "detail: string", "detail: int", "status.schema.json differs"),
      ("io.accessoryd.Operator.varlink", "# Its display name.", "# Changed.", "pick.schema.json differs"),
      ("schema/status.schema.json", "Gateway.Radio\"", "Gateway.Radios\"", "no interface has"),
    ])
  func different(file: String, old: String, new: String, problem: String) throws {
    let run = try Self.check(replacing: old, by: new, in: file)
    #expect(run.status == 1 && run.errorOutput.contains(problem), "\(run.errorOutput)")
  }

  /// The schema of `watch` has its own shape around an event, so the comments of the reply's members are not in it.
  @Test("A comment that no schema carries changes none")
  func unmarked() throws {
    let run = try Self.check(replacing: "# An event.", by: "# Changed.", in: "io.accessoryd.Gateway.varlink")
    #expect(run.status == 0, "\(run.errorOutput)")
  }

  /// Runs the check on a copy of `Config` with one text replaced.
  private static func check(replacing old: String, by new: String, in file: String) throws -> Tool.Run {
    let folder = try TemporaryFolder()
    let config = URL(fileURLWithPath: folder.path + "/Config")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: Package.path("Config")), to: config)
    let changed = config.appendingPathComponent(file)
    let text = try String(contentsOf: changed, encoding: .utf8)
    #expect(text.contains(old))
    try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: changed)
    return try Tool.spawn(script, ["--check", config.path])
  }
}
