// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The schemas and the interfaces")
struct SchemaScriptTests {
  private static let script = Package.path("Scripts/schemas")

  @Test("The schemas say what the interfaces say")
  func equal() throws {
    let run = try Tool.spawn(Self.script, ["--check"])
    #expect(run.status == 0, "\(run.errorOutput)")
  }

  @Test(
    "A difference between them is reported",
    arguments: [
      ("io.accessoryd.Gateway.varlink", "detail: string", "detail: int", "status.schema.json differs"),
      ("io.accessoryd.Gateway.varlink", "# An event.", "# Changed.", ""),
      ("io.accessoryd.Operator.varlink", "# Its display name.", "# Changed.", "pick.schema.json differs"),
      ("schema/status.schema.json", "Gateway.Radio\"", "Gateway.Radios\"", "no interface has"),
    ])
  func different(file: String, old: String, new: String, problem: String) throws {
    let folder = try TemporaryFolder()
    let config = URL(fileURLWithPath: folder.path + "/Config")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: Package.path("Config")), to: config)
    let changed = config.appendingPathComponent(file)
    let text = try String(contentsOf: changed, encoding: .utf8)
    #expect(text.contains(old))
    try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: changed)
    let run = try Tool.spawn(Self.script, ["--check", config.path])
    // The schema of `watch` has its own shape around an event: its reply's comments stand in no schema.
    #expect(
      run.status == (problem.isEmpty ? 0 : 1) && (problem.isEmpty || run.errorOutput.contains(problem)),
      "\(run.errorOutput)")
  }
}
