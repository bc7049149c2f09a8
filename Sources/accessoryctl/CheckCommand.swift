// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import ManifestFormat
import ToolText

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "List everything that is wrong with a manifest.",
    discussion: """
      Each line says where (file, line, key), what is wrong, and what would be right. \
      A manifest with warnings can be used. Exit status: 0 the manifest is good, 1 it is \
      not, 77 other accounts may write it.

      Example:
        accessoryctl check /etc/accessoryd/accessoryd.toml
      """)

  @Argument(help: "The manifest.", completion: .file())
  var manifest: String

  @Flag(help: "One JSON object per problem (Config/schema/check.schema.json).")
  var json = false

  func run() throws {
    let check = try ConfigurationFile(reading: manifest).check
    var printer = Printer()
    if json {
      try printer.lines { writer in
        for diagnostic in check.diagnostics { diagnostic.write(to: &writer, fileName: check.fileName) }
      }
    } else {
      for diagnostic in check.diagnostics { try printer.text(diagnostic.text(inFile: manifest) + "\n") }
      if check.diagnostics.isEmpty { try printer.text("\(shown(manifest)): nothing is wrong\n") }
    }
    try printer.flush()
    throw ExitCode(check.status.rawValue)
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
