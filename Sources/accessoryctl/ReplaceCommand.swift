// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import Terminal
import ToolText

struct ReplaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Give an accessory another device in place of its own.",
    discussion: """
      For a device that has died, or that has another address since it was reset: the accessory keeps its \
      identifiers, its name and its grants, for all apps that have it. The old device is forgotten with its bond; \
      the new one is paired as in a setup. Without DEVICE you choose it on the screen, among those that the \
      accessory's item finds. \
      Exit status: 0 it is replaced, 1 it is not, or there is no such accessory.

      Examples:
        accessoryctl replace "Kitchen"
        accessoryctl replace 4f1c AA:BB:CC:DD:EE:FF --yes
      """)

  @OptionGroup var options: AccessoryOptions

  @Argument(
    help: ArgumentHelp(
      "The new device: its address, or the name by which it calls itself. It is chosen as soon as it is found.",
      valueName: "device"), completion: Completions.devices)
  var device: NamedDevice?

  @Flag(help: "Do not ask before it begins.")
  var yes = false

  @Flag(help: ArgumentHelp("Digits can be read and typed here, although there is no terminal; see answer."))
  var digits = false

  @Option(
    help: ArgumentHelp(
      "How long to wait for the device, as for pick. (default: long)", valueName: "time"))
  var timeout: String?

  @Flag(
    help: "With DEVICE: one JSON object for a question and for the result (Config/schema/picked.schema.json)."
  )
  var json = false

  func validate() throws {
    if json, device == nil { throw ValidationError("--json needs no screen: name the device") }
    if let timeout, DiscoveryTimeout(text: timeout) == nil {
      throw ValidationError(
        "--timeout takes short, medium, long, unbounded, or a number of seconds, as for pick")
    }
  }

  func run() throws {
    let (accessory, all) = try options.resolve(asDevice: true)
    let address = try device?.address(askedOf: options.gateway)
    guard device != nil || TerminalScreen.isThere else { throw Self.noTerminal }
    if let note = accessory.pairingNote { PairingPrompt.say(note) }
    if !yes { try Confirmation.ask(what(accessory, all)) }
    let opening = opening(accessory, address?.text)
    if device != nil {
      var pick = try ScriptedPick(options.gateway, opening, json: json)
      try pick.run()
    } else {
      var picker = try LivePicker(path: options.gateway.path, opening)
      try picker.run()
    }
  }

  private static let noTerminal = ToolError.sentence(
    "replace needs a terminal to choose the device on, and standard input or output is not one; name the device",
    .usage)

  private func what(_ accessory: AccessoryLine, _ all: [AccessoryLine]) -> String {
    let others = accessory.otherApps(among: all)
    let apps = shown(accessory.app) + (others.isEmpty ? "" : ", \(others)")
    let bond = accessory.bond == .none ? "" : ", and so is its bond"
    return "\(quoted(accessory.displayName)) gets another device, for \(apps).\n"
      + "The device that it has is forgotten\(bond)."
  }

  private func opening(_ accessory: AccessoryLine, _ address: String?) -> RequestOpening {
    let (identifier, timeout) = (accessory.identifier, timeout)
    return RequestOpening(
      app: accessory.app, method: .replace,
      awaited: "looking for \(address ?? "a device")", items: accessory.item.map { [$0] } ?? [],
      isAnswered: digits
    ) { json in
      json.member("accessory", identifier)
      if let address { json.member("device", address) }
      if let timeout { json.member("discoveryTimeout", timeout) }
    }
  }
}
