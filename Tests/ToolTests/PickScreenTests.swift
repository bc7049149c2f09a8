// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Testing
import ToolText

/// pick in a real terminal before a stand-in for the agent.
@Suite("The picker on a terminal")
struct PickScreenTests {
  private func terminal(
    _ agent: StandInAgent, _ arguments: String..., columns: Int = 80, rows: Int = 24,
    environment: String = "LC_ALL=C.UTF-8"
  ) throws -> TerminalSession {
    try TerminalSession(
      ["pick", "--socket", agent.path] + arguments, columns: columns, rows: rows, environment: environment)
  }

  @Test("Keys choose, name and answer; the agent receives each decision, and the screen shows the result")
  func scenario() throws {
    let agent = try StandInAgent(
      PickerSamples.waiting + [.request(PickerSamples.rename)],
      ["Choose": [PickerSamples.chosen], "Name": [PickerSamples.empty]])
    let terminal = try terminal(agent)
    let first = try terminal.wait(for: #"灯泡 \u{1B}[31m"#)
    #expect(first.contains("[lights]") && first.contains("kitchen: rename") && first.contains("1E:01"))
    #expect(first.contains("Lumo E27") && first.contains("▸ Lumo bulb"))
    try terminal.press("Down", "n")
    try terminal.press("C-u", "厨", "房", "Enter", after: "> Lumo bulb")
    let call = try agent.call("Choose")
    #expect(call["candidate"] == .integer(2) && call["name"] == .string("厨房"))
    try agent.sendChange(
      .closed(
        PickerSamples.request, RequestEnding(accessory: PickerSamples.accessory, displayName: "厨房")))
    try terminal.press("Space", after: "厨房 is set up for lights.")
    try terminal.press("Enter", "End", "2", "Enter", after: "kitchen asks for another name for Stove")
    #expect(try agent.call("Name")["name"] == .string("Stove2"))
    try agent.sendChange(.closed(PickerSamples.other, RequestEnding(displayName: "Stove2")))
    try terminal.press("Space", after: "Its name is Stove2 now.")
    try terminal.press("q", after: "No requests.")
    try terminal.expectEnd(0)
    #expect(terminal.errors.isEmpty)
  }

  @Test("The screen shows a failure with its cure, and that another operator answered a request")
  func failures() throws {
    let agent = try StandInAgent(PickerSamples.waiting, ["Choose": [PickerSamples.setupFailed]])
    let terminal = try terminal(agent)
    try terminal.press("Enter", after: "Lumo E27")
    try terminal.wait(for: "nothing that matches was found; bring it near")
    try agent.sendChange(
      .closed(PickerSamples.request, RequestEnding(displayName: "Desk")), .request(PickerSamples.rename))
    try terminal.press("q", after: "Desk is set up for lights.")
    try terminal.expectEnd(0)
  }

  @Test("The screen follows the window's size at once")
  func resize() throws {
    let agent = try StandInAgent(PickerSamples.waiting)
    let terminal = try terminal(agent)
    try terminal.wait(for: "calls itself")
    try terminal.resize(columns: 40, rows: 10)
    let small = try terminal.wait(for: "Enter choose  d deny  ? help  q quit")
    #expect(!small.contains("calls itself") && small.contains("▸ Lumo bulb"))
    try terminal.resize(columns: 30, rows: 5)
    try terminal.wait(for: "make the window larger: 40 by")
    try terminal.resize(columns: 120, rows: 30)
    try terminal.press("q", after: "calls itself")
    try terminal.expectEnd(0)
  }

  @Test("A picker that was stopped follows the window's size when it continues")
  func resizeWhileStopped() throws {
    let agent = try StandInAgent(PickerSamples.waiting)
    let terminal = try terminal(agent)
    try terminal.press("C-z", after: "calls itself")
    try terminal.wait(for: "stopped")
    try terminal.resize(columns: 40, rows: 10)
    try terminal.press("Enter")
    let small = try terminal.wait(for: "Enter choose  d deny  ? help  q quit")
    #expect(!small.contains("calls itself") && small.contains("▸ Lumo bulb"))
    try terminal.press("q")
    try terminal.expectEnd(0)
  }

  @Test(
    "Signals end the picker, and the terminal is restored",
    arguments: [
      ("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131), ("ABRT", 134), ("USR1", 138), ("USR2", 140),
      ("ALRM", 142), ("XCPU", 152), ("PWR", 158), ("64", 192),
    ])
  func signals(signal: String, status: Int) throws {
    let agent = try StandInAgent(PickerSamples.waiting)
    let terminal = try terminal(agent)
    try terminal.wait(for: "Lumo E27")
    if signal == "INT" { try terminal.press("C-c") } else { try terminal.signal(signal) }
    try terminal.expectEnd(status)
    let screen = try terminal.screen()
    #expect(!screen.contains("Lumo E27"), "the earlier screen is restored")
  }

  @Test("After the agent is killed, the message appears on the restored terminal")
  func death() throws {
    let agent = try StandInAgent(PickerSamples.waiting)
    let terminal = try terminal(agent)
    try terminal.wait(for: "Lumo E27")
    agent.stop()
    try terminal.expectEnd(69)
    #expect(terminal.errors.contains("closed the connection"))
  }

  @Test("Without UTF-8 the screen is ASCII, and without colours the words are the same")
  func plain() throws {
    let agent = try StandInAgent(PickerSamples.waiting)
    let terminal = try terminal(agent, environment: "LC_ALL=C NO_COLOR=1")
    let screen = try terminal.wait(for: #"\u{706F}"#)
    #expect(screen.contains("> Lumo bulb") && screen.contains("Lumo E27") && !screen.contains("▸"))
    let styles = try terminal.screen(styles: true)
    #expect(styles.contains("\u{1B}[7m") && !styles.contains("\u{1B}[31m") && !styles.contains("\u{1B}[32m"))
    try terminal.press("q")
    try terminal.expectEnd(0)
  }

  @Test(
    "A terminal of an unknown kind is named, and one that cannot be drawn on",
    arguments: ["no-such-kind", "dumb"])
  func unknownTerminal(kind: String) throws {
    let agent = try StandInAgent(PickerSamples.waiting)
    let terminal = try terminal(agent, environment: "TERM=\(kind)")
    try terminal.expectEnd(64)
    #expect(terminal.errors.contains("set TERM"))
  }

  @Test("On an app's behalf it ends with the request, and prints what was set up")
  func onBehalf() throws {
    let agent = try StandInAgent([.request(PickerSamples.rename)], ["Open": [PickerSamples.opened]])
    let terminal = try terminal(agent, "--app", "lights", "--item", "bulb", "--timeout", "long")
    let call = try agent.call("Open")
    #expect(call["app"] == .string("lights") && call["items"] == .array([.string("bulb")]))
    #expect(call["discoveryTimeout"] == .string("long") && call["usesTouch"] == nil)
    try agent.sendChange(
      .request(PickerSamples.setup(isOnBehalf: true)),
      .candidate(PickerSamples.candidate(1, level: -44), of: PickerSamples.request))
    let screen = try terminal.wait(for: "Lumo E27")
    #expect(screen.contains("Set up an accessory for lights") && !screen.contains("kitchen"))
    try agent.answer("Open", PickerSamples.setUp(), PickerSamples.empty)
    try terminal.expectEnd(0)
    #expect(try terminal.screen().contains("Desk (lights): \(PickerSamples.accessory)"))
  }

  @Test("The name of the command line goes with the choice, whether or not the setup asks for one")
  func givenName() throws {
    for rename in [true, false] {
      let agent = try StandInAgent(
        [
          .request(PickerSamples.setup(isOnBehalf: true, rename: rename)),
          .candidate(PickerSamples.candidate(1, level: -44), of: PickerSamples.request),
        ],
        [
          "Open": [PickerSamples.opened], "Choose": [PickerSamples.chosen], "List": PickerSamples.list(),
          "Rename": [PickerSamples.empty],
        ])
      let terminal = try terminal(agent, "--app", "lights", "--name", "Kitchen")
      try terminal.press("Enter", after: "Lumo E27")
      #expect(try agent.call("Choose")["name"] == .string("Kitchen"))
      try agent.answer("Open", PickerSamples.setUp("Kitchen"), PickerSamples.empty)
      try terminal.expectEnd(0)
      #expect(try terminal.screen().contains("Kitchen (lights): \(PickerSamples.accessory)"))
    }
  }

  @Test(
    "Without a screen it prints what it waits for",
    arguments: [
      (["--touch"], "hold the accessory at the gateway"),
      (["--first-immediate"], "hold the accessory at the gateway"),
      (["--device", "C4:A1:00:00:1E:27"], "looking for C4:A1:00:00:1E:27"),
      (["--count", "1"], "choose the accessory with accessoryctl pick"),
    ])
  func waiting(arguments: [String], sentence: String) throws {
    let agent = try StandInAgent([], ["Open": [PickerSamples.opened]])
    let terminal = try TerminalSession(
      ["pick", "--socket", agent.path, "--app", "lights"] + arguments, showsErrors: true)
    try terminal.wait(for: "accessoryctl: \(sentence); Ctrl-C ends this")
    try agent.answer("Open", PickerSamples.setUp(), PickerSamples.empty)
    try terminal.expectEnd(0)
    #expect(try terminal.screen().contains("Desk (lights): \(PickerSamples.accessory)"))
  }

  @Test("On an app's behalf a failure is printed, and is no success")
  func onBehalfFailed() throws {
    let agent = try StandInAgent([], ["Open": [PickerSamples.opened]])
    let terminal = try terminal(agent, "--app", "lights")
    try agent.sendChange(.request(PickerSamples.setup(phase: .looking, isOnBehalf: true)))
    try terminal.wait(for: "Looking for")
    try agent.answer("Open", PickerSamples.setupFailed)
    try terminal.expectEnd(1)
    #expect(terminal.errors.contains("(discoveryTimeout): nothing that matches was found; bring it near"))
    let left = try self.terminal(try StandInAgent([], ["Open": [PickerSamples.opened]]), "--app", "lights")
    try left.press("q", after: "No requests.")
    try left.expectEnd(1)
  }
}
