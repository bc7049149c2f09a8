// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import ArgumentParser
import Interfaces
import JSON
import ToolText
import Varlink

struct ReloadCommand: ParsableCommand {
  /// Leaves time for a slow disk and a large manifest.
  private static let patienceSeconds = 30

  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the agent read its manifest again.",
    discussion: """
      The manifest takes effect as a whole, or not at all; errors are printed as check prints \
      them. Exit status: 0 it took effect, 65 it did not, and the old manifest stays in force.

      Example:
        accessoryctl check accessoryd.toml && accessoryctl reload
      """)

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object (Config/schema/reload.schema.json).")
  var json = false

  func run() throws {
    let line = try gateway.connect { connection throws(AgentCallError) in try Self.reload(&connection) }
    var printer = Printer()
    if json { try printer.line(line) } else { try printer.text(line.text(printer.style)) }
    try printer.flush()
    if case .refused = line { throw ExitStatus.dataError.error }
  }

  /// Returns the agent's answer, also when it refuses the manifest.
  static func reload(_ connection: inout GatewayConnection) throws(AgentCallError) -> ReloadLine {
    try connection.startCall(GatewayMethodName.reload)
    do throws(AgentCallError) {
      return try connection.onlyReply(within: patienceSeconds) { line throws(JSONMemberError) in
        .taken(try ReloadReply(reading: line))
      }
    } catch {
      guard case .refused(let reply) = error, reply.error == "io.accessoryd.Gateway.ManifestRefused" else {
        throw error
      }
      do throws(JSONMemberError) {
        return .refused(try ManifestRefusedLine(reply.parameters))
      } catch {
        throw .line(error)
      }
    }
  }
}
