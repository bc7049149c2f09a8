// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import ToolText

struct RegistryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "registry",
    abstract: "Look after the file that holds the accessories.",
    discussion: """
      Only the agent writes the file. An export is text, with the keys of bonds only on request.

      Examples:
        accessoryctl registry show
        accessoryctl registry export backup.registry
        accessoryctl registry import backup.registry
      """,
    subcommands: [
      RegistryShowCommand.self, RegistryExportCommand.self, RegistryImportCommand.self,
      RegistryImportBondsCommand.self, RegistryResetCommand.self,
    ])
}

struct RegistryShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the state of the registry, removed devices, and identifiers that apps had.",
    discussion: """
      Lists the devices that were removed and not allowed again, and the identifiers that apps had \
      for devices: with such an identifier, an app may migrate the device. Those of removed \
      accessories are kept, at most 256, and those of accessories whose item or app has left the \
      manifest.

      Exit status: 0 the registry is in order, 1 it is not, or the agent is still reading it.
      """)

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "A JSON object, and one per device or identifier (Config/schema/registry.schema.json).")
  var json = false

  func run() throws {
    let lines = try gateway.registry()
    var printer = Printer()
    for line in lines {
      if json { try printer.line(line) } else { try printer.text(line.text(printer.style)) }
    }
    try printer.flush()
    let isOpen = lines.contains { $0.state == .open }
    try (isOpen ? ExitStatus.success : .no).throwUnlessSuccess()
  }
}

struct RegistryResetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Start an empty registry: every accessory is forgotten.",
    discussion: """
      Says what will happen and asks. The old file is kept under another name, which is \
      printed. Exit status: 0 the registry is empty, 1 the answer was no.
      """)

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "Do not ask.")
  var yes = false

  func run() throws {
    if !yes {
      try Confirmation.ask(
        "Every accessory of every app is forgotten, and everything that was removed.\n"
          + "The registry's file is kept beside the new one, under another name.")
    }
    let kept = try gateway.callOnce(
      OperatorMethodName.reset, within: OperatorMethodName.reset.patienceSeconds
    ) {
      line throws(JSONMemberError) in try line.stringIfPresent("kept")
    }
    var printer = Printer()
    let old = kept.map { "the old file is kept as \(quoted($0))" } ?? "there was nothing to keep"
    try printer.text("the registry is empty; \(old)\n")
    try printer.flush()
  }
}
