// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import ToolText

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the agent.",
    discussion: """
      Shows the radio and what it does, every problem with its cure, and how full the \
      tables are. Exit status: 0 all is well, 1 there is a problem, 69 no agent answers.

      Examples:
        accessoryctl status
        accessoryctl status --json | jq -r '.problems[].sentence'
      """)

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object (Config/schema/status.schema.json).")
  var json = false

  func run() throws {
    let status = try gateway.status()
    var printer = Printer()
    if json { try printer.line(status) } else { try printer.text(status.text(printer.style)) }
    try printer.flush()
    try (status.problems.isEmpty ? ExitStatus.success : .no).throwUnlessSuccess()
  }
}
