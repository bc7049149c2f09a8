// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
import JSON
import TestSupport
import Testing
import Varlink

/// watch and capture before a stand-in for the agent.
@Suite("A stream from the agent")
struct WatchTests {
  private func text(_ value: JSONValue?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  @Test("A watch continues after a restart and says in one line how much it missed")
  func restart() throws {
    let agent = try ScriptedAgent([
      [Replies.greeting(sequence: 7), Replies.event(7), Replies.missed(3), Replies.event(11), .restart],
      [
        Replies.greeting(epoch: Replies.laterEpoch, sequence: 0, reset: true), Replies.event(0), .waitForEnd,
      ],
    ])
    let run = try Tool.run("watch", "--count", "3", "--socket", agent.path)
    #expect(run.status == 0)
    let lines = run.lines.dropFirst().map(String.init)
    try #require(lines.count == 5, "\(run.text)")
    #expect(run.lines[0].hasPrefix("     time event    item "))
    #expect(lines[0].hasSuffix(" found    lights/bulb         C4:A1:00:00:1E:27  -45 dBm  entered"))
    #expect(lines[1].hasSuffix(" -- 3 events were missed"))
    #expect(lines[3].contains(" -- the agent was away from "))
    #expect(lines[4].hasSuffix(" entered"))
    #expect(run.errorOutput == "accessoryctl: the agent went away; waiting for it to come back\n")
    let second = try #require(agent.calls.last).parameters
    #expect(text(second["epoch"]) == Replies.epoch && second["sequence"] == .integer(12))
  }

  @Test("A watch whose time is over without an event says so, and ends with 1", arguments: [[], ["--json"]])
  func nothing(option: [String]) throws {
    let agent = try ScriptedAgent([[Replies.greeting(sequence: 7), .waitForEnd]])
    let run = try Tool.run(["watch", "--seconds", "0.1", "--socket", agent.path] + option)
    #expect(run.status == 1 && run.errorOutput.contains("nothing was found"), "\(run.errorOutput)")
  }

  @Test("Events that were for others than a bridge are no gap")
  func passed() throws {
    let agent = try ScriptedAgent([
      [Replies.greeting(sequence: 7), Replies.event(9, passed: 2), Replies.event(12, passed: 1), .waitForEnd]
    ])
    let run = try Tool.run("watch", "--json", "--count", "2", "--socket", agent.path)
    try expectValid(run.output, "watch")
    #expect(
      run.lines.count == 3 && run.lines[1] == #"{"epoch":"\#(Replies.epoch)","missed":1}"#, "\(run.text)")
  }

  @Test("Its JSON has events, gaps and resets, and a schema")
  func json() throws {
    let agent = try ScriptedAgent([
      [Replies.greeting(sequence: 7), Replies.event(7), Replies.event(9), .restart],
      [Replies.greeting(epoch: Replies.laterEpoch, sequence: 4, reset: true), Replies.event(4), .waitForEnd],
    ])
    let run = try Tool.run("watch", "--json", "--count", "3", "--socket", agent.path)
    #expect(run.status == 0)
    try expectValid(run.output, "watch")
    let lines = run.lines
    try #require(lines.count == 5, "\(run.text)")
    // The agent did not say what it left out: the numbers do.
    #expect(lines[1] == #"{"epoch":"\#(Replies.epoch)","missed":1}"#)
    #expect(lines[3] == #"{"epoch":"\#(Replies.laterEpoch)","reset":{"sequence":4}}"#)
  }

  @Test("Connections of apps are lines, too, unless one item is wanted")
  func connections() throws {
    let steps = [
      Replies.greeting(sequence: 7), Replies.connection(), Replies.connection(end: "session"),
      Replies.missedConnections(2), Replies.event(7), .waitForEnd,
    ]
    let path = { try ScriptedAgent([steps]) }
    let agent = try path()
    let lines = try Tool.run("watch", "--count", "1", "--socket", agent.path).lines.dropFirst().map(
      String.init)
    try #require(lines.count == 4)
    let lamp = #""Desk lamp" (C4:A1:00:00:1E:27)"#
    #expect(lines[0].hasSuffix(" -- lights is connected to \(lamp)"))
    #expect(
      lines[1].hasSuffix(" -- lights is no longer connected to \(lamp) after 3 min: the app's session ended"))
    #expect(lines[2].hasSuffix(" -- 2 connections or changes of the radio were missed"))
    let item = try ScriptedAgent([Self.items, steps])
    let filtered = try Tool.run("watch", "--item", "bulb", "--count", "1", "--socket", item.path)
    #expect(filtered.lines.count == 3)
    let other = try path()
    let json = try Tool.run("watch", "--json", "--count", "1", "--socket", other.path)
    try expectValid(json.output, "watch")
    #expect(json.lines.count == 4)
  }

  @Test(
    "Changes of the radio are lines, too, with how long it did not scan, unless one app or item is wanted")
  func radioChanges() throws {
    let steps = [
      Replies.greeting(sequence: 7), Replies.radioChanged(), Replies.radioChanged(gap: 1.02),
      Replies.event(7),
      .waitForEnd,
    ]
    let agent = try ScriptedAgent([steps])
    let lines = try Tool.run("watch", "--count", "1", "--socket", agent.path).lines.dropFirst().map(
      String.init)
    try #require(lines.count == 3)
    #expect(lines[0].hasSuffix(" -- the radio is recovering: it pauses"))
    #expect(lines[1].hasSuffix(" -- the radio is on after 1.02 s without a scan: it scans"))
    for option in [["--item", "bulb"], ["--app", "lights"]] {
      let known = option[0] == "--app" ? [.send(Message.reply())] : Self.items
      let filtered = try ScriptedAgent([known, steps])
      let run = try Tool.run(["watch", "--count", "1", "--socket", filtered.path] + option)
      #expect(run.lines.count == 2)
    }
    let other = try ScriptedAgent([steps])
    let json = try Tool.run("watch", "--json", "--count", "1", "--socket", other.path)
    try expectValid(json.output, "watch")
    #expect(json.lines.count == 3 && json.text.contains(#""gap":1.02"#))
  }

  @Test("After a broken connection the watch resumes where it was")
  func sameRun() throws {
    let agent = try ScriptedAgent([
      [Replies.greeting(sequence: 0), Replies.event(0)],
      [Replies.greeting(sequence: 1), Replies.missed(2), Replies.event(3), .waitForEnd],
    ])
    let run = try Tool.run("watch", "--count", "2", "--socket", agent.path)
    #expect(run.status == 0)
    #expect(run.text.contains("was out of reach from") && run.text.contains("2 events were missed"))
    let json = try ScriptedAgent([
      [Replies.greeting(sequence: 0), Replies.event(0)],
      [Replies.greeting(sequence: 1), Replies.event(1), .waitForEnd],
    ])
    #expect(try Tool.run("watch", "--json", "--count", "2", "--socket", json.path).lines.count == 2)
  }

  @Test("Filters leave out events, and count those that are shown")
  func filters() throws {
    let steps = [
      Replies.greeting(sequence: 0), Replies.event(0, item: "strip"), Replies.event(1),
      Replies.event(2, item: "strip"), .waitForEnd,
    ]
    for item in ["strip", "lights/strip"] {
      let agent = try ScriptedAgent([Self.items, steps])
      let run = try Tool.run("watch", "--item", item, "--count", "2", "--socket", agent.path)
      let lines = run.lines.dropFirst()
      #expect(lines.count == 2 && lines.allSatisfy { $0.contains("lights/strip") })
    }
    let agent = try ScriptedAgent([[.send(Message.reply())], steps])
    let none = try Tool.run("watch", "--app", "lamps", "--seconds", "0.3", "--socket", agent.path)
    #expect(none.status == 1 && none.lines.count == 1)
  }

  @Test("A watch that has nothing to print says once what it waits for, unless its lines are JSON")
  func quiet() throws {
    let greeting = [Replies.greeting(sequence: 7), Replies.radioChanged(), .waitForEnd]
    for (arguments, agent, sentence) in [
      (
        [String](), try ScriptedAgent([greeting]),
        "waiting until an item finds something; accessoryctl sightings --all lists what is heard"
      ),
      (
        ["--item", "bulb"], try ScriptedAgent([Self.items, greeting]),
        "waiting until the item \"bulb\" finds something; accessoryctl try bulb says why it has not\n"
          + "accessoryctl: nothing was found; accessoryctl sightings --all lists what is heard"
      ),
      (["--json"], try ScriptedAgent([greeting]), nil),
    ] {
      let run = try Tool.run(["watch", "--seconds", "3.2", "--socket", agent.path] + arguments)
      #expect(run.status == (arguments.first == "--item" ? 1 : 0))
      #expect(run.errorOutput == (sentence.map { "accessoryctl: \($0)\n" } ?? ""))
    }
    let agent = try ScriptedAgent([[Replies.greeting(sequence: 7), Replies.event(7), .waitForEnd]])
    #expect(try Tool.run("watch", "--seconds", "3.2", "--socket", agent.path).errorOutput.isEmpty)
  }

  /// What the agent says about an item that does not exist.
  private static let items = Replies.items(
    ["lights/bulb", "lights/strip", "lamps/strip"].map { ($0, []) }
  ).map(ScriptedAgent.Step.send)

  @Test(
    "An app or item that does not exist is refused with the nearest",
    arguments: [
      (["--item", "blub"], "the manifest has no item \"blub\"; did you mean lights/bulb?"),
      (["--item", "lamps/bulb"], "the manifest has no item \"lamps/bulb\"; name one of: lights/bulb, "),
      (
        ["--item", "thermometer"],
        "the manifest has no item \"thermometer\"; name one of: lights/bulb, lights/strip"
      ),
      (["--app", "ligths"], "the manifest has no app \"ligths\"; did you mean lights?"),
    ])
  func unknown(option: [String], sentence: String) throws {
    let app = Replies.failure("io.accessoryd.Operator.NotFound") { json in
      json.member("kind", "app")
      json.member("name", "ligths")
      json.member("candidates", ["climate", "lights"])
    }
    let agent = try ScriptedAgent([option[0] == "--app" ? [app] : Self.items])
    let run = try Tool.run(["watch", "--socket", agent.path] + option)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errorOutput.hasPrefix("accessoryctl: " + sentence), "\(run.errorOutput)")
  }

  @Test("A signal ends it with whole lines", arguments: ["TERM", "HUP"])
  func signals(signal: String) throws {
    let agent = try ScriptedAgent([[Replies.greeting(sequence: 0), Replies.event(0), .waitForEnd]])
    let folder = try TemporaryFolder()
    let file = try folder.file("lines", [])
    let script = #"""
      "$TOOL" watch --json --socket "$1" > "$2" & child=$!
      until grep -q '}$' "$2"; do kill -0 $child || exit 9; done
      kill -\#(signal) $child; wait $child
      """#
    let run = try Tool.shell(script, agent.path, file)
    #expect(run.status == 0 && run.errorOutput.isEmpty)
    try expectValid(Array(Data(contentsOf: URL(fileURLWithPath: file))), "watch")
  }

  @Test("A watch ends when its reader goes")
  func closedReader() throws {
    let agent = try ScriptedAgent([[Replies.greeting(sequence: 0), Replies.event(0), .waitForEnd]])
    let run = try Tool.shell(
      #"{ "$TOOL" watch --socket "$1"; echo "status $?" >&2; } | head -1"#, agent.path)
    #expect(run.lines.count == 1 && run.errorOutput == "status 0\n")
  }

  @Test("A refusal after a restart ends the watch")
  func refusal() throws {
    let agent = try ScriptedAgent([
      [Replies.greeting(sequence: 0), .restart], [Replies.failure("org.varlink.service.PermissionDenied")],
    ])
    #expect(try Tool.run("watch", "--socket", agent.path).status == 77)
  }

  // MARK: Capture

  private static let packets = ScriptedAgent.Step.send(
    Message.reply(continues: true) { json in
      json.objects("packets", [("sent", "010c20020100"), ("received", Packets.legacy.bytes.hexText)]) {
        json, packet in
        json.member("time", 101)
        json.member("direction", packet.0)
        json.member("packet", packet.1)
      }
    })

  private static let greeting = ScriptedAgent.Step.send(
    Message.reply(continues: true) { $0.member("time", 100) })

  @Test("A recording is a capture, with its losses")
  func capture() throws {
    let agent = try ScriptedAgent([
      [Self.greeting, Self.packets, Replies.missed(5), Self.packets, .waitForEnd]
    ])
    let folder = try TemporaryFolder()
    let run = try Tool.run("capture", folder.path + "/out", "--seconds", "0.5", "--socket", agent.path)
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(run.errorOutput == "accessoryctl: 4 packets recorded, 5 lost\n")
    let decoded = try Tool.run("decode", "--all", folder.path + "/out")
    #expect(decoded.status == 0 && decoded.text.contains("2 reports of 1 address"), "\(decoded.text)")
    #expect(decoded.text.contains("dropped 5 packets"), "\(decoded.text)")
    let shark = try Tool.spawn("/usr/bin/tshark", ["-r", folder.path + "/out"])
    #expect(shark.status == 0 && shark.lines.count == 4, "\(shark.errorOutput)")
  }

  @Test("A recording overwrites a file only with --force")
  func existingFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("out", [1])
    let steps: [ScriptedAgent.Step] = [Self.greeting, Self.packets]
    let refused = try Tool.run("capture", path, "--socket", try ScriptedAgent([steps]).path)
    #expect(refused.status == 73)
    #expect(
      refused.errorOutput
        == "accessoryctl: \"\(path)\" is there already; name another file, or overwrite it with --force\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 1)
    _ = try Tool.run("capture", path, "--force", "--socket", try ScriptedAgent([steps]).path)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count > 16)
    let device = try Tool.run("capture", "/dev/null", "--socket", try ScriptedAgent([steps]).path)
    #expect(device.status == 69 && device.errorOutput.contains("2 packets recorded"))
  }

  @Test("A recording that is cut off is complete up to there, and says so")
  func brokenCapture() throws {
    let agent = try ScriptedAgent([[Self.greeting, Self.packets]])
    let run = try Tool.run("capture", "-", "--socket", agent.path)
    #expect(run.status == 69 && run.errorOutput.contains("2 packets recorded, none lost"))
    var reader = try BtsnoopReader(run.output.span.rawBytes)
    var count = 0
    while try reader.next() != nil { count += 1 }
    #expect(count == 2)
    let other = try ScriptedAgent([[Self.greeting, .waitForEnd]])
    #expect(try Tool.run("capture", "/nowhere/out", "--socket", other.path).status == 73)
  }
}

extension [UInt8] {
  fileprivate var hexText: String { Hex(self).text }
}
