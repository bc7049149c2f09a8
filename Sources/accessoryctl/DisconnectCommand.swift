// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import JSON
import ToolText

struct DisconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect",
    abstract: "End the connection of an app to its accessory.",
    discussion: """
      The app learns that the connection was lost, and may connect again: remove takes the \
      accessory from it. The list shows which accessories are connected. Exit status: 0 it is \
      disconnected, 1 it is not connected, or there is no such accessory, or several.

      Examples:
        accessoryctl disconnect "Desk lamp"
        accessoryctl disconnect 4f1c
      """)

  @OptionGroup var options: AccessoryOptions

  @Flag(help: "One JSON object (Config/schema/disconnect.schema.json).")
  var json = false

  func run() throws {
    let (accessory, all) = try options.resolve()
    try options.gateway.callOnce(
      OperatorMethodName.disconnect, within: OperatorMethodName.disconnect.patienceSeconds
    ) { json in
      json.member("accessory", accessory.identifier)
    } _: { _ in
    }
    var printer = Printer()
    if json {
      try printer.lines { writer in
        writer.line { json in
          json.member("accessory", accessory.identifier)
          json.member("app", accessory.app)
          json.member("displayName", accessory.displayName)
        }
      }
    } else {
      let place = all.firstIndex { $0.identifier == accessory.identifier }
      let identifier = place.map { all.shortIdentifiers[$0] } ?? ""
      try printer.text("disconnected \(accessory.description(identifier: identifier))\n")
    }
    try printer.flush()
  }
}
