// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import ArgumentParser
import Interfaces
import JSON
import LinuxSystem
import RegistryFormat
import ToolText
import Varlink

struct RegistryImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Replace the registry by an exported one.",
    discussion: """
      Checks the file first. The import takes effect as a whole, or not at all. \
      Bonds that are stored stay, and others without their keys come back as lost. Exit status: 0 it took \
      effect, 1 you did not confirm it, 65 the file is not a complete export.

      Example:
        accessoryctl registry import backup.registry
      """)

  @Argument(help: "The file that export wrote, or - for standard input.", completion: .file())
  var file: String

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "Do not ask.")
  var yes = false

  func validate() throws {
    if file == "-", !yes {
      throw ValidationError(
        "standard input holds the file, so the tool cannot ask for confirmation: add --yes")
    }
  }

  func run() throws {
    // An export may hold the keys of bonds.
    do throws(SystemError) { try ThisProcess.keepSecrets() } catch { throw ToolError.system(error) }
    let contents = try ImportFile(reading: file)
    if !yes {
      try Confirmation.ask(
        "Everything in the registry is replaced by what is in \(shown(file)): \(Self.text(contents.accessoryCount))."
      )
    }
    let result = try gateway.connect { connection throws(AgentCallError) in
      try Self.imported(contents.batches, over: &connection)
    }
    let count = try result.mapError { parameters in
      ToolError.sentence("\(shown(file)): \(parameters.sentence("reason")); nothing was changed", .dataError)
    }.get()
    var printer = Printer()
    try printer.text("imported \(Self.text(count))\n")
    try printer.flush()
  }

  /// An error in the lines is returned, so that the message can name the file.
  private static func imported(
    _ batches: [[String]], over connection: inout GatewayConnection
  ) throws(AgentCallError) -> Result<Int, ErrorParameters> {
    do throws(AgentCallError) {
      return .success(try send(batches, over: &connection))
    } catch {
      guard case .refused(let reply) = error, reply.error == "io.accessoryd.Operator.Invalid" else {
        throw error
      }
      return .failure(ErrorParameters(reply.parameters))
    }
  }

  /// Returns how many accessories there are now.
  private static func send(
    _ batches: [[String]], over connection: inout GatewayConnection
  ) throws(AgentCallError) -> Int {
    var count: Int?
    for (place, lines) in batches.enumerated() {
      let isLast = place == batches.count - 1
      try connection.startCall(OperatorMethodName.import) { json in
        json.member("lines", lines)
        if place == 0 { json.member("begins", true) }
        if isLast { json.member("commits", true) }
      }
      count = try connection.onlyReply(within: OperatorMethodName.import.patienceSeconds) {
        line throws(JSONMemberError) in
        isLast ? try line.count("accessories") : nil
      }
    }
    return count ?? 0
  }

  private static func text(_ count: Int) -> String { "\(count) \(count == 1 ? "accessory" : "accessories")" }
}
