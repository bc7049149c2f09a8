// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import Terminal
import ToolText

struct PickCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pick",
    abstract: "Choose which device becomes whose accessory.",
    usage: """
      accessoryctl pick [--json]
      accessoryctl pick --app <name> [--item <id>] [--timeout <time>]
      accessoryctl pick --app <name> --touch | --first-immediate [--count <n>]
      accessoryctl pick --app <name> --device <address> [--name <name>]
      """,
    discussion: """
      Shows what apps ask for, and the devices that can be chosen, on the whole screen; \
      ? there tells the keys. With --app it opens a request on the app's behalf and ends \
      with it. With --touch, --first-immediate, --device or --count no screen is needed: \
      each accessory that was set up is one line. \
      Exit status: 0 success, 1 not all was set up. A signal ends it as it ends any program, \
      with the terminal given back; --json without --app ends well by it, as watch does.

      Examples:
        accessoryctl pick
        accessoryctl pick --app lights --item bulb
        accessoryctl pick --app lights --touch --timeout long
        accessoryctl pick --app lights --device AA:BB:CC:DD:EE:FF --name Kitchen
        accessoryctl pick --json | jq -c .candidate
      """)

  @OptionGroup var options: PickOptions

  @OptionGroup var gateway: GatewayOptions

  @Flag(
    help: """
      One JSON object per request, candidate and change (Config/schema/pick.schema.json); with --app \
      per accessory (picked.schema.json).
      """)
  var json = false

  func validate() throws {
    if json, options.app != nil, !options.isScripted {
      throw ValidationError(
        "--json needs no screen: add --touch, --first-immediate, --device or --count, or leave out --app")
    }
  }

  func run() throws {
    if let app = options.app, options.isScripted {
      var pick = try ScriptedPick(path: gateway.path, app: app, options, json: json)
      return try pick.run()
    }
    if json {
      var stream = try PickerStream(path: gateway.path)
      return try stream.run()
    }
    guard TerminalScreen.isThere else { throw Failure.noTerminal }
    var picker = try LivePicker(path: gateway.path, options)
    try picker.run()
  }
}

extension Failure {
  fileprivate static let noTerminal = sentence(
    "pick draws on a terminal, and standard input and output are none; use pick --json, "
      + "or --app NAME with --touch, --first-immediate, --device or --count", .usage)

  static let unknownTerminal = sentence(
    "the terminal is of a kind that is not known here, or cannot be drawn on; set TERM (xterm-256color, linux), "
      + "or use pick --json", .usage)
}
