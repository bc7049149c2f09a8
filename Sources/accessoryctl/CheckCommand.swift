// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import ManifestEdits
import ManifestFormat
import ToolText

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "List everything that is wrong with a manifest.",
    usage: """
      accessoryctl check <manifest> [--json]
      accessoryctl check --system [<manifest>] [--json]
      """,
    discussion: """
      Each line says where (file, line, key), what is wrong, and what would be right. \
      A manifest with warnings can be used. The profile of its board and the identity keys that it names are checked too, \
      these where you may read them, and compared with the addresses that the agent has in sight. Exit status: 0 the \
      manifest is good, 1 it is not, 77 other accounts may write it.

      With --system, lists the services of this machine that may open Bluetooth sockets themselves: what the agent keeps \
      from an app, such a program can have without it. Exit status 1 when there is one beside root's.

      Examples:
        accessoryctl check /etc/accessoryd/accessoryd.toml
        accessoryctl check --system
      """)

  @Argument(help: "The manifest.", completion: .file())
  var manifest: String?

  @Flag(help: "Check the services of this machine.")
  var system = false

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object per problem (Config/schema/check.schema.json).")
  var json = false

  func validate() throws {
    if manifest == nil, !system { throw ValidationError("name the manifest, or give --system") }
  }

  func run() throws {
    let file = try manifest.map { path throws(ToolError) in try ConfigurationFile(reading: path) }
    let check = file?.check
    let keys = check.map { IdentityKeysCheck(of: $0, gateway) }
    let board = check.flatMap { check in
      check.board.flatMap { BoardList.reading(named: $0, manifestPath: check.fileName) }
    }
    let services = system ? try ServicesCheck() : nil
    var diagnostics = (check?.diagnostics ?? []).map { (check?.fileName ?? "", $0) }
    diagnostics += (keys?.diagnostics ?? []).map { (keys?.path ?? "", $0) }
    diagnostics += (board?.diagnostics ?? []).map { (board?.fileName ?? "", $0) }
    diagnostics += services?.warnings ?? []
    var printer = Printer(keepsNull: true)
    if json {
      try printer.lines { writer in
        for (file, diagnostic) in diagnostics { diagnostic.write(to: &writer, fileName: file) }
      }
    } else {
      for (file, diagnostic) in diagnostics { try printer.text(diagnostic.text(inFile: file) + "\n") }
      if let manifest, diagnostics.count == services?.warnings.count ?? 0 {
        try printer.text("\(shown(manifest)): nothing is wrong\n")
      }
      if let services { try printer.text(services.summary + "\n") }
    }
    try printer.flush()
    let isAccepted =
      keys?.hasError != true && services?.warnings.isEmpty != false && (board == nil || board?.value != nil)
    let status = check?.status ?? .accepted
    throw ExitCode((status == .accepted && !isAccepted ? .refused : status).rawValue)
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
