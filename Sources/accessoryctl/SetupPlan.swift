// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem
import Manifest
import ManifestFormat
import ToolSystem
import ToolText

/// What `setup` changes before the agent can look for a device: accounts, the manifest, the service.
struct SetupPlan {
  private let file: SetupManifest
  private let service: AgentService
  let app: String
  /// Whether an interface looks for networks.
  let hasNetworks: Bool
  /// The app's account, which comes before every other change; and the operator to add to the group.
  let account: AppAccount
  private let newOperator: String?
  /// The service lacks the drop-in that lets it read networks by nl80211.
  private let addsDropIn: Bool
  private let addsHomeAssistant: Bool
  /// The manifest's new text; nil when it stays.
  private let text: [UInt8]?

  /// Asks what the options do not say and checks what can be checked, then shows every change and asks whether to make
  /// them.
  init(
    _ file: SetupManifest, _ options: SetupOptions, _ dialogue: SetupDialogue, service: AgentService
  ) throws(ToolError) {
    self.file = file
    self.service = service
    let gateway = file.manifest.gateway
    let radio = if let radio = options.radio { radio } else { try Self.radio(gateway.radio, dialogue) }
    let boards = BoardList(manifestPath: file.path)
    let board =
      if let board = options.board {
        board
      } else {
        try Self.board(
          gateway.board, boards, isUSB: Self.isUSB(radio),
          BoardList.profile(named: gateway.board, manifestPath: file.path), dialogue)
      }
    if board != gateway.board, let reason = boards.refusal(of: board) {
      throw .sentence("--board: \(reason)", .usage)
    }
    newOperator = try Self.newOperator(options.operator, dialogue)
    let app = if let app = options.app { app } else { try Self.app(among: file.manifest.apps, dialogue) }
    self.app = app
    account = try AppAccount(
      of: app, in: file.manifest, options.account, dialogue,
      default: dialogue.isTerminal && app.isAccountName ? app : nil)
    addsHomeAssistant = try HomeAssistantBridge.ask(options.homeAssistant, file.manifest, dialogue)
    var settings: [(key: GatewayKey, value: String)] = []
    if radio != gateway.radio.text { settings.append((.radio, radio)) }
    if board != gateway.board { settings.append((.board, board)) }
    let wifi = try Self.wifi(options.wifi, gateway.wifi, dialogue)
    if options.network != nil, wifi == nil {
      throw .sentence("--network needs the interface that looks for networks: name it with --wifi", .usage)
    }
    hasNetworks = wifi != nil
    if let wifi, wifi != gateway.wifi { settings.append((.wifi, wifi)) }
    addsDropIn = if wifi == nil { false } else { try service.lacksNetworkDropIn() }
    let changed = try file.text(
      settings: settings, app: (app, account.account),
      supportsNetworks: options.wifi ?? "none" != "none" || wifi != gateway.wifi,
      sections: addsHomeAssistant ? [HomeAssistantBridge.section(in: file.manifest)] : [])
    text = changed == file.text && !file.isNew ? nil : changed
    guard dialogue.isTerminal || options.device != nil || options.network != nil else {
      throw .sentence("--device or --network is missing: without a terminal it has to be given", .usage)
    }
    // Where nothing changes, the app may have the accessory already.
    if text != nil || account.newUser != nil {
      try file.checkChange(to: changed, app: app, suggestion: options.network.map(SetupAccessory.item))
    }
    try dialogue.confirm(changes, file: text.map { file.difference(to: $0) }, isYes: options.isYes)
  }

  private var changes: [String] {
    [
      account.newUser.map { "create the account \(shown($0)) (useradd)" },
      newOperator.map { "make \(shown($0)) an operator: a member of the group accessory (usermod)" },
      addsDropIn ? "let the agent read networks by nl80211 too, with \(AgentService.networkDropIn)" : nil,
      service.change(isManifestChanged: text != nil, isUnitChanged: addsDropIn),
      addsHomeAssistant && service.isManaged
        ? "start \(HomeAssistantBridge.program), now and whenever the gateway starts (systemctl enable --now)"
        : nil,
      text.map { _ in "\(file.isNew ? "create" : "change") \(shown(file.path)):" },
    ].compactMap(\.self)
  }

  /// Makes the changes after the app's account was created.
  func makeChanges(_ gateway: GatewayOptions) throws(ToolError) {
    if let newOperator {
      try AgentService.run(
        ["usermod", "-aG", "accessory", newOperator],
        cure: "see that the group accessory is there (systemd-sysusers creates it), or leave out --operator")
    }
    if let text { try file.replace(with: text) }
    do throws(ToolError) {
      if addsDropIn { try AgentService.addNetworkDropIn() }
      try service.follow(gateway, isUnitChanged: addsDropIn)
      if addsHomeAssistant, service.isManaged { try HomeAssistantBridge.start() }
    } catch {
      if text != nil {
        StandardError.say(
          "\(shown(file.path)) was \(file.isNew ? "created" : "changed") and stays so; correct what is said below, then "
            + "run accessoryctl setup again")
      }
      throw error
    }
  }

  // MARK: - Questions

  private static func radio(_ present: RadioSelection, _ dialogue: SetupDialogue) throws(ToolError) -> String
  {
    let adapters = (try? AdapterSocket().adapters()) ?? []
    let lines = adapters.map { adapter in
      let blocked = AdapterSocket.isBlocked(adapter.index) ? "  (blocked by rfkill)" : ""
      return "hci\(adapter.index)  \(RadioSelection.address(adapter.address).text)\(blocked)"
    }
    return try dialogue.ask(
      "Which Bluetooth adapter does the agent use? Its number may change after a restart, its address does not.",
      ["any   the first that is available"] + (lines.isEmpty ? ["(there is no adapter now)"] : lines),
      default: present.text, option: "--radio"
    ) { RadioSelection(text: $0) == nil ? "write any, hci0 or an address such as AA:BB:CC:DD:EE:FF" : nil }
  }

  private static func board(
    _ present: String, _ boards: BoardList, isUSB: Bool, _ profile: BoardProfile?, _ dialogue: SetupDialogue
  ) throws(ToolError) -> String {
    try dialogue.ask(
      "Which board or adapter is it? Its profile says how long it listens, and how far its readings are off.",
      [boards.names.joined(separator: ", ")],
      default: boards.proposal(inPlaceOf: present, profile, isUSB: isUSB), option: "--board"
    ) { $0 == present ? nil : boards.refusal(of: $0) }
  }

  /// Whether the kernel reaches the adapter over USB. Of any adapter, the agent takes the first.
  private static func isUSB(_ radio: String) -> Bool {
    let adapters = (try? AdapterSocket().adapters()) ?? []
    let chosen: AdapterListing? =
      switch RadioSelection(text: radio) {
      case .any: adapters.first
      case .index(let index): adapters.first { $0.index == index }
      case .address(let address): adapters.first { $0.address == address }
      case .btsnoop, .h4, nil: nil
      }
    return chosen?.isUSB ?? false
  }

  /// Returns the interface that looks for networks; nil for none.
  private static func wifi(
    _ given: String?, _ present: String?, _ dialogue: SetupDialogue
  ) throws(ToolError) -> String? {
    let known = NetworkInterface.wirelessNames
    if given == "none" {
      if let present {
        StandardError.say(
          "warning: the manifest names the interface \(present), which stays; edit it to remove wifi")
      }
      return present
    }
    if let given {
      // It may be plugged in later.
      if let reason = refusal(ofInterface: given, known) { StandardError.say("warning: \(reason)") }
      return given
    }
    guard present == nil, dialogue.isTerminal, !known.isEmpty else { return present }
    let answer = try dialogue.ask(
      "Which interface looks for accessories that are networks? \"none\" for none.", known, default: "none",
      option: "--wifi"
    ) { $0 == "none" ? nil : refusal(ofInterface: $0, known) }
    return answer == "none" ? nil : answer
  }

  private static func refusal(ofInterface name: String, _ known: [String]) -> String? {
    guard !known.contains(name) else { return nil }
    let isThere = (try? NetworkInterface(named: name)) != nil
    let others =
      known.isEmpty
      ? "this machine has no wireless interface now"
      : "the wireless ones are: \(known.joined(separator: ", "))"
    return (isThere ? "the interface \(name) is not wireless" : "there is no interface \(name)")
      + "; \(others)"
  }

  private static func newOperator(
    _ given: String?, _ dialogue: SetupDialogue
  ) throws(ToolError) -> String? {
    // Root is an operator without the group.
    let likely = Environment.value(of: "SUDO_USER").flatMap { $0 == "root" ? nil : $0 } ?? ""
    let name: String
    if let given {
      name = given
    } else if dialogue.isTerminal {
      name = try dialogue.ask(
        "Which account may see devices and choose accessories, beside root? \"none\" for none.", [],
        default: likely.isEmpty ? "none" : likely, option: "--operator", refusal: refusalOfUser)
    } else {
      name = "none"
    }
    guard name != "none" else { return nil }
    if let reason = refusalOfUser(name) { throw .sentence("--operator: \(reason)", .usage) }
    return Accounts.isMember(name, ofGroup: "accessory") ? nil : name
  }

  private static func refusalOfUser(_ name: String) -> String? {
    guard name != "none", Accounts.user(named: name) == .unknown else { return nil }
    return "there is no account \(quoted(name)) on this machine; name one that exists, or none"
  }

  private static func app(among apps: [App], _ dialogue: SetupDialogue) throws(ToolError) -> String {
    try dialogue.ask(
      "Which app gets the accessory? An app is a local program; you choose its name.",
      apps.isEmpty ? [] : ["in the manifest: " + apps.map(\.name).joined(separator: ", ")],
      default: nil, option: "--app"
    ) { $0.isIdentifier ? nil : "write 1 to 64 letters, digits, dots, dashes or underscores" }
  }
}
