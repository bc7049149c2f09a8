// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import JSON
import Testing
import ToolText
import Varlink

/// pick without a screen before a stand-in for the agent.
@Suite("Picking by scripts")
struct PickTests {
  private func pick(_ agent: StandInAgent, _ arguments: String...) throws -> Tool.Run {
    try Tool.run(["pick", "--socket", agent.path] + arguments)
  }

  private func opening(_ messages: [UInt8]...) throws -> StandInAgent {
    try StandInAgent([], ["Open": messages, "List": PickerSamples.list(), "Rename": [PickerSamples.empty]])
  }

  @Test("Without a terminal it names the other ways")
  func noTerminal() throws {
    let run = try pick(try StandInAgent())
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(run.errorOutput.contains("use pick --json, or --app NAME with --touch"))
  }

  @Test(
    "Options that exclude each other are refused",
    arguments: [
      ["--touch"], ["--name", "x"], ["--app", "lights", "--touch", "--first-immediate"],
      ["--app", "lights", "--count", "0"], ["--app", "lights", "--count", "2", "--name", "x"],
      ["--app", "lights", "--json"],
      ["--app", "lights", "--touch", "--name", ""],
      ["--app", "lights", "--device", "C4:A1:00:00:1E:27", "--count", "2"],
      ["--request", "1"], ["--choose", "1"], ["--request", "1", "--choose", "1", "--touch"],
      ["--app", "lights", "--request", "1", "--choose", "1"],
      ["--request", "1", "--choose", "1", "--name", ""],
      ["--request", "1", "--choose", "1", "--timeout", "0"], ["--request", "1", "--deny", "--timeout", "5"],
      ["--request", "1", "--agree", "--deny"], ["--request", "1", "--agree", "--name", "x"],
      ["--request", "1", "--choose", "1", "--cancel"], ["--deny"],
      ["--app", "lights", "--request", "1", "--deny"], ["--app", "lights", "--deny"],
    ])
  func usage(arguments: [String]) throws {
    let run = try Tool.run(["pick", "--socket", "/nowhere"] + arguments)
    #expect(run.status == 64, "\(run.errorOutput)")
  }

  @Test("A number or time that the agent would refuse is refused with the range")
  func limits() throws {
    let times = ["0", "3601", "007", "+5", "soon", ""].map { ("--timeout", $0) }
    for (option, value) in times + [("--count", "0"), ("--count", "257")] {
      let run = try Tool.run(["pick", "--socket", "/nowhere", "--app", "lights", option, value])
      let range = option == "--count" ? "1 to 256" : "short, medium, long, unbounded, or 1 to 3600 seconds"
      #expect(run.status == 64 && run.errorOutput.contains("\(option) takes \(range)"), "\(run.errorOutput)")
    }
    let agent = try opening(PickerSamples.opened, PickerSamples.setUp(), PickerSamples.empty)
    let run = try pick(agent, "--app", "lights", "--count", "256", "--timeout", "3600")
    #expect(run.status == 0, "\(run.errorOutput)")
    let words = try Tool.run(["pick", "--help"]).text.split(whereSeparator: \.isWhitespace)
    let help = words.joined(separator: " ")
    #expect(help.contains("1 to 256.") && help.contains("1 to 3600"), "\(help)")
  }

  @Test("Each accessory that was set up is a line, and an object with a schema")
  func lines() throws {
    let text = try pick(
      try opening(
        PickerSamples.opened, PickerSamples.setUp("Desk"), PickerSamples.setUp("Hall\u{1B}"),
        PickerSamples.empty), "--app", "lights", "--count", "2")
    #expect(text.status == 0 && text.errorOutput.isEmpty)
    #expect(
      text.lines == [
        "Desk (lights): \(PickerSamples.accessory)", #"Hall\u{1B} (lights): \#(PickerSamples.accessory)"#,
      ])
    let json = try pick(
      try opening(PickerSamples.opened, PickerSamples.setUp("Desk"), PickerSamples.empty), "--app", "lights",
      "--touch", "--json")
    #expect(
      json.text
        == #"{"app":"lights","accessory":"\#(PickerSamples.accessory)","displayName":"Desk"}"# + "\n")
    try expectValid(json.output, "picked")
  }

  @Test("The options become the agent's parameters")
  func parameters() throws {
    let options: [(arguments: [String], name: String, value: JSONValue)] = [
      (["--touch"], "usesTouch", .bool(true)), (["--first-immediate"], "takesFirstImmediate", .bool(true)),
      (["--device", "c4:a1:00:00:1e:27"], "device", .string("C4:A1:00:00:1E:27")),
      (["--count", "3", "--item", "a", "--item", "b"], "items", .array([.string("a"), .string("b")])),
      (["--count", "3"], "count", .integer(3)),
    ]
    for option in options {
      let agent = try opening(PickerSamples.opened, PickerSamples.setUp(), PickerSamples.empty)
      let run = try Tool.run(["pick", "--socket", agent.path, "--app", "lights"] + option.arguments)
      #expect(run.status == 0)
      #expect(try agent.call("Open")[option.name] == option.value)
    }
  }

  @Test("A failure is one sentence and exit status 1, and what was set up before is printed")
  func failure() throws {
    let run = try pick(
      try opening(PickerSamples.opened, PickerSamples.setUp(), PickerSamples.setupFailed), "--app", "lights",
      "--count", "2")
    #expect(run.status == 1 && run.lines.count == 1)
    #expect(
      run.errorOutput
        == "accessoryctl: the accessory was not set up (discoveryTimeout): nothing that matches was found; bring it near\n"
    )
  }

  @Test("The agent's refusals are sentences")
  func refusals() throws {
    let refusals: [(message: [UInt8], status: Int32, words: String)] = [
      (
        PickerSamples.failure("NotFound", [("kind", "app"), ("name", "lamps")]), 1,
        #"the manifest has no app "lamps""#
      ),
      (
        PickerSamples.failure("Busy", [("request", PickerSamples.request)]), 75, "has an open request already"
      ),
      (
        PickerSamples.failure("Invalid", [("field", "network"), ("reason", "no item is found by it")]), 64,
        "--network is not acceptable: no item is found by it"
      ),
      (
        PickerSamples.failure(
          "Invalid", [("field", "network"), ("reason", "none of the items looks for this name; see why")]),
        64,
        "--network is not acceptable: none of the items looks for this name; see why"
      ),
      (
        PickerSamples.failure("Invalid", [("field", "discoveryTimeout"), ("reason", "it is no time")]), 64,
        "discoveryTimeout is not acceptable: it is no time"
      ),
      (
        PickerSamples.failure("RegistryUnavailable", [("sentence", "the disk is full")]), 74,
        "the disk is full"
      ),
    ]
    for refusal in refusals {
      let run = try pick(try opening(refusal.message), "--app", "lamps", "--touch")
      #expect(run.status == refusal.status && run.output.isEmpty)
      #expect(run.errorOutput.contains(refusal.words), "\(run.errorOutput)")
    }
  }

  @Test("A name is given while the agent waits for it, or else afterwards")
  func names() throws {
    let asked = try StandInAgent(
      [.request(PickerSamples.setup(phase: .naming, isOnBehalf: true))],
      ["Open": [PickerSamples.opened], "Name": [PickerSamples.empty], "Rename": [PickerSamples.empty]])
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      defer { done.signal() }
      _ = try? asked.call("Name")
      try? asked.answer("Open", PickerSamples.setUp("Kitchen"), PickerSamples.empty)
    }
    thread.start()
    let run = try pick(asked, "--app", "lights", "--touch", "--name", "Kitchen")
    done.wait()
    #expect(run.text == "Kitchen (lights): \(PickerSamples.accessory)\n", "\(run.errorOutput)")
    #expect(try asked.call("Name")["name"] == .string("Kitchen"))
    let later = try opening(PickerSamples.opened, PickerSamples.setUp("Lumo bulb"), PickerSamples.empty)
    let renamed = try pick(later, "--app", "lights", "--touch", "--name", "Kitchen")
    #expect(renamed.text == "Kitchen (lights): \(PickerSamples.accessory)\n")
    #expect(try later.call("Rename")["accessory"] == .string(PickerSamples.accessory))
  }

  @Test("A device is chosen by the name by which it calls itself, if one device in sight has it")
  func namedDevice() throws {
    let devices = Replies.devices([(0xC4A1_0000_1E27, "Lumo E27"), (0xC4A1_0000_1E28, "Strip"), (2, "Strip")])
    let answers = [
      "Sightings": devices,
      "Open": [PickerSamples.opened, PickerSamples.setUp("Lumo bulb"), PickerSamples.empty],
    ]
    let agent = try StandInAgent([], answers)
    #expect(try pick(agent, "--app", "lights", "--device", "Lumo E27").status == 0)
    #expect(try agent.call("Open")["device"] == .string("C4:A1:00:00:1E:27"))
    for (name, status, sentence) in [
      ("Strip", 64, #"2 devices call themselves "Strip": "#), ("Bulb", 1, "no device in sight calls itself"),
    ] {
      let run = try pick(try StandInAgent([], answers), "--app", "lights", "--device", name)
      #expect(run.status == status && run.errorOutput.contains(sentence), "\(run.errorOutput)")
    }
  }

  @Test("On a terminal a touch shows what is near and how much time is left")
  func progress() throws {
    let folder = try TemporaryFolder()
    var request = PickerSamples.setup(isOnBehalf: true)
    request.end = Seconds(microseconds: 30_000_001)
    let agent = try StandInAgent(
      [.request(request)],
      [
        "Sightings": Replies.devices([(0xC4A1_0000_1E27, "Lumo E27")], item: "bulb"),
        "Open": [PickerSamples.opened],
      ])
    let script = #"""
      script -qefc "'$TOOL' pick --app lights --touch --socket '$1'" "$2" > /dev/null & child=$!
      until grep -q 'left' "$2"; do kill -0 $child || exit 9; done
      kill -TERM $child; wait $child; cat "$2"
      """#
    let run = try Tool.shell(script, agent.path, folder.file("screen", []))
    #expect(run.text.contains("1 device matches: 0 readings, -60 dBm, "), "\(run.text)\(run.errorOutput)")
    #expect(run.text.contains("30 s left") || run.text.contains("29 s left"))
  }

  @Test("On a terminal a request for a network shows whether it is in sight", arguments: [true, false])
  func networkProgress(isInSight: Bool) throws {
    let line = NetworkLine(
      ssid: AirText(Array((isInSight ? "Cam-1" : "Cam-2").utf8)), bssid: "02:00:00:00:00:01", radios: 1,
      signal: -60, frequency: 2412, security: .wpa2, lastSeen: Seconds(microseconds: 1),
      silence: Seconds(microseconds: 0), items: [])
    let networks = [
      Message.reply(continues: true) { json in json.object("network") { line.writeMembers(to: &$0) } },
      Message.reply(),
    ]
    guard case .send(let status) = Replies.status(hasNetworks: true) else { return }
    var request = PickerSamples.setup(phase: .looking, isOnBehalf: true)
    request.end = Seconds(microseconds: 30_000_001)
    let agent = try StandInAgent(
      [.request(request)], ["Status": [status], "Networks": networks, "Open": [PickerSamples.opened]])
    let terminal = try TerminalSession(
      ["pick", "--app", "lights", "--network", "Cam-1", "--socket", agent.path], showsErrors: true)
    let page = try terminal.wait(
      for: isInSight ? "the network is in sight, -60 dBm, " : "the network is not in sight, ")
    #expect(page.contains(" s left") && !page.contains("device"), "\(page)")
    try agent.answer("Open", PickerSamples.setUp("Cam"), PickerSamples.empty)
    try terminal.expectEnd(0)
  }

  @Test("Each reason why nothing can be chosen is printed once, also when it takes another's place")
  func hindrances() throws {
    func request(_ reason: String?, turnedAway: Int = 0) -> PickerReply {
      var line = PickerSamples.setup(phase: .looking, isOnBehalf: true)
      line.items[0].reasonNothingIsFound = reason
      line.turnedAway = turnedAway
      return .request(line)
    }
    let agent = try StandInAgent(
      [request("wlan0 is down"), request("wlan0 is missing"), request("wlan0 is down")],
      ["Open": [PickerSamples.opened]])
    let terminal = try TerminalSession(
      ["pick", "--app", "lights", "--touch", "--socket", agent.path], columns: 150, showsErrors: true)
    try terminal.wait(for: "Lumo bulb: wlan0 is missing")
    try agent.sendChange(request(nil, turnedAway: 1), request("wlan0 is gone", turnedAway: 2))
    try terminal.wait(for: "Lumo bulb: wlan0 is gone")
    try agent.answer("Open", PickerSamples.setUp(), PickerSamples.empty)
    try terminal.expectEnd(0)
    let screen = try terminal.screen()
    for (word, count) in [("wlan0 is down", 1), ("wlan0 is missing", 1), ("turned away", 1)] {
      #expect(screen.components(separatedBy: word).count == count + 1, "\(screen)")
    }
  }

  @Test("A device that another app has is named for both, with a message")
  func sharedName() throws {
    let agent = try StandInAgent(
      [],
      [
        "Open": [PickerSamples.opened, PickerSamples.setUp("Lumo bulb"), PickerSamples.empty],
        "List": PickerSamples.list("music"), "Rename": [PickerSamples.empty],
      ])
    let run = try pick(agent, "--app", "lights", "--device", "C4:A1:00:00:1E:27", "--name", "Kitchen")
    #expect(run.status == 0 && run.text == "Kitchen (lights): \(PickerSamples.accessory)\n")
    #expect(
      run.errorOutput.contains(#"the device is called "Kitchen" for music, too"#), "\(run.errorOutput)")
  }

  @Test("The open requests and their changes are a stream of objects with a schema, ended by a signal")
  func stream() throws {
    let endings: [PickerReply] = [
      .gone(1, of: PickerSamples.request),
      .closed(PickerSamples.request, RequestEnding(failure: "userCancelled", reason: "it was closed")),
    ]
    let agent = try StandInAgent(PickerSamples.waiting + endings)
    let folder = try TemporaryFolder()
    let file = try folder.file("lines", [])
    let script = #"""
      "$TOOL" pick --json --socket "$1" > "$2" & child=$!
      until grep -q '^{"isSynced":true}$' "$2"; do kill -0 $child || exit 9; done
      kill -TERM $child; wait $child
      """#
    let run = try Tool.shell(script, agent.path, file)
    #expect(run.status == 0 && run.errorOutput.isEmpty)
    let lines = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
    #expect(lines.count { $0 == UInt8(ascii: "\n") } == 6)
    try expectValid(lines, "pick")
  }

  @Test(
    "An open request is answered by its beginning, with a number, an address or a network",
    arguments: ["2", "c4:a1:00:00:1e:02", "Cam-2"])
  func answered(choice: String) throws {
    var network = PickerSamples.candidate(2, level: -60)
    (network.ssid, network.security, network.address) = (AirText(Array("Cam-2".utf8)), .wpa2, nil)
    let candidates = [
      PickerSamples.candidate(1, level: -44),
      choice == "Cam-2" ? network : PickerSamples.candidate(2, level: -60),
    ]
    let waiting =
      [.request(PickerSamples.setup()), .request(PickerSamples.rename)]
      + candidates.map { PickerReply.candidate($0, of: PickerSamples.request) }
    let agent = try StandInAgent(waiting, ["Choose": [PickerSamples.chosen]])
    let run = try pick(agent, "--request", "1111", "--choose", choice, "--name", "Desk")
    #expect(
      run.status == 0 && run.text == "Desk (lights): \(PickerSamples.accessory)\n", "\(run.errorOutput)")
    let call = try agent.call("Choose")
    #expect(call["request"] == .string(PickerSamples.request) && call["candidate"] == .integer(2))
    #expect(call["name"] == .string("Desk"))
    let json = try pick(agent, "--request", PickerSamples.request, "--choose", choice, "--json")
    try expectValid(json.output, "picked")
  }

  @Test("A device that comes later is chosen then; one that never comes ends with the request")
  func answeredLater() throws {
    func answer(_ change: PickerReply) throws -> Tool.Run {
      let agent = try StandInAgent(
        [.request(PickerSamples.setup())], ["Choose": [PickerSamples.chosen]])
      let thread = Thread { try? agent.sendChange(change) }
      thread.start()
      return try pick(agent, "--request", "1", "--choose", "C4:A1:00:00:1E:02")
    }
    let found = try answer(
      .candidate(PickerSamples.candidate(2, level: -60), of: PickerSamples.request))
    #expect(found.status == 0 && found.lines.count == 1, "\(found.errorOutput)")
    #expect(
      found.errorOutput
        == "accessoryctl: waiting for C4:A1:00:00:1E:02, which is no candidate of the request now\n")
    let ended = try answer(
      .closed(PickerSamples.request, RequestEnding(failure: "discoveryTimeout", reason: "nothing came")))
    #expect(ended.status == 1 && ended.output.isEmpty)
    #expect(
      ended.errorOutput.contains("ended before C4:A1:00:00:1E:02 could be chosen: nothing came"),
      "\(ended.errorOutput)")
  }

  @Test(
    "A request or candidate that is not there, and one that needs another answer, are said",
    arguments: [
      ("3", "1", 1, #"no open request begins with "3"; name one of: 11111111, 22222222"#),
      ("", "1", 64, #"2 open requests begin with """#),
      (
        "2", "1", 1,
        "--choose does not fit the request: it is to rename, and takes --name, --deny or --cancel"
      ),
      ("1", "7", 1, "the request has no candidate 7; did you mean 1?"),
    ])
  func notAnswered(request: String, choice: String, status: Int32, sentence: String) throws {
    let agent = try StandInAgent([
      .request(PickerSamples.setup()), .request(PickerSamples.rename),
      .candidate(PickerSamples.candidate(1, level: -44), of: PickerSamples.request),
    ])
    let run = try pick(agent, "--request", request, "--choose", choice)
    #expect(run.status == status && run.errorOutput.contains(sentence), "\(run.errorOutput)")
  }

  @Test("A choice without a name takes the proposed one at once, where the item asks for a name")
  func namedAtOnce() throws {
    let agent = try StandInAgent(
      [
        .request(PickerSamples.setup()),
        .candidate(PickerSamples.candidate(1, level: -44), of: PickerSamples.request),
      ], ["Name": [PickerSamples.empty]])
    let thread = Thread {
      guard (try? agent.call("Choose")) != nil else { return }
      var naming = PickerSamples.setup()
      (naming.phase, naming.displayName) = (.naming, "Lumo bulb")
      try? agent.sendChange(.request(naming))
      _ = try? agent.call("Name")
      agent.stop()
    }
    thread.start()
    _ = try pick(agent, "--request", "1", "--choose", "1")
    #expect(try agent.call("Name")["name"] == .string("Lumo bulb"))
  }

  @Test("With --timeout it does not wait longer for a device, and leaves the request open")
  func answeredInTime() throws {
    let agent = try StandInAgent([.request(PickerSamples.setup())])
    let run = try pick(agent, "--request", "1", "--choose", "C4:A1:00:00:1E:02", "--timeout", "1")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errorOutput.contains("C4:A1:00:00:1E:02 was not there within 1 s; the request is still open"),
      "\(run.errorOutput)")
  }

  @Test(
    "Requests of every kind are answered from a script",
    arguments: [
      (RequestKind.rename, ["--name", "Oven"], "Name"), (.rename, ["--deny"], "Deny"),
      (.setup, ["--name", "Oven"], "Name"), (.setup, ["--cancel"], "Cancel"),
      (.authorize, ["--agree"], "Agree"),
      (.migrate, ["--agree"], "Agree"), (.migrate, ["--deny"], "Deny"), (.pair, ["--cancel"], "Cancel"),
    ])
  func decided(kind: RequestKind, answer: [String], method: String) throws {
    var line = PickerSamples.rename
    line.kind = kind
    let agent = try StandInAgent([.request(line)], [method: [PickerSamples.empty]])
    let run = try Tool.run(["pick", "--socket", agent.path, "--request", "22"] + answer)
    #expect(run.status == 0 && run.output.isEmpty && run.errorOutput.isEmpty, "\(run.errorOutput)")
    let call = try agent.call(method)
    #expect(call["request"] == .string(PickerSamples.other))
    #expect(call["name"] == (method == "Name" ? .string("Oven") : nil))
  }

  @Test(
    "An answer that does not fit is refused with those that do",
    arguments: [
      (RequestKind.setup, "--agree", "--choose, --name, --deny or --cancel"),
      (.rename, "--agree", "--name, --deny or --cancel"), (.pair, "--agree", "--deny or --cancel"),
      (.authorize, "--name=x", "--agree, --deny or --cancel"),
      (.migrate, "--choose=1", "--agree, --deny or --cancel"),
    ])
  func unfit(kind: RequestKind, answer: String, options: String) throws {
    var line = PickerSamples.rename
    line.kind = kind
    let run = try pick(try StandInAgent([.request(line)]), "--request", "2", answer)
    #expect(
      run.status == 1 && run.errorOutput.contains("it is to \(kind), and takes \(options)"),
      "\(run.errorOutput)")
  }

  @Test("The agent's refusal of a choice is a sentence")
  func refusedChoice() throws {
    let agent = try StandInAgent(PickerSamples.waiting, ["Choose": [PickerSamples.setupFailed]])
    let run = try pick(agent, "--request", "1", "--choose", "1")
    #expect(run.status == 1 && run.errorOutput.contains("the accessory was not set up"), "\(run.errorOutput)")
  }

  @Test("A signal ends a script that waits")
  func interrupted() throws {
    let agent = try opening(PickerSamples.opened)
    let done = DispatchSemaphore(value: 0)
    let folder = try TemporaryFolder()
    let file = try folder.file("pid", [])
    let thread = Thread {
      defer { done.signal() }
      _ = try? agent.call("Open")
      _ = try? Tool.shell(#"kill -TERM "$(cat "$1")""#, file)
    }
    thread.start()
    let run = try Tool.shell(
      #"echo $$ > "$1"; exec "$TOOL" pick --app lights --touch --socket "$2""#, file, agent.path)
    done.wait()
    #expect(run.status == -15 && run.output.isEmpty && run.errorOutput.isEmpty)
  }
}
