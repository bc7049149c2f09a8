// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import Terminal
import ToolText

struct PickCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pick",
    abstract: "Choose the devices that become accessories of apps.",
    usage: """
      accessoryctl pick [--json]
      accessoryctl pick --app <name> [--item <id>] [--timeout <time>]
      accessoryctl pick --app <name> --touch | --first-immediate [--count <n>]
      accessoryctl pick --app <name> --device <device> [--name <name>]
      accessoryctl pick --app <name> --network <ssid> [--name <name>]
      accessoryctl pick --request <id> --choose <candidate> [--timeout <time>]
      accessoryctl pick --request <id> --name <name>
      accessoryctl pick --request <id> --agree | --deny | --cancel
      """,
    discussion: """
      Shows the requests of apps, and the devices and networks that you can choose, on the whole screen; \
      press ? for the keys. With --app it opens a request on the app's behalf and ends \
      with it. With --touch, --first-immediate, --device, --network or --count it needs no screen and \
      prints a line for each accessory that was set up. --request responds to an open request of an app, which \
      accessoryctl status lists: --choose as soon as the candidate is there, any other answer at once. A device that is paired may ask for digits: on \
      a terminal the command asks for them; a script adds --digits and answers with accessoryctl answer. \
      Exit status: 0 success, 1 not everything was set up. A signal ends the program and \
      restores the terminal; with --json and without --app, a signal is a success, as for watch.

      Examples:
        accessoryctl pick
        accessoryctl pick --app lights --item bulb
        accessoryctl pick --app lights --touch --timeout long
        accessoryctl pick --app lights --device AA:BB:CC:DD:EE:FF --name Kitchen
        accessoryctl pick --app cameras --network Cam-0001
        accessoryctl pick --request 3f0c5d21 --choose AA:BB:CC:DD:EE:FF --timeout 60
        accessoryctl pick --request 3f0c5d21 --deny
        accessoryctl pick --json | jq -c .candidate
      """)

  @OptionGroup var options: PickOptions

  @OptionGroup var gateway: GatewayOptions

  @Flag(
    help: """
      One JSON object per request, candidate and change (Config/schema/pick.schema.json); with --app \
      or --request per accessory and question (picked.schema.json).
      """)
  var json = false

  func validate() throws {
    if json, options.app != nil, !options.isScripted {
      throw ValidationError(
        "--json needs no screen: add --touch, --first-immediate, --device, --network or --count, or leave out --app"
      )
    }
  }

  func run() throws {
    var options = options
    // The request takes an address.
    if let device = options.device { options.device = .address(try address(of: device)) }
    if options.network != nil { try gateway.sayNetworkProblem() }
    if let app = options.app, options.isScripted {
      var pick = try ScriptedPick(gateway, options.opening(app: app), json: json)
      return try pick.run()
    }
    if let request = options.request, let decided = options.requestAnswer {
      var answer = try ScriptedAnswer(gateway, request: request, decided, options, json: json)
      return try answer.run()
    }
    if json {
      var stream = try PickerStream(path: gateway.path, isAnswered: options.digits)
      return try stream.run()
    }
    guard TerminalScreen.isThere else { throw ToolError.noTerminal }
    var picker = try LivePicker(path: gateway.path, options.app.map { options.opening(app: $0) })
    try picker.run()
  }

  /// The address of the device. Where none is called so, an app that does not exist is named first.
  private func address(of device: NamedDevice) throws(ToolError) -> DeviceArgument {
    do throws(ToolError) { return try device.address(askedOf: gateway) } catch {
      let accessories = Result { () throws(ToolError) in try gateway.accessories(ofApp: options.app) }
      if options.app != nil, case .failure(.sentence(let reason, .no)) = accessories {
        throw .sentence(reason, .no)
      }
      throw error
    }
  }
}

extension ToolError {
  static let noTerminal = sentence(
    "pick needs a terminal, and standard input or output is not one; use pick --json, "
      + "or --app NAME with --touch, --first-immediate, --device, --network or --count", .usage)

  static let unknownTerminal = sentence(
    "the terminal is of an unknown kind, or has no screen to draw on; set TERM (xterm-256color, linux), "
      + "or use pick --json", .usage)
}
