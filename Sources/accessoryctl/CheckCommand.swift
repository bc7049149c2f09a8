// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import ManifestFormat
import Rendering

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say everything that is wrong with a manifest.",
    discussion: """
      Each line says where (file, line, key), what is wrong, and what would be right. Warnings do not keep the manifest
      from being used. Exit status: 0 the manifest is good, 1 it is not.

      Example:
        accessoryctl check /etc/accessoryd/accessoryd.toml
      """)

  @Argument(help: "A manifest, or - for standard input.")
  var manifest: String

  @Flag(help: "One JSON object per problem (Config/schema/check.schema.json).")
  var json = false

  func run() throws {
    let reading = try ManifestFile.read(manifest)
    var printer = Printer()
    if json {
      try printer.lines { writer in
        for diagnostic in reading.diagnostics { diagnostic.write(to: &writer, fileName: reading.fileName) }
      }
    } else {
      for line in reading.lines { try printer.text(line + "\n") }
    }
    try printer.flush()
    guard reading.manifest == nil else { return }
    throw Failure.said(.no)
  }
}

extension Diagnostic {
  fileprivate func write(to json: inout JSONWriter, fileName: String) {
    json.line { json in
      json.member("file", fileName)
      json.member("line", line)
      json.member("keyPath", keyPath)
      json.member("severity", severity.rawValue)
      json.member("message", message)
    }
  }
}
