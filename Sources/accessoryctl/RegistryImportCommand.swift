// SPDX-License-Identifier: GPL-3.0-or-later

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
    abstract: "Put an exported registry in the place of what is there.",
    discussion: """
      The file is read and checked here first. All of it takes effect, or nothing does. \
      Bonds come back without their keys, as lost. Exit status: 0 it took effect, 1 the \
      answer was no, 65 the file is no export, or not a whole one.

      Example:
        accessoryctl registry import backup.registry
      """)

  @Argument(help: "The file that export wrote, or - for standard input.", completion: .file())
  var file: String

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "Do not ask.")
  var yes = false

  func validate() throws {
    if file == "-", !yes { throw ValidationError("standard input cannot answer a question too: add --yes") }
  }

  func run() throws {
    if !yes { try Question.requireTerminal() }
    let contents = try ImportFile(reading: file)
    if !yes {
      try Question.confirm(
        "Everything in the registry is replaced by what is in \(shown(file)): \(Self.text(contents.accessoryCount))."
      )
    }
    let result = try gateway.ask { connection throws(GatewayProblem) in
      try Self.imported(contents.batches, over: &connection)
    }
    let count = try result.mapError { refusal in
      Failure.sentence("\(shown(file)): \(refusal.sentence("reason")); nothing was changed", .dataError)
    }.get()
    var printer = Printer()
    try printer.text("imported \(Self.text(count))\n")
    try printer.flush()
  }

  /// What the agent says against the lines is said with the file's name.
  private static func imported(
    _ batches: [[String]], over connection: inout GatewayConnection
  ) throws(GatewayProblem) -> Result<Int, Refusal> {
    do throws(GatewayProblem) {
      return .success(try send(batches, over: &connection))
    } catch {
      guard case .refused(let reply) = error, reply.error == "io.accessoryd.Operator.Invalid" else {
        throw error
      }
      return .failure(Refusal(reply.parameters))
    }
  }

  /// Answers how many accessories there are now.
  private static func send(
    _ batches: [[String]], over connection: inout GatewayConnection
  ) throws(GatewayProblem) -> Int {
    var count: Int?
    for (place, lines) in batches.enumerated() {
      let isLast = place == batches.count - 1
      try connection.begin(OperatorMethodName.import) { json in
        json.member("lines", lines)
        if place == 0 { json.member("begins", true) }
        if isLast { json.member("commits", true) }
      }
      count = try connection.one(within: OperatorMethodName.import.patienceSeconds) {
        line throws(JSONMemberError) in
        isLast ? try line.count("accessories") : nil
      }
    }
    return count ?? 0
  }

  private static func text(_ count: Int) -> String { "\(count) \(count == 1 ? "accessory" : "accessories")" }
}
