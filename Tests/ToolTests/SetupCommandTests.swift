// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import JSON
import TestSupport
import Testing
import Varlink

/// setup with the real agent and a simulated scene; programs of the system are stand-ins.
@Suite(.serialized)
struct SetupCommandTests {
  static let bulb = "C4:A1:00:00:2F:14"
  static let account = NSUserName()

  func manifest(_ agent: ScenarioAgent) throws -> String {
    try String(contentsOfFile: agent.folder.path + "/manifest.toml", encoding: .utf8)
  }

  func options(_ agent: ScenarioAgent) -> [String] {
    ["--manifest", agent.folder.path + "/manifest.toml", "--seconds", "2"]
  }

  @Test(
    "With every answer as an option it adds an app and an item, sets the device up, and shows status and list"
  )
  func script() throws {
    let agent = try ScenarioAgent()
    let before = try manifest(agent)
    let words =
      ["setup", "--app", "porch", "--user", Self.account, "--device", Self.bulb, "--name", "Porch", "--yes"]
      + options(agent) + ["--socket", agent.socket]
    let run = try Tool.run(words)
    #expect(run.status == 0, "\(run.errorOutput)")
    let text = try manifest(agent)
    #expect(text.hasPrefix(before) && text.contains("\n[[app.porch.item]]\n"))
    #expect(try Tool.run("check", agent.folder.path + "/manifest.toml").status == 0)
    #expect(run.text.contains("\n+[app.porch]\n+user = \"\(Self.account)\"\n+supports = [\"Bluetooth\"]\n"))
    #expect(run.text.contains("\n+[[app.porch.item]]\n"))
    #expect(run.text.contains("Porch (porch): "))
    #expect(run.text.contains("radio") && run.lines.last?.contains("Porch") == true, "\(run.text)")
    #expect(
      run.errorOutput.contains(
        """
        This will:
          make the agent read the manifest again
          change \(agent.folder.path)/manifest.toml:

        """), "\(run.errorOutput)")

    let again = try Tool.run(words)
    #expect(again.status == 0, "\(again.errorOutput)")
    #expect(again.errorOutput.contains("the app \"porch\" has \(Self.bulb) already"))
    #expect(try manifest(agent) == text)
  }

  @Test("What cannot be done is said before anything changes")
  func refusals() throws {
    let agent = try ScenarioAgent()
    let before = try manifest(agent)
    func refused(_ status: Int32, _ sentence: String, _ arguments: String...) throws {
      let run = try Tool.run(["setup"] + arguments + options(agent) + ["--socket", agent.socket])
      #expect(run.status == status, "\(arguments) \(run.errorOutput)")
      #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
      #expect(try manifest(agent) == before)
    }
    try refused(64, "there is no terminal: run it in a terminal, or with --yes", "--app", "porch")
    try refused(64, "--app is missing: without a terminal it has to be given", "--yes")
    try refused(64, "--user or --group is missing", "--yes", "--app", "porch")
    try refused(64, "--user and --group exclude each other", "--user", "a", "--group", "b")
    try refused(64, "--radio takes any, hci0", "--radio", "tea")
    try refused(
      64, "there is no profile of the board \"toaster\"; there are: generic, ", "--yes", "--board", "toaster",
      "--app", "porch", "--user", Self.account)
    try refused(
      64, "there is no account \"no-such-user\"", "--yes", "--operator", "no-such-user", "--app", "porch",
      "--user",
      Self.account)
    try refused(
      64, "there is no group \"no-such-group\"; create it", "--yes", "--app", "porch", "--group",
      "no-such-group")
    try refused(
      64, "the manifest gives the app \"lights\" another account", "--yes", "--app", "lights", "--user",
      "daemon")
    let broken = try agent.folder.file("broken.toml", "schema = 1\n[app.lights\n")
    let run = try Tool.run("setup", "--yes", "--app", "a", "--manifest", broken, "--socket", agent.socket)
    #expect(run.status == 65 && run.errorOutput.contains("broken.toml:2:"))
    let dotted = try agent.folder.file("dotted.toml", "schema = 1\ngateway.radio = \"any\"\n")
    let unusual = try Tool.run(
      "setup", "--yes", "--app", "a", "--user", Self.account, "--radio", "hci0", "--manifest", dotted,
      "--socket",
      agent.socket)
    #expect(
      unusual.status == 65
        && unusual.errorOutput.contains("has no table [gateway] that radio can be written to"))
  }

  /// Runs setup for the service of the system, whose programs are these scripts.
  func runManaged(
    _ agent: ScenarioAgent, _ programs: [String: String], _ arguments: String, manifest: String? = nil
  ) throws -> Tool.Run {
    let folder = agent.folder.path + "/programs"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, script) in programs {
      try ProgramFile.writeScript(
        "#!/bin/sh\necho \"\(name) $*\" >> \(agent.folder.path)/calls\n\(script)\n", to: folder + "/" + name)
    }
    return try Tool.shell(
      #"export PATH="$1" ACCESSORYD_SOCKET="$2"; exec "$TOOL" setup --yes --seconds 2 --manifest "$3" "#
        + arguments,
      programs.isEmpty ? "/nowhere" : folder + ":/usr/bin:/bin", agent.socket,
      manifest ?? agent.folder.path + "/manifest.toml")
  }

  func calls(_ agent: ScenarioAgent) -> [Substring] {
    ((try? String(contentsOfFile: agent.folder.path + "/calls", encoding: .utf8)) ?? "").split(
      separator: "\n")
  }

  @Test(
    "It creates the app's account, then starts the service", .enabled(if: geteuid() == 0, "only root may"))
  func service() throws {
    let agent = try ScenarioAgent()
    let stopped = #"[ "$1" = is-active ] && exit 3; exit 1"#
    let run = try runManaged(
      agent, ["systemctl": stopped, "useradd": "exit 0"],
      "--app porch --user no-such-user --device \(Self.bulb)")
    #expect(run.status == 71)
    #expect(
      run.errorOutput.hasSuffix(
        "accessoryctl: the account no-such-user was created and stays\n"
          + "accessoryctl: systemctl enable --now accessoryd failed with status 1; journalctl -u accessoryd -n 20 says why; then run "
          + "accessoryctl setup again\n"), "\(run.errorOutput)")
    #expect(run.errorOutput.contains("  create the account no-such-user (useradd)\n"))
    #expect(
      run.errorOutput.contains(
        "  start the agent, now and whenever the gateway starts (systemctl enable --now)\n"))
    #expect(
      calls(agent) == [
        "systemctl is-active --quiet accessoryd",
        "useradd --system --no-create-home --shell /usr/sbin/nologin no-such-user",
        "systemctl enable --now accessoryd",
      ])
    #expect(try manifest(agent).contains("user = \"no-such-user\""))
  }

  @Test(
    "For an interface that looks for networks, the service gets its drop-in and is started again",
    .enabled(if: geteuid() == 0, "only root may"))
  func networks() throws {
    let agent = try ScenarioAgent()
    let dropIn = "/etc/systemd/system/accessoryd.service.d/wifi.conf"
    let run = try runManaged(
      agent, ["systemctl": #"[ "$1" != restart ]"#, "install": "exit 0"],
      "--app porch --user \(Self.account) --wifi wlan0 --device \(Self.bulb)")
    #expect(run.status == 71)
    #expect(run.errorOutput.contains("systemctl restart accessoryd failed with status 1"))
    #expect(
      run.errorOutput.contains(
        """
          let the agent read networks by nl80211 too, with \(dropIn)
          start the agent again (systemctl restart)

        """), "\(run.errorOutput)")
    #expect(
      calls(agent) == [
        "systemctl is-active --quiet accessoryd",
        "systemctl show accessoryd --property=RestrictAddressFamilies",
        "install -D -m 644 /usr/share/accessoryd/wifi.conf \(dropIn)", "systemctl daemon-reload",
        "systemctl restart accessoryd",
      ])
    #expect(try manifest(agent).contains("\nwifi = \"wlan0\"\n"))
    let wrong = try runManaged(agent, ["systemctl": "exit 0"], "--app porch --wifi 'a b'")
    #expect(wrong.status == 64 && wrong.errorOutput.contains("--wifi takes the name of an interface"))
  }

  @Test(
    "After systemd failed to read the drop-in, or to restart the service, the next setup does both again, the one after does nothing",
    .enabled(if: geteuid() == 0, "only root may"))
  func repeatedNetworks() throws {
    let agent = try ScenarioAgent()
    let path = agent.folder.path
    let systemctl = """
      case "$1" in
      daemon-reload)
        if [ ! -e \(path)/failed ]; then touch \(path)/failed; exit 1; fi
        touch \(path)/loaded ;;
      restart)
        if [ ! -e \(path)/failed-again ]; then touch \(path)/failed-again; exit 1; fi
        touch \(path)/restarted ;;
      show)
        case "$3" in
        *Timestamp) if [ -e \(path)/restarted ]; then echo @1700000060; else echo @1600000000; fi ;;
        *) [ ! -e \(path)/loaded ] || echo "RestrictAddressFamilies=AF_UNIX AF_BLUETOOTH AF_NETLINK" ;;
        esac ;;
      esac
      """
    func run() throws -> Tool.Run {
      try? FileManager.default.removeItem(atPath: path + "/calls")
      return try runManaged(
        agent, ["systemctl": systemctl, "install": "exit 0", "stat": "echo 1700000000"],
        "--app lights --user \(Self.account) --wifi wlan7 --device \(Self.bulb)")
    }
    let first = try run()
    #expect(first.status == 71)
    #expect(
      first.errorOutput.hasSuffix(
        "\(path)/manifest.toml was changed and stays so; correct what is said below, then run accessoryctl setup again\n"
          + "accessoryctl: systemctl daemon-reload failed with status 1; journalctl -n 20 says why; then run "
          + "accessoryctl setup again\n"), "\(first.errorOutput)")
    let looks = [
      "systemctl is-active --quiet accessoryd",
      "systemctl show accessoryd --property=RestrictAddressFamilies",
    ]
    let times = [
      "stat -c %Y /etc/systemd/system/accessoryd.service.d/wifi.conf",
      "systemctl show accessoryd --property=ActiveEnterTimestamp --value --timestamp=unix",
    ]
    func calls() -> [String] { self.calls(agent).map { String($0) } }
    let all: [String] = looks + times
    let second = try run()
    #expect(second.status == 71 && second.errorOutput.contains("systemctl restart accessoryd failed"))
    #expect(Array(calls().prefix(2)) == looks)
    let third = try run()
    #expect(third.status == 0, "\(third.errorOutput)")
    #expect(Array(calls().prefix(4)) == all)
    #expect(Array(calls().suffix(2)) == ["systemctl daemon-reload", "systemctl restart accessoryd"])
    let fourth = try run()
    #expect(fourth.status == 0, "\(fourth.errorOutput)")
    #expect(calls() == all)
  }

  @Test("A network becomes the first accessory: the app looks for networks, and an item has its name")
  func network() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/m.toml"
    let reloaded = Message.reply {
      ReloadReply(itemsKept: 0, itemsAdded: 1, itemsRemoved: 0, hasRestartedRadio: false, warnings: [])
        .writeMembers(to: &$0)
    }
    let agent = try StandInAgent(
      [],
      [
        "Reload": [reloaded], "List": PickerSamples.list(),
        "Open": [PickerSamples.opened, PickerSamples.setUp("Cam"), PickerSamples.empty],
      ])
    let words = [
      "setup", "--yes", "--app", "cameras", "--user", Self.account, "--wifi", "nope0", "--socket", agent.path,
      "--manifest", path,
    ]
    let run = try Tool.run(words + ["--network", #"Cam "1""#])
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("warning: there is no interface nope0; "))
    #expect(!run.errorOutput.contains("no effect"), "\(run.errorOutput)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("\nsupports = [\"Bluetooth\", \"WiFi\"]\n"))
    #expect(text.hasSuffix("\ndescriptor.ssid = \"Cam \\\"1\\\"\"\n"), "\(text)")
    let opening = try agent.call("Open")
    #expect(opening["network"] == .string(#"Cam "1""#) && opening["app"] == .string("cameras"))
    let wrong = try Tool.run(words + ["--network", "a", "--device", Self.bulb])
    #expect(wrong.status == 64 && wrong.errorOutput.contains("--device and --network exclude each other"))
  }

  @Test("Where no agent is there, setup says that the manifest was written, and what to do next")
  func noAgent() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/m.toml"
    let run = try Tool.run(
      "setup", "--yes", "--app", "porch", "--user", Self.account, "--device", Self.bulb, "--manifest", path,
      "--socket", folder.path + "/nothing")
    #expect(run.status != 0 && FileManager.default.fileExists(atPath: path))
    #expect(
      run.errorOutput.contains("\(path) was created and stays so; correct what is said below, then run"),
      "\(run.errorOutput)")
  }

  @Test("An app that is there looks for networks too, once an interface is given; without one no network is")
  func networkOfKnownApp() throws {
    let agent = try ScenarioAgent()
    let words = ["setup", "--yes", "--app", "lights", "--device", Self.bulb] + options(agent)
    let unnamed = try Tool.run(
      "setup", "--yes", "--app", "lights", "--network", "a", "--manifest",
      agent.folder.path + "/manifest.toml", "--socket", agent.socket)
    #expect(unnamed.status == 64)
    #expect(unnamed.errorOutput.contains("--network needs the interface that looks for networks"))
    let run = try Tool.run(words + ["--wifi", "lo", "--socket", agent.socket])
    #expect(run.errorOutput.contains("warning: the interface lo is not wireless; "), "\(run.errorOutput)")
    #expect(!run.errorOutput.contains("no app looks for networks"), "\(run.errorOutput)")
    #expect(try manifest(agent).contains("\"WiFi\"]"))
  }

  @Test(
    "A program of the system that fails or is missing is named, with what to do",
    .enabled(if: geteuid() == 0, "only root may"))
  func programs() throws {
    let agent = try ScenarioAgent()
    let before = try manifest(agent)
    let missing = try runManaged(agent, [:], "--app porch --user \(Self.account)")
    #expect(missing.status == 71)
    #expect(
      missing.errorOutput.contains(
        "systemctl cannot be run: No such file or directory; without systemd, start the agent yourself, and name its "
          + "socket with --socket"))
    let failing = try runManaged(
      agent, ["systemctl": "exit 0", "useradd": "exit 9"],
      "--app porch --user no-such-user --device \(Self.bulb)")
    #expect(failing.status == 71)
    #expect(
      failing.errorOutput.contains("no-such-user failed with status 9; create the account yourself, or give"))
    #expect(try manifest(agent) == before)
    let member = try runManaged(
      agent, ["systemctl": "exit 0", "usermod": "exit 6"],
      "--app porch --user \(Self.account) --operator daemon --device \(Self.bulb)")
    #expect(
      member.errorOutput.contains("usermod -aG accessory daemon failed with status 6; see that the group"))
  }

  @Test(
    "Without a manifest it begins one, which any account may read",
    .enabled(if: geteuid() == 0, "only root may"))
  func firstManifest() throws {
    let agent = try ScenarioAgent()
    let path = agent.folder.path + "/first.toml"
    let run = try runManaged(
      agent, ["systemctl": #"[ "$1" = is-active ] && exit 3; exit 1"#],
      "--app porch --user \(Self.account) --radio hci0 --board generic --device \(Self.bulb)", manifest: path)
    #expect(run.status == 71, "\(run.errorOutput)")
    #expect(run.errorOutput.contains("  create \(path):\n"))
    #expect(
      try String(contentsOfFile: path, encoding: .utf8).hasSuffix(
        """
        schema = 1

        [gateway]
        radio = "hci0"

        [app.porch]
        user = "\(Self.account)"
        supports = ["Bluetooth"]

        """))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
    #expect(try Tool.run("check", path).status == 0)
  }

  @Test("On a terminal it asks one question after the other, and shows every change before it makes it")
  func dialogue() throws {
    let agent = try ScenarioAgent()
    let before = try manifest(agent)
    let terminal = try TerminalSession(
      ["setup", "--socket", agent.socket] + options(agent), columns: 100, rows: 50, showsErrors: true)
    try terminal.press("tea", "Enter", after: "[h4:controller] >")
    try terminal.press("Enter", after: "write any, hci0 or an address such as AA:BB:CC:DD:EE:FF")
    try terminal.press("Enter", after: "[virtual] >")
    try terminal.press("none", "Enter", after: "beside root? \"none\" for none.")
    try terminal.press("Enter", "porch", "Enter", after: "  in the manifest: lights, scenes, shelf")
    try terminal.press(Self.account, "Enter", after: "[porch] >")
    try terminal.press("perhaps", "Enter", after: "Do you use Home Assistant?")
    try terminal.press("yes", "Enter", after: "write yes or no")
    try terminal.press("Enter", after: "install the package accessory-gateway-esphome first")
    let page = try terminal.wait(for: "Go on? [y/N]")
    #expect(page.contains("This will:\n  make the agent read the manifest again\n  change "))
    #expect(page.contains("+[app.porch]\n+user = \"\(Self.account)\"\n+supports = [\"Bluetooth\"]\n"))
    #expect(try manifest(agent) == before)
    try terminal.press("y", "Enter")
    try terminal.wait(
      for: "Which device is the first accessory? A number, an address, or nothing to look again.")
    try terminal.press(Self.bulb, "Enter")
    try terminal.wait(for: "listening to \(Self.bulb) for 2 s")
    let item = try terminal.wait(for: "+[[app.porch.item]]")
    #expect(!(try manifest(agent)).contains("[[app.porch.item]]"), "\(item)")
    try terminal.press("y", "Enter")
    try terminal.expectEnd(0)
    #expect(try manifest(agent).contains("[[app.porch.item]]"))
    #expect(try agent.run("list", "--app", "porch").status == 0)
  }

  @Test("An answer that is no leaves everything as it was")
  func refusal() throws {
    let agent = try ScenarioAgent()
    let before = try manifest(agent)
    let terminal = try TerminalSession(
      [
        "setup", "--socket", agent.socket, "--app", "porch", "--user", Self.account, "--radio",
        "h4:controller",
        "--board", "virtual", "--operator", "none", "--no-home-assistant",
      ] + options(agent), showsErrors: true)
    try terminal.press("n", "Enter", after: "Go on? [y/N]")
    try terminal.wait(for: "accessoryctl: nothing was changed")
    try terminal.expectEnd(1)
    #expect(try manifest(agent) == before)
  }
}
