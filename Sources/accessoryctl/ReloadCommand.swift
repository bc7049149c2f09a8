// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import ToolText
import Varlink

struct ReloadCommand: ParsableCommand {
  /// The disk may be slow, and the manifest large.
  private static let patienceSeconds = 30

  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Let the agent read its manifest again.",
    discussion: """
      All of it takes effect, or nothing does. What is wrong is said as check says it. \
      Exit status: 0 it took effect, 65 it did not, and the manifest of before is in force.

      Example:
        accessoryctl check accessoryd.toml && accessoryctl reload
      """)

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object (Config/schema/reload.schema.json).")
  var json = false

  func run() throws {
    let line = try gateway.ask { connection throws(GatewayProblem) in try Self.reload(&connection) }
    var printer = Printer()
    if json { try printer.line(line) } else { try printer.text(line.text(printer.style)) }
    try printer.flush()
    if case .refused = line { throw ExitStatus.dataError.failure }
  }

  private static func reload(_ connection: inout GatewayConnection) throws(GatewayProblem) -> ReloadLine {
    try connection.begin(GatewayMethodName.reload)
    do throws(GatewayProblem) {
      return try connection.one(within: patienceSeconds) { line throws(JSONMemberError) in
        try ReloadLine(reading: line)
      }
    } catch {
      guard case .refused(let reply) = error, reply.error == "io.accessoryd.Gateway.ManifestRefused" else {
        throw error
      }
      do throws(JSONMemberError) {
        return try ReloadLine(readingRefusal: JSONObjectReader(reply.parameters))
      } catch {
        throw .line(error)
      }
    }
  }
}
