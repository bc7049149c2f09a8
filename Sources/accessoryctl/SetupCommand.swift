// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import ToolSystem
import ToolText

struct SetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Set up this gateway, an app, and its first accessory.",
    usage: """
      accessoryctl setup
      accessoryctl setup --app <name> --device <device> --yes [options]
      accessoryctl setup --app <name> --wifi <interface> --network <ssid> --yes [options]
      """,
    discussion: """
      Asks, one after the other, for the adapter, the board, an operator, an app with its account, \
      whether you use Home Assistant, and for a device in sight. With an interface for networks, you can choose a network that the kernel \
      knows instead; --network names one that may be in sight only later. What you give as an option is not asked; without a terminal, everything \
      has to be given that has no default. Before anything changes it shows all changes, and asks; \
      --yes answers that. It adds to the manifest that is there. It creates accounts, starts the \
      agent or makes it read the manifest again, adds an item for the device or network, sets it up as \
      pick does, and prints status and list. You can repeat it: what is done already is left as it \
      is. Run it as root. With --socket it leaves the service alone: the agent there must be running. \
      Exit status: 0 the app has the accessory, 1 it does not.

      Examples:
        sudo accessoryctl setup
        sudo accessoryctl setup --app lights --user lights --device AA:BB:CC:DD:EE:FF --yes
        sudo accessoryctl setup --app cameras --user cameras --wifi wlan0 --network Cam-0001 --yes
      """)

  @OptionGroup var options: SetupOptions

  @OptionGroup var gateway: GatewayOptions

  func run() throws {
    let dialogue = SetupDialogue(isTerminal: StandardInput.isTerminal && StandardError.isTerminal)
    if gateway.socket == nil, !Accounts.isRoot {
      throw ToolError.sentence(
        "setup writes the manifest, creates accounts and starts the agent; run it as root: sudo accessoryctl setup",
        .noPermission)
    }
    if !dialogue.isTerminal, !options.isYes {
      throw ToolError.sentence(
        "setup shows what it changes and asks, and there is no terminal: run it in a terminal, or with --yes",
        .usage)
    }
    let file = try SetupManifest(reading: options.manifest.path)
    let plan = try SetupPlan(file, options, dialogue, service: AgentService(socket: gateway.socket))
    try plan.account.create()
    do {
      try plan.makeChanges(gateway)
      try setUpAccessory(file, plan, dialogue)
    } catch {
      plan.account.sayThatItStays()
      throw error
    }
  }

  /// Adds an item for the device or network, chooses it, and shows how the gateway is now.
  private func setUpAccessory(
    _ file: SetupManifest, _ plan: SetupPlan, _ dialogue: SetupDialogue
  ) throws {
    let app = plan.app
    let accessory = try chooseAccessory(plan, dialogue)
    let result: Result<Void, any Error>
    if try accessory.isAccessory(ofApp: app, gateway) {
      StandardError.say("the app \(quoted(app)) has \(accessory.text) already")
      result = .success(())
    } else {
      let item = try addItem(for: accessory, file, app, dialogue)
      result = Result { try pick(accessory, item, app) }
    }
    // A problem of the agent is shown, and does not decide whether the accessory was set up.
    for command in [["status"], ["list", "--app", app]] { try? run(command) }
    try result.get()
  }

  private func chooseAccessory(
    _ plan: SetupPlan, _ dialogue: SetupDialogue
  ) throws(ToolError) -> SetupAccessory {
    if let network = options.network { return .network(network) }
    return try SetupDevices.choose(options.device, hasNetworks: plan.hasNetworks, gateway, dialogue)
  }

  private func addItem(
    for accessory: SetupAccessory, _ file: SetupManifest, _ app: String, _ dialogue: SetupDialogue
  ) throws(ToolError) -> String {
    let suggestion = try accessory.suggestion(seconds: options.seconds, gateway)
    // It may have been created since.
    let file = try SetupManifest(reading: file.path)
    let addition = try file.adding(suggestion, to: app)
    guard let text = addition.text else { return addition.item }
    try dialogue.confirm(
      ["change \(shown(file.path)):"], file: addition.difference, isYes: options.isYes,
      refusal: "no item was added")
    try file.replace(with: text)
    try AgentService.reload(gateway)
    return addition.item
  }

  private func pick(_ accessory: SetupAccessory, _ item: String, _ app: String) throws {
    let name = options.name.map { ["--name", $0] } ?? []
    try run(["pick", "--app", app, "--item", item, accessory.option, "--timeout", "medium"] + name)
  }

  /// Runs another command of the tool with the same agent.
  private func run(_ words: [String]) throws {
    var command = try Accessoryctl.parseAsRoot(words + (gateway.socket.map { ["--socket", $0] } ?? []))
    try command.run()
  }
}
