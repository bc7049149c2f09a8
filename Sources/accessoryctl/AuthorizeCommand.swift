// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import ToolText

struct AuthorizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authorize",
    abstract: "Confirm that an app keeps its accessories under its new account.",
    discussion: """
      When the manifest gives an app another user or group, its accessories are suspended: \
      the new account cannot use them until an operator confirms that it is still the \
      same app.

      Example:
        accessoryctl authorize lights
      """)

  @Argument(help: "The app's name in the manifest.", completion: Completions.apps)
  var app: String

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "One JSON object (Config/schema/authorize.schema.json).")
  var json = false

  func run() throws {
    let count = try gateway.callOnce(
      OperatorMethodName.authorize, within: OperatorMethodName.authorize.patienceSeconds
    ) { json in
      json.member("app", app)
    } _: { line throws(JSONMemberError) in
      try line.count("accessories")
    }
    guard count > 0 else {
      throw ToolError.sentence(
        "\(quoted(app)) has no accessories to confirm; accessoryctl list shows which apps have some", .no)
    }
    var printer = Printer()
    if json {
      try printer.lines { writer in
        writer.line { json in
          json.member("app", app)
          json.member("accessories", count)
        }
      }
    } else {
      let noun = count == 1 ? "accessory" : "accessories"
      try printer.text("confirmed: \(shown(app)) has \(count) \(noun) under its present account\n")
    }
    try printer.flush()
  }
}
