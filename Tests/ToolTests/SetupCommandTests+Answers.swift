// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import Testing
import Varlink

extension SetupCommandTests {
  /// A stand-in for an agent that reads every manifest, and sets up a network.
  func networkAgent() throws -> StandInAgent {
    let reloaded = Message.reply {
      ReloadReply(itemsKept: 0, itemsAdded: 1, itemsRemoved: 0, hasRestartedRadio: false, warnings: [])
        .writeMembers(to: &$0)
    }
    return try StandInAgent(
      [],
      [
        "Reload": [reloaded], "List": PickerSamples.list(),
        "Open": [PickerSamples.opened, PickerSamples.setUp("Cam"), PickerSamples.empty],
      ])
  }

  @Test("An app's name with dots is quoted in the manifest, of a new app and of one that is there")
  func dottedName() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/m.toml"
    let agent = try networkAgent()
    for number in 1...2 {
      let run = try Tool.run(
        "setup", "--yes", "--app", "com.example.lights", "--user", Self.account, "--wifi", "nope0",
        "--network",
        "Cam-\(number)", "--socket", agent.path, "--manifest", path)
      #expect(run.status == 0, "\(run.errorOutput)")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("\n[app.\"com.example.lights\"]\nuser = \"\(Self.account)\"\n"))
      #expect(text.split(separator: "\n").count { $0 == #"[[app."com.example.lights".item]]"# } == number)
    }
    #expect(try Tool.run("check", path).status == 0)
  }

  @Test("--wifi none adds no interface, and says that one of the manifest stays")
  func noInterface() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/m.toml"
    func run(_ arguments: String...) throws -> Tool.Run {
      try Tool.run(
        ["setup", "--yes", "--app", "porch", "--user", Self.account, "--wifi", "none", "--manifest", path]
          + ["--socket", folder.path + "/nothing"] + arguments)
    }
    let network = try run("--network", "a")
    #expect(network.status == 64 && network.errorOutput.contains("--network needs the interface"))
    let new = try run("--device", Self.bulb)
    #expect(!new.errorOutput.contains("warning"), "\(new.errorOutput)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains("wifi") && text.contains("\nsupports = [\"Bluetooth\"]\n"))
    let known = text + "\n[gateway]\nwifi = \"wlan0\"\n"
    _ = try folder.file("m.toml", known)
    let present = try run("--device", Self.bulb)
    #expect(present.errorOutput.contains("warning: the manifest names the interface wlan0, which stays; "))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == known)
  }

  @Test(
    "Any name of a network can become the name of an item",
    arguments: ["\u{65E5}\u{672C}", "  ", String(repeating: #"\u{1B}"#, count: 24)])
  func networkName(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/m.toml"
    let run = try Tool.run(
      "setup", "--yes", "--app", "cameras", "--user", Self.account, "--wifi", "nope0", "--network",
      name, "--socket", try networkAgent().path, "--manifest", path)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\nname = \"Network"))
  }

  @Test(
    "An account is not created with a name that Debian's tools refuse",
    .enabled(if: geteuid() == 0, "only root may"))
  func accountName() throws {
    let agent = try ScenarioAgent()
    let run = try runManaged(
      agent, ["systemctl": #"[ "$1" = is-active ] && exit 3; exit 1"#, "useradd": "exit 0"],
      #"--app porch --user 'NO\such"user' --device "# + Self.bulb)
    #expect(
      run.status == 64 && run.errorOutput.contains("none is created with such a name"), "\(run.errorOutput)")
    #expect(try !manifest(agent).contains("porch"))
    #expect(!calls(agent).contains { $0.hasPrefix("useradd") })
  }

  @Test(
    "With --home-assistant it adds the bridge's section, starts its service, and prints its key; once",
    .enabled(if: geteuid() == 0, "only root may"))
  func homeAssistant() throws {
    let agent = try ScenarioAgent()
    let options = "--app porch --user \(Self.account) --home-assistant --device \(Self.bulb)"
    let without = try runManaged(agent, ["systemctl": "exit 0"], options)
    #expect(
      without.status == 64
        && without.errorOutput.contains(
          "--home-assistant: install the package accessory-gateway-esphome first"),
      "\(without.errorOutput)")
    let programs = ["systemctl": "exit 0", "accessory-esphome": "echo the-key"]
    let run = try runManaged(agent, programs, options)
    #expect(run.status == 0, "\(run.errorOutput)")
    let text = try manifest(agent)
    let section = """

      [bridge.homeassistant]
      user = "accessory-esphome"
      may = ["pick", "rename", "remove", "scan"]

      """
    #expect(text.contains(section), "\(text)")
    #expect(
      run.errorOutput.contains(
        "  start accessory-esphome, now and whenever the gateway starts (systemctl enable --now)"))
    #expect(calls(agent).contains("systemctl enable --now accessory-esphome"))
    #expect(run.text.contains("the-key") && run.errorOutput.contains("add the gateway that it has found"))
    let again = try runManaged(agent, programs, options)
    #expect(again.status == 0, "\(again.errorOutput)")
    #expect(try manifest(agent) == text)
    #expect(calls(agent).count { $0.hasPrefix("accessory-esphome") } == 1)
  }
}
