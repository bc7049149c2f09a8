// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import ToolText

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the accessories that apps have.",
    discussion: """
      Shows each accessory's app, its authorization, its level now, and what you should do \
      about it. Columns that do not fit are left out, the address first. Exit status: 0 there are \
      accessories, 1 there are none.

      Examples:
        accessoryctl list
        accessoryctl list --app lights
        accessoryctl list --json | jq -r .identifier
      """)

  @Option(help: "Only accessories of this app.", completion: Completions.apps)
  var app: String?

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object per accessory (Config/schema/list.schema.json).")
  var json = false

  func run() throws {
    let accessories = try gateway.accessories(ofApp: app).listed
    guard !accessories.isEmpty else {
      throw ToolError.sentence(
        "\(app.map(quoted) ?? "no app") has \(app == nil ? "an" : "no") accessory; accessoryctl pick sets one up",
        .no)
    }
    var printer = Printer()
    if json {
      for accessory in accessories { try printer.line(accessory) }
    } else {
      try printer.text(AccessoryTable(accessories).text(printer.style))
    }
    try printer.flush()
  }
}
