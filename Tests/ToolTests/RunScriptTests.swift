// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

/// Scripts/run with the programs of this build, for as long as it has an owner.
private final class RunningScript {
  let folder: TemporaryFolder
  private let process = Process()

  init(_ arguments: [String] = []) throws {
    folder = try TemporaryFolder()
    // Other tests of this process have these signals blocked, which a program inherits.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["--default-signal=HUP,INT,TERM", "/usr/bin/setsid", "--wait", Package.path("Scripts/run")] + arguments
    process.environment = [
      "PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": folder.path,
      "ACCESSORY_PROGRAMS": URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: try folder.file("output", []))
    process.standardError = FileHandle(forWritingAtPath: try folder.file("error", []))
    try process.run()
  }

  deinit {
    for identifier in processes { kill(identifier, SIGKILL) }
  }

  var output: String { (try? String(contentsOfFile: folder.path + "/output", encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: folder.path + "/error", encoding: .utf8)) ?? "" }

  /// The processes that have the script's temporary folder in their environment.
  var processes: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { identifier in
      let variables = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(identifier)/environ"))
      return variables?.range(of: Data("TMPDIR=\(folder.path)".utf8)) != nil
    }
  }

  /// The script itself, which leads a process group as in a terminal.
  var script: Int32? {
    processes.first { identifier in
      let words = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(identifier)/cmdline"))
      return words?.range(of: Data("bash".utf8)) != nil && getpgid(identifier) == identifier
    }
  }

  func wait(for what: Comment, _ isDone: () -> Bool) throws {
    let isInTime = happens(within: 60, isDone)
    try #require(isInTime, "\(what): \(output)\(errors)")
  }

  func awaitEnd() throws -> Int32 {
    try wait(for: "it ends") { !process.isRunning }
    return process.terminationStatus
  }

  /// What is left in the temporary folder beside what this test has put there.
  var leftovers: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
      $0 != "output" && $0 != "error"
    }
  }
}

@Suite("Scripts/run")
struct RunScriptTests {
  @Test(
    "It shows the scene live, and ends everything on Ctrl-C, SIGTERM and SIGHUP",
    arguments: [(SIGINT, true), (SIGTERM, false), (SIGHUP, false)])
  func signals(signal: Int32, isForAll: Bool) throws {
    let run = try RunningScript()
    try run.wait(for: "an accessory is found") { run.output.contains(" found ") }
    #expect(run.errors.contains("the agent runs; in another terminal, try:"))
    let script = try #require(run.script)
    // A terminal sends Ctrl-C to all of its foreground.
    kill(isForAll ? -script : script, signal)
    #expect(try run.awaitEnd() == 128 + signal)
    #expect(run.processes.isEmpty && run.leftovers.isEmpty, "\(run.processes) \(run.leftovers)")
  }

  @Test("An app of the caller's account gets the bulb that accessoryctl pick chooses in another terminal")
  func app() throws {
    let run = try RunningScript()
    try run.wait(for: "the app asks for an accessory") { run.output.contains("app: pickerDidPresent\n") }
    let socket = try #require(run.errors.firstMatch(of: /ACCESSORYD_SOCKET=(\S+)/)?.1)
    let commands = run.errors
    #expect(commands.contains("  accessoryctl pick ") && commands.contains("  accessoryctl list\n"))
    #expect(commands.contains("Scripts/examples/guide/lamp.py "))
    // Nothing keeps other accounts from the socket but the test's own folder.
    let folder = URL(fileURLWithPath: String(socket)).deletingLastPathComponent().path
    let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
    #expect(mode == 0o755)
    let terminal = try TerminalSession(["pick", "--socket", String(socket)])
    // The scene carries it near 12 s after its start, for 19 s.
    try terminal.wait(for: "▸ Lumo bulb")
    // A device that has just moved to the top is chosen only by another press. The last one accepts its name.
    try run.wait(for: "the app has it") {
      try? terminal.press("Enter")
      return run.output.contains("app: accessoryAdded: Lumo bulb\n")
    }
  }

  @Test("The caller's account is an app's in the copy of a manifest, and your app takes the example's place")
  func ownApp() throws {
    let folder = try TemporaryFolder()
    let manifest = try folder.file(
      "own.toml",
      """
      schema = 1
      [app.meters]
      group = "games"
      supports = ["Bluetooth"]
      bluetooth-services = ["FCD2"]
      [[app.meters.item]]
      name = "Meter"
      descriptor.bluetooth-service-uuid = "FCD2"

      """)
    let run = try RunningScript(["--manifest", manifest])
    try run.wait(for: "an accessory is found") { run.output.contains(" found ") }
    let socket = try #require(run.errors.firstMatch(of: /ACCESSORYD_SOCKET=(\S+)/)?.1)
    let app = try Tool.shell(
      #"ACCESSORYD_SOCKET=$1 timeout 5 python3 "$2" || true"#, String(socket),
      Package.path("Scripts/examples/guide/lamp.py"))
    #expect(app.text.contains("activated: 0 accessories\npickerDidPresent\n"), "\(app.errorOutput)")
    #expect(!run.output.contains("app: "))
  }

  @Test("The Info.plist of the app author's guide makes a gateway for the guide's program")
  func guide() throws {
    let guide = try String(
      contentsOfFile: Package.path("Sources/AccessorySetupKit/README.md"), encoding: .utf8)
    let block = try #require(guide.split(separator: "```xml\n").last?.split(separator: "```").first)
    let folder = try TemporaryFolder()
    let run = try RunningScript(["--plist", try folder.file("Info.plist", block)])
    try run.wait(for: "the agent runs") { run.errors.contains("the agent runs") }
    let socket = try #require(run.errors.firstMatch(of: /ACCESSORYD_SOCKET=(\S+)/)?.1)
    let app = try Tool.shell(
      #"ACCESSORYD_SOCKET=$1 timeout 5 "$2/lamp" || true"#, String(socket),
      URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path)
    #expect(
      app.text.contains("activated: 0 accessories\npickerDidPresent\n"), "\(app.text)\(app.errorOutput)")
  }

  @Test("An Info.plist is enough for a gateway with the app, and an accessory in its reach")
  func plist() throws {
    // A name in quotes, and longer than an advertisement.
    let dice = try String(contentsOfFile: Package.path("Scripts/examples/dice/Info.plist"), encoding: .utf8)
    let names =
      #"<key>NSAccessorySetupBluetoothNames</key><array><string>A "die" \#(String(repeating: "x", count: 40))"#
    let folder = try TemporaryFolder()
    let plist = try folder.file(
      "Info.plist", Array(dice.replacing("</dict>", with: "\(names)</string></array></dict>").utf8))
    let run = try RunningScript(["--plist", plist])
    try run.wait(for: "the agent runs") { run.errors.contains("the agent runs") }
    let socket = try #require(run.errors.firstMatch(of: /ACCESSORYD_SOCKET=(\S+)/)?.1)
    let app = try Tool.shell(
      #"echo add | ACCESSORYD_SOCKET=$1 timeout 5 "$2/dice" || true"#, String(socket),
      URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path)
    #expect(
      app.text.contains("activated: 0 accessories\npickerDidPresent\n"), "\(app.text)\(app.errorOutput)")
    let seen = try Tool.run(["sightings", "--all", "--socket", String(socket)])
    #expect(seen.text.contains("F0:F1:D1:CE:00:01") && seen.text.contains(#"A \"die\" xxx"#), "\(seen.text)")
  }

  @Test("An Info.plist without Bluetooth is refused")
  func emptyPlist() throws {
    let folder = try TemporaryFolder()
    let plist = try folder.file(
      "Info.plist",
      Array(
        "<plist version=\"1.0\"><dict><key>NSAccessorySetupSupports</key><array><string>WiFi</string></array></dict></plist>"
          .utf8))
    let run = try RunningScript(["--plist", plist])
    #expect(try run.awaitEnd() == 65)
    #expect(run.errors.contains("declares no Bluetooth service"))
    #expect(run.processes.isEmpty && run.leftovers.isEmpty, "\(run.processes) \(run.leftovers)")
  }

  @Test("It ends after --seconds", arguments: [["--scene"], ["--room"], []])
  func seconds(option: [String]) throws {
    let scene = option.isEmpty ? [] : option + [Package.path("Config/story-scene.toml")]
    let run = try RunningScript(["--seconds", "3"] + scene)
    #expect(try run.awaitEnd() == 0, "\(run.errors)")
    #expect(run.processes.isEmpty && run.leftovers.isEmpty, "\(run.processes) \(run.leftovers)")
  }

  @Test("A scene with a mistake is reported, and nothing is left running")
  func badScene() throws {
    let run = try RunningScript(["--scene", Package.path("Config/accessoryd.toml")])
    #expect(try run.awaitEnd() == 65)
    #expect(run.errors.contains("virtual-controller: "))
    #expect(run.processes.isEmpty && run.leftovers.isEmpty, "\(run.processes) \(run.leftovers)")
  }
}
