// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ToolText

/// The bridge for Home Assistant (Board/homeassistant.md), as `setup` makes it.
enum HomeAssistantBridge {
  /// The program, its unit, and its account.
  static let program = "accessory-esphome"

  /// Returns whether the manifest is to have the section of the bridge; not when it has one.
  static func ask(
    _ given: Bool?, _ manifest: GatewayManifest, _ dialogue: SetupDialogue
  ) throws(ToolError) -> Bool {
    if given == false || manifest.bridges.contains(where: { $0.user == program }) { return false }
    if given == true {
      if let missing { throw .sentence("--home-assistant: \(missing)", .usage) }
      return true
    }
    guard dialogue.isTerminal else { return false }
    let answer = try dialogue.ask(
      "Do you use Home Assistant? It then gets what the accessories send, and can add, rename and remove accessories.",
      ["yes, no"], default: "no", option: "--home-assistant"
    ) { answer in
      switch answer.lowercased() {
      case "no", "n": nil
      case "yes", "y": missing
      default: "write yes or no"
      }
    }
    return answer.lowercased().hasPrefix("y")
  }

  private static var missing: String? {
    AgentService.isInstalled(program)
      ? nil : "install the package accessory-gateway-esphome first, and then run accessoryctl setup again"
  }

  /// The section of the manifest.
  static func section(in manifest: GatewayManifest) -> [String] {
    let names = ["homeassistant", "esphome"]
    let name = names.first { name in !manifest.bridges.contains { $0.name == name } } ?? program
    let may = BridgePermission.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    return ["[bridge.\(name)]", "user = \"\(program)\"", "may = [\(may)]"]
  }

  /// Starts the program, and says what is left to do in Home Assistant.
  static func start() throws(ToolError) {
    try AgentService.run(
      ["systemctl", "enable", "--now", program], cure: "journalctl -u \(program) -n 20 says why")
    StandardError.say(
      "in Home Assistant, under Settings, Devices & services, add the gateway that it has found as an ESPHome device; its "
        + "key is:")
    try AgentService.run([program, "key"], cure: "journalctl -u \(program) -n 20 says why")
  }
}
