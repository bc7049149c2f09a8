// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// Apps, operators and the tool before the agent itself, in the story's scene.
@Suite("Apps and operators with the real agent")
struct ScenarioTests {
  private static let carried = "C4:A1:00:00:1E:27"

  /// The Python that has the Varlink client of PyPI; nil where none can be made.
  static let python: String? = {
    guard let run = try? Tool.spawn(Package.path("Scripts/steps/varlink-client"), []), run.status == 0 else {
      return nil
    }
    return run.lines.last.map(String.init)
  }()

  /// A program that plays an app, until this ends.
  private final class App {
    private let process = Process()
    private let file: String
    private let folder: TemporaryFolder

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
      folder = try TemporaryFolder()
      file = try folder.file("output", [])
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"].merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle(forWritingAtPath: file)
      process.standardError = process.standardOutput
      try process.run()
    }

    deinit {
      // The program that runs the tests may have blocked the signal that ends this one.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    var output: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    func wait(for line: String, _ location: SourceLocation = #_sourceLocation) throws {
      let begins = #"for i in $(seq 1200); do grep -q "$2" "$1" && exit; sleep 0.05; done; exit 1"#
      let run = try Tool.shell(begins, file, line)
      #expect(run.status == 0, "\(line) is not in: \(output)", sourceLocation: location)
    }

    func end() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  private func app(_ name: String, _ agent: ScenarioAgent) throws -> App {
    try App(
      try #require(Self.python), [Package.path("Scripts/examples/app.py"), agent.socket, name],
      environment: ["PYTHONUNBUFFERED": "1"])
  }

  @Test(
    "An app asks, an operator chooses and names in the picker, and list shows it",
    .enabled(if: python != nil, "needs python3-venv and PyPI, see Scripts/steps/varlink-client"))
  func picker() throws {
    let agent = try ScenarioAgent()
    let terminal = try TerminalSession(["pick", "--socket", agent.socket])
    try terminal.wait(for: "No requests.")
    let shelf = try app("shelf", agent)
    try terminal.wait(for: "shelf asks to set up an accessory")
    // The one that hangs from the ceiling; the row of the other may stand above it or below.
    try terminal.wait(for: "2F:14")
    let lights = try app("lights", agent)
    try terminal.wait(for: "lights")
    let rows = try terminal.wait(for: "▸ Shelf lamp")
    // A key fixes the selection: otherwise Enter is refused just after the other bulb has moved to the top.
    let isSelected = rows.split(separator: "\n").contains { $0.contains("▸") && $0.contains("2F:14") }
    try terminal.press(isSelected ? "Up" : "Down")
    try terminal.wait(for: #"C4:A1:00:00:2F:14, "Lumo E27", last heard"#)
    try terminal.press("Enter")
    try terminal.press("C-u", "W", "a", "l", "l", "Enter", after: "Shelf lamp was chosen.")
    try terminal.wait(for: "Wall is set up for shelf.")
    try shelf.wait(for: "^pickerSetupRename$")
    try shelf.wait(for: "^accessoryAdded: Wall$")
    try shelf.wait(for: "^pickerFinished$")
    #expect(try agent.run("list").text.contains("Wall  shelf/lamp  authorized"))
    try terminal.press("Space")
    try terminal.press("d", "y", after: "holding it at the gateway chooses it")
    try lights.wait(for: "^pickerFinished: an operator denied it; .")
    try terminal.press("q")
    try terminal.expectEnd(0)
  }

  @Test(
    "A shell plays an app with the command line of another implementation",
    .enabled(if: python != nil, "needs python3-venv and PyPI, see Scripts/steps/varlink-client"))
  func shell() throws {
    let agent = try ScenarioAgent()
    let shell = try App(
      "/usr/bin/timeout", ["60", "/bin/sh", Package.path("Scripts/examples/app.sh"), agent.socket, "lights"],
      environment: ["VARLINK": try #require(Self.python) + " -m varlink.cli"])
    let status = shell.end()
    #expect(status == 0, "\(shell.output)")
    #expect(shell.output.contains(#""displayName": "Lumo bulb""#), "\(shell.output)")
    #expect(shell.output.contains(#""address": "\#(Self.carried)""#), "\(shell.output)")
  }

  @Test(
    "A touch runs a program that receives success and failure; the tool says why, and ends in time",
    .enabled(if: getuid() == 0, "only root can run a program under another account"))
  func touch() throws {
    let agent = try ScenarioAgent(
      onTouch: #"case $* in "success bulb lights") ;; "failure bulb lights") exit 7 ;; *) exit 9 ;; esac"#)
    let first = try agent.run("pick", "--app", "lights", "--touch", "--json")
    #expect(first.status == 0 && first.errorOutput.isEmpty, "\(first.errorOutput)\(agent.log)")
    try expectValid(first.output, "picked")
    _ = try agent.run("metrics") { $0.text.contains(#"touch_signals_total{result="done"} 1"#) }
    #expect(try agent.run("remove", Self.carried, "--yes").status == 0)
    let second = try agent.run("pick", "--app", "lights", "--touch", "--timeout", "10")
    #expect(second.status == 1 && second.output.isEmpty)
    let sentence =
      "the device was removed before; accessoryctl allow lights \(Self.carried) lets it in"
    #expect(second.errorOutput.contains("accessoryctl: \(sentence)\n"), "\(second.errorOutput)")
    let metrics = try agent.run("metrics") { $0.text.contains(#"touch_signals_total{result="failed"} 1"#) }
    #expect(metrics.text.contains(#"touch_signals_total{result="done"} 1"#))
    #expect(metrics.text.contains(#"touch_signals_total{result="notRun"} 0"#))
    #expect(agent.log.contains("status 7"), "\(agent.log)")
    #expect(try agent.run("allow", "lights", Self.carried).status == 0)
    #expect(try agent.run("pick", "--app", "lights", "--first-immediate").status == 0)
  }

  @Test("The tool renames, shares, counts, exports, forgets and restores accessories")
  func accessories() throws {
    let agent = try ScenarioAgent()
    let many = try agent.run("pick", "--app", "scenes", "--device", Self.carried, "--name", "Lamp")
    #expect(many.status == 0 && many.text.hasPrefix("Lamp (scenes): "), "\(many.errorOutput)\(agent.log)")
    let shared = try agent.run("pick", "--app", "shelf", "--device", Self.carried, "--name", "Desk")
    #expect(shared.text.hasPrefix("Desk (shelf): "), "\(shared.errorOutput)")
    #expect(shared.errorOutput.contains(#"the device is called "Desk" for scenes, too"#))
    #expect(try agent.run("rename", "Desk", "--app", "shelf", "Lamp").status == 0)
    #expect(try agent.run("rename", "Lamp", "--app", "scenes", "Desk").status == 0)
    let list = try agent.run("list", "--json")
    try expectValid(list.output, "list")
    #expect(list.lines.count == 2 && list.lines.allSatisfy { $0.contains(#""displayName":"Desk""#) })
    let export = agent.folder.path + "/export"
    #expect(try agent.run("registry", "export", export).status == 0)
    #expect(try agent.run("registry", "reset", "--yes").status == 0)
    #expect(try agent.run("list").status == 1)
    #expect(try agent.run("registry", "import", export, "--yes").text == "imported 2 accessories\n")
    #expect(try agent.run("list", "--json").lines.count == 2)
    #expect(try agent.run("authorize", "scenes").status == 0)
    let show = try agent.run("registry", "show", "--json")
    try expectValid(show.output, "registry")
    #expect(try agent.run("pick", "--app", "lights", "--item", "none", "--touch").status == 1)
    #expect(try agent.run("pick", "--app", "none", "--touch").status == 1)
    #expect(try agent.run("pick", "--app", "scenes", "--touch").status == 64)
  }
}
