// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// Where the package's files lie.
enum Package {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func path(_ relative: String) -> String { root.appendingPathComponent(relative).path }
}

/// Expects every line of output to meet a schema of `Config/schema/`.
func expectValid(_ output: [UInt8], _ schema: String, _ location: SourceLocation = #_sourceLocation) throws {
  let folder = try TemporaryFolder()
  let lines = try folder.file("lines", output)
  let run = try Tool.spawn(
    Package.path("Scripts/steps/validate-lines"),
    [Package.path("Config/schema/\(schema).schema.json"), lines])
  #expect(run.status == 0, "\(run.text)\(run.errorOutput)", sourceLocation: location)
}

/// Expects output to equal `Fixtures/NAME.expected`. With `ACCESSORY_RECORD` set the file is written instead.
func expectGolden(_ output: [UInt8], _ name: String, _ location: SourceLocation = #_sourceLocation) throws {
  let file = URL(fileURLWithPath: Package.path("Tests/ToolTests/Fixtures/\(name).expected"))
  if ProcessInfo.processInfo.environment["ACCESSORY_RECORD"] != nil { try Data(output).write(to: file) }
  let expected = try String(contentsOf: file, encoding: .utf8)
  #expect(String(decoding: output, as: UTF8.self) == expected, sourceLocation: location)
}
