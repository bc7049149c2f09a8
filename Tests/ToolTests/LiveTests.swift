// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
import Interfaces
import JSON
import LinuxSystem
import TestSupport
import Testing
import Varlink
import VirtualRadio

/// The tool before a stand-in for the agent.
@Suite("Asking the agent")
struct LiveTests {
  private func run(_ steps: [ScriptedAgent.Step], _ arguments: String...) throws -> Tool.Run {
    let agent = try ScriptedAgent([steps])
    return try Tool.run(arguments + ["--socket", agent.path])
  }

  @Test("Without an agent the tool says what to do")
  func noAgent() throws {
    let folder = try TemporaryFolder()
    let absent = try Tool.run("status", "--socket", folder.path + "/none")
    #expect(absent.status == 69 && absent.output.isEmpty)
    #expect(
      absent.errorOutput == """
        accessoryctl: no agent is there: "\(folder.path)/none" does not exist; start it (systemctl start accessoryd), or \
        name its socket with --socket

        """)
    let path = folder.path + "/left"
    do { _ = try UnixListener(path: path, mode: 0o600) }
    let left = try Tool.run("watch", "--socket", path)
    #expect(left.status == 69 && left.errorOutput.contains("no agent listens at"))
    #expect(
      try Tool.run("status", "--socket", folder.path + String(repeating: "/x", count: 100)).status == 69)
  }

  @Test(
    "A list without an end is left, whether or not its replies say anything",
    arguments: [["sightings"], ["suggest", "00:00:00:00:00:01", "--seconds", "1"]])
  func endlessList(arguments: [String]) throws {
    let reply = Array(#"{"parameters":{},"continues":true}"#.utf8) + [0]
    let replies = Array(repeatElement(reply, count: 1 << 17 + 1).joined())
    let agent = try ScriptedAgent([[.send(replies), .waitForEnd]])
    let run = try Tool.run(arguments + ["--socket", agent.path])
    #expect(run.status == 76 && run.errorOutput.contains("list does not end"), "\(run.errorOutput)")
  }

  @Test("An item that is made of what the agent says is its item and nothing else")
  func suggestion() throws {
    // The device's name is a part of a manifest.
    let name = "x\"\n[gateway]\non-touch = [\"/m\"]\n#"
    let address = DeviceAddress(bits: 0xC000_0000_0001, type: .random)
    let packet = ReportEncoder.event(
      .legacy,
      AirReport(
        .connectable, from: address, rssi: -50,
        AdvertisingPayload().structure(.completeName, Array(name.utf8))))
    let packets = (0..<30).map {
      CaptureReply.Packet(time: Seconds(microseconds: $0 * 1000), direction: .received, packet: packet)
    }
    let capture = [CaptureReply(addresses: ["C0:00:00:00:00:01"]), CaptureReply(packets: packets)].map {
      reply in
      Message.reply(continues: true) { reply.writeMembers(to: &$0) }
    }
    let agent = try StandInAgent(
      [],
      [
        "Capture": capture + [Message.reply()],
        "Sightings": Replies.devices([(address.bits, name), (0xC000_0000_0002, name)]),
      ])
    let run = try Tool.run("suggest", "C0:00:00:00:00:01", "--socket", agent.path)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.text.contains(#"x\"\u000a[gateway]\u000aon-touch"#), "\(run.text)")
    #expect(!run.text.contains("\n[gateway]"), "\(run.text)")
  }

  @Test("The environment names a socket, and the option another")
  func environment() throws {
    let agent = try ScriptedAgent([[Replies.status()]])
    let run = try Tool.shell(#"ACCESSORYD_SOCKET="$1" "$TOOL" status"#, agent.path)
    #expect(run.status == 0)
    let other = try Tool.shell(#"ACCESSORYD_SOCKET=/nowhere "$TOOL" status --socket "$1""#, agent.path)
    #expect(other.errorOutput.contains(agent.path))
  }

  @Test("A client that the agent closes at once gets the reason")
  func turnedAway() throws {
    let agent = try ScriptedAgent([[]])
    let run = try Tool.run("status", "--socket", agent.path)
    let expected: Int32 = getuid() == 0 ? 75 : 77
    #expect(run.status == expected, "\(run.errorOutput)")
  }

  @Test(
    "An error of the agent is one sentence and one exit status",
    arguments: [
      ("org.varlink.service.PermissionDenied", 77, "members of the group accessory"),
      ("io.accessoryd.Gateway.Busy", 75, "of these at a time, and all are in use"),
      ("io.accessoryd.Gateway.TooManyConnections", 75, "connections to the agent, and all are in use"),
      ("io.accessoryd.Gateway.DeviceNotInSight", 1, "is not in sight"),
      ("io.accessoryd.Gateway.ItemNotFound", 1, "the manifest has no item"),
      ("io.accessoryd.Gateway.ItemAmbiguous", 64, "several apps have an item"),
      ("org.varlink.service.InvalidParameter", 64, "see --help"),
      ("org.varlink.service.MethodNotFound", 76, "of one version"),
      ("io.example.Else\u{1B}", 76, #"refused: io.example.Else\u{1B}"#),
    ])
  func errors(name: String, status: Int32, sentence: String) throws {
    let run = try run([Replies.failure(name)], "try", "bulb")
    #expect(run.status == status && run.output.isEmpty)
    #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
    #expect(run.errorOutput.hasPrefix("accessoryctl: ") && run.errorOutput.count { $0 == "\n" } == 1)
  }

  @Test("A program that speaks another protocol is distinguished from an agent that went away")
  func otherPrograms() throws {
    #expect(try run([.send(Array("SSH-2.0\0".utf8))], "status").status == 76)
    #expect(try run([.send(Array("{}\0".utf8))], "status").errorOutput.contains("(version)"))
    #expect(try run([.send(Array("{\"parame".utf8))], "status").status == 69)
    #expect(try run([.send(Array(repeating: 0x20, count: 70_000))], "sightings").status == 76)
  }

  @Test("The tool waits at most five seconds for an agent that does not answer")
  func silence() throws {
    let start = try MonotonicInstant.now()
    let run = try run([.waitForEnd], "status")
    #expect(run.status == 69 && run.errorOutput.contains("did not answer within 5 s"))
    #expect(try MonotonicInstant.now() < start.advanced(seconds: 15))
  }

  @Test("The status fits 80 columns, and has a schema")
  func status() throws {
    let text = try run([Replies.status()], "status")
    #expect(text.status == 0)
    #expect(
      text.text == """
        accessoryd 0.1.0, running for 5 h 12 min
        radio     on: it scans, passive, extended
                  from hci0, DC:A6:32:00:00:01, extended advertising
                  brought up once
                  nothing lost; read after 9.1 ms on average, 24.9 ms at most
        problems  none

        manifest  7 items of 6 apps; reloaded twice, refused once
        devices   11 of 2000 places taken, 4 found
        heard     1 report, 12 events sent
        clients   1 of 64 connections, 0 watching
        connected 1 accessory to apps; accessoryctl list shows which

        """)
    let json = try run([Replies.status()], "status", "--json")
    try expectValid(json.output, "status")
    #expect(json.status == 0 && json.lines.count == 1)
  }

  @Test("While the kernel drops reports, the status counts those that passed, and says so")
  func filtered() throws {
    let text = try run([Replies.status(filter: "2 items, 93 % of the reports dropped")], "status").text
    #expect(text.contains("filter    2 items, 93 % of the reports dropped\n"), "\(text)")
    #expect(text.contains("heard     1 report that the filter passed, 12 events sent\n"), "\(text)")
    let off = try run([Replies.status(filter: "none, as the manifest says")], "status").text
    #expect(off.contains("heard     1 report, 12 events sent\n"), "\(off)")
  }

  @Test("A warning about an item is printed, and the agent is well nevertheless")
  func warnings() throws {
    let warning = "cameras/camera: never matches: [gateway] names no interface"
    let run = try run([Replies.status(warning: warning)], "status")
    #expect(run.status == 0)
    #expect(
      run.text.contains(
        "problems  none\nwarning   cameras/camera: never matches: [gateway] names no interface\n")
    )
    let json = try self.run([Replies.status(warning: warning)], "status", "--json")
    try expectValid(json.output, "status")
    #expect(json.status == 0)
  }

  @Test("How much of the time the radio listens is printed, and what that misses")
  func listening() throws {
    let tenth = ListeningLine(
      board: "raspberry-pi-4", percent: 10, requestPercent: 50, missing: ["doors/button", "doors/bell"])
    let usb = ListeningLine(
      board: "usb-dongle", replacedBoard: "raspberry-pi-4", percent: 100, requestPercent: 100, missing: [])
    for (listening, lines) in [
      (
        tenth,
        """
        listens   10 % of the time, 50 % while a request is open
                  by the profile raspberry-pi-4
                  it misses some of what these send, only on an event: doors/button,
                  doors/bell

        """
      ),
      (
        usb,
        """
        listens   all the time
                  by the profile usb-dongle, because the adapter is on USB; the manifest
                  names raspberry-pi-4

        """
      ),
    ] {
      let text = try run([Replies.status(listening: listening)], "status")
      #expect(text.text.contains(lines), "\(text.text)")
      try expectValid(try run([Replies.status(listening: listening)], "status", "--json").output, "status")
    }
  }

  @Test("Open requests are printed with what each wants, and how to answer them")
  func requests() throws {
    func request(_ digit: Character, _ kind: RequestKind, _ sentence: String) -> OpenRequestLine {
      OpenRequestLine(
        request: String(repeating: digit, count: 32), kind: kind, app: "lights",
        since: Seconds(microseconds: 18_718_000_000), about: ["bulb"], candidates: 2, sentence: sentence)
    }
    let status = Replies.status(openRequests: [
      request("1", .setup, #"lights wants to set up "bulb""#), request("2", .rename, "it\u{1B}[2J"),
    ])
    let text = try run([status], "status")
    #expect(text.status == 0)
    #expect(
      text.text.contains(
        #"""
        request   11111111: lights wants to set up "bulb"
                  open for 12 s, 2 candidates
        request   22222222: it\u{1B}[2J
                  open for 12 s
                  accessoryctl pick shows and answers requests

        """#), "\(text.text)")
    let json = try run([status], "status", "--json")
    try expectValid(json.output, "status")
  }

  @Test("A problem is printed with its cure, and the answer is no")
  func problems() throws {
    let cure = "there is no radio: plug one in, " + String(repeating: "and look ", count: 12) + "\u{1B}[2J"
    let run = try run([Replies.status(problem: cure, state: "absent")], "status")
    #expect(run.status == 1)
    #expect(run.text.contains("problem   radioAbsent\n          there is no radio: plug one in, and look"))
    #expect(run.lines.allSatisfy { $0.count <= 80 } && !run.output.contains(0x1B))
    let json = try self.run([Replies.status(problem: cure, state: "absent")], "status", "--json")
    try expectValid(json.output, "status")
    #expect(json.status == 1)
  }

  @Test("A reload prints what changed, and a refusal what is wrong")
  func reload() throws {
    let good = ScriptedAgent.Step.send(
      Message.reply { json in
        json.member("itemsKept", 6)
        json.member("itemsAdded", 1)
        json.member("itemsRemoved", 0)
        json.member("hasRestartedRadio", false)
        json.member("warnings", ["a.toml:3: app.x: broad"])
      })
    let taken = try run([good], "reload")
    #expect(taken.status == 0)
    #expect(taken.text == "a.toml:3: app.x: broad\nreloaded: 6 items kept, 1 added, 0 removed\n")
    try expectValid(try run([good], "reload", "--json").output, "reload")
    let bad = Replies.failure("io.accessoryd.Gateway.ManifestRefused") { json in
      json.member("findings", ["a.toml:3: app.x: wrong"])
      json.member("omitted", 7)
    }
    let refused = try run([bad], "reload")
    #expect(refused.status == 65)
    #expect(
      refused.text == "a.toml:3: app.x: wrong\n…and 7 more\nrefused: the previous manifest stays in force\n")
    let json = try run([bad], "reload", "--json")
    #expect(json.status == 65)
    try expectValid(json.output, "reload")
  }

  @Test("Items that turned devices away are named beside the sightings")
  func fullItem() throws {
    let devices = Replies.devices([(bits: 0xC4A1_0000_1E27, name: "Lumo")], item: "bulb")
    let full = Message.reply(continues: true) { json in
      json.object("turnedAway", TurnedAwayLine(app: "lights", item: "bulb", devices: 3))
    }
    let steps = [devices[0], full, devices[1]].map(ScriptedAgent.Step.send)
    let run = try run(steps, "sightings", "--json")
    #expect(run.status == 0 && run.lines.count == 1)
    #expect(run.errorOutput.contains("lights/bulb is full and has turned away 3 devices in sight"))
    #expect(run.errorOutput.contains("because those that it keeps are about as strong or stronger"))
  }

  @Test("Options for captures are refused without one")
  func options() throws {
    #expect(try Tool.run("sightings", "--manifest", "x").status == 64)
    #expect(try Tool.run("sightings", "--capture", "x", "--socket", "y", "--all").status == 64)
    #expect(try Tool.run("suggest", "00:00:00:00:00:01", "--seconds", "61").status == 64)
  }
}
