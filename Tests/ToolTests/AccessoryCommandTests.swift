// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import JSON
import Testing
import Varlink

@Suite("Looking after accessories")
struct AccessoryCommandTests {
  private static let done = ScriptedAgent.Step.send(Message.reply())

  private func run(
    _ connections: [[ScriptedAgent.Step]], _ arguments: String...
  ) throws -> (run: Tool.Run, calls: [String]) {
    let agent = try ScriptedAgent(connections)
    let run = try Tool.run(arguments + ["--socket", agent.path])
    // A call that did not come leaves the script waiting.
    return (run, run.status == 64 ? [] : try agent.calls.map(Self.text))
  }

  /// `Rename accessory=… name=…`.
  private static func text(_ call: Call) -> String {
    let words = call.parameters.members.compactMap { member in
      if case .string(let text) = member.value { "\(member.name)=\(text)" } else { nil }
    }
    return ([call.method] + words).joined(separator: " ")
  }

  @Test("A list shows each accessory's app, its state, and what to do")
  func list() throws {
    let (run, calls) = try run([Replies.accessories], "list")
    #expect(run.status == 0 && calls == ["List"], "\(run.errorOutput)")
    #expect(
      run.text == #"""
        name             app/item      state       status     signal        address            identifier
        Desk lamp        lights/bulb   authorized  active     -44 dBm       C4:A1:00:00:1E:27  01234567
        Desk lamp        lights/bulb   authorized  orphaned   not in sight  C4:A1:00:00:1E:28  fedcba98
            orphaned: its item is not in the manifest
        Disco \u{1B}[2J  music/strobe  authorized  suspended  not in sight  C4:A1:00:00:1E:27  00ff00ff
            suspended: its app has another account now; accessoryctl authorize music
            confirms

        """#)
    let json = try self.run([Replies.accessories], "list", "--app", "lights", "--json")
    #expect(json.run.status == 0 && json.run.lines.count == 3 && json.calls == ["List app=lights"])
    try expectValid(json.run.output, "list")
    let none = try self.run([[Self.done]], "list")
    #expect(none.run.status == 1 && none.run.output.isEmpty)
    #expect(none.run.errorOutput == "accessoryctl: no app has an accessory; accessoryctl pick sets one up\n")
  }

  @Test("A terminal gets the columns that fit", arguments: [40, 80])
  func terminal(columns: Int) throws {
    let agent = try ScriptedAgent([Replies.accessories])
    let run = try Tool.shell(
      #"NO_COLOR=1 script -qec "stty cols $2; '$TOOL' list --socket '$1'" /dev/null"#, agent.path,
      "\(columns)")
    #expect(run.text.contains("fedcba98") && run.text.contains("Desk lamp"))
    let rows = run.text.split(whereSeparator: \.isNewline)
    #expect(rows.allSatisfy { $0.count <= columns }, "\(run.text)")
  }

  @Test(
    "A rename finds the accessory by its name",
    arguments: ["0123", "0123456789ABCDEF0123456789abcdef"])
  func rename(name: String) throws {
    let (run, calls) = try run([Replies.accessories, [Self.done]], "rename", name, "Reading lamp")
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(run.text == "renamed \"Desk lamp\" to \"Reading lamp\", for music too\n")
    #expect(calls == ["List", "Rename accessory=\(Replies.lamp) name=Reading lamp"])
  }

  @Test("Each change is an object with a schema, too")
  func json() throws {
    let removed = Replies.registry(removed: [("bulb", "C4:A1:00:00:1E:27"), ("strip", "C4:A1:00:00:1E:27")])
    let confirmed = ScriptedAgent.Step.send(Message.reply { $0.member("accessories", 2) })
    let lamp = #""accessory":"\#(Replies.lamp)","app":"lights""#
    let twin = #""accessory":"\#(Replies.twin)","app":"lights""#
    let cases: [(schema: String, steps: [[ScriptedAgent.Step]], arguments: [String], line: String)] = [
      (
        "rename", [Replies.accessories, [Self.done]], ["0123", "Reading lamp"],
        #"{\#(lamp),"displayName":"Reading lamp","previousName":"Desk lamp","otherApps":["music"]}"#
      ),
      (
        "remove", [Replies.accessories, [Self.done]], ["fedc", "--yes"],
        #"{\#(twin),"item":"bulb","displayName":"Desk lamp","address":"C4:A1:00:00:1E:28","addressType":"random","#
          + #""otherApps":[]}"#
      ),
      (
        "allow", [removed, [Self.done]], ["lights", "c4:a1:00:00:1e:27"],
        #"{"app":"lights","device":"C4:A1:00:00:1E:27","items":["bulb","strip"]}"#
      ),
      ("authorize", [[confirmed]], ["lights"], #"{"app":"lights","accessories":2}"#),
      (
        "disconnect", [Replies.accessories, [Self.done]], ["fedc"],
        #"{\#(twin),"displayName":"Desk lamp"}"#
      ),
    ]
    for (schema, steps, arguments, line) in cases {
      let agent = try ScriptedAgent(steps)
      let run = try Tool.run([schema] + arguments + ["--json", "--socket", agent.path])
      #expect(run.status == 0 && run.text == line + "\n", "\(run.errorOutput)")
      try expectValid(run.output, schema)
    }
  }

  @Test("An ambiguous or unknown name is a no that lists the candidates")
  func ambiguous() throws {
    let twins = try run([Replies.accessories], "rename", "Desk lamp", "x")
    #expect(twins.run.status == 1 && twins.calls == ["List"])
    #expect(
      twins.run.errorOutput == """
        accessoryctl: "Desk lamp" may be any of: "Desk lamp" (lights/bulb, C4:A1:00:00:1E:27, 01234567), \
        "Desk lamp" (lights/bulb, C4:A1:00:00:1E:28, fedcba98); name it by its identifier

        """)
    let shared = try run([Replies.accessories], "remove", "C4:A1:00:00:1E:27", "--yes")
    #expect(shared.run.status == 1 && shared.run.errorOutput.contains("music/strobe"))
    // The name is the device's.
    let device = try run([Replies.accessories, [Self.done]], "rename", "C4:A1:00:00:1E:27", "x")
    #expect(device.run.status == 0 && device.run.text.hasSuffix("to \"x\", for music too\n"))
    let app = try run(
      [Replies.accessories, [Self.done]], "rename", "C4:A1:00:00:1E:27", "x", "--app", "music")
    #expect(app.run.status == 0 && app.calls.last == "Rename accessory=\(Replies.shared) name=x")
    let unknown = try run([Replies.accessories], "rename", "fed", "x", "--app", "lights")
    #expect(
      unknown.run.status == 1 && unknown.run.errorOutput.contains(#""lights" has no accessory "fed"; name"#))
    #expect(!unknown.run.errorOutput.contains("music") && !unknown.run.errorOutput.utf8.contains(0x1B))
    let empty = try run([[Self.done]], "rename", "fed", "x")
    #expect(empty.run.status == 1 && empty.run.errorOutput.contains("nor any other"))
  }

  @Test("A disconnection names the accessory; one that is not connected is a no")
  func disconnect() throws {
    let (run, calls) = try run([Replies.accessories, [Self.done]], "disconnect", "fedc")
    #expect(run.status == 0 && calls.last == "Disconnect accessory=\(Replies.twin)", "\(run.errorOutput)")
    #expect(run.text == "disconnected \"Desk lamp\" (lights/bulb, C4:A1:00:00:1E:28, fedcba98)\n")
    for (reason, status, sentence) in [
      ("notConnected", Int32(1), "the accessory is not connected; accessoryctl list shows which ones are"),
      (
        "refused", 75,
        "the kernel did not end the connection in time; try again, and read accessoryctl status"
      ),
    ] {
      let error = Replies.failure("io.accessoryd.Operator.NotDisconnected") { json in
        json.member("accessory", Replies.twin)
        json.member("reason", reason)
      }
      let (run, _) = try self.run([Replies.accessories, [error]], "disconnect", "fedc")
      #expect(run.status == status && run.errorOutput == "accessoryctl: \(sentence)\n")
    }
  }

  @Test("Without a terminal, a removal refuses to ask, and what does not exist is not found")
  func removeUnasked() throws {
    let (refused, _) = try self.run([Replies.accessories], "remove", "fedc")
    #expect(refused.status == 64 && refused.errorOutput.contains("--yes"))
    let (unknown, _) = try self.run([Replies.accessories], "remove", "abcdef")
    #expect(unknown.status == 1 && unknown.errorOutput.contains("there is no accessory"))
    let (run, calls) = try self.run([Replies.accessories, [Self.done]], "remove", "fedc", "--yes")
    #expect(run.status == 0 && calls.last == "Remove accessory=\(Replies.twin)")
    #expect(run.text == "removed \"Desk lamp\" (lights/bulb, C4:A1:00:00:1E:28, fedcba98)\n")
  }

  @Test("A removal says what will happen, and goes ahead only after yes", arguments: ["y", "n"])
  func removeAsked(answer: String) throws {
    let agent = try ScriptedAgent([Replies.accessories, [Self.done]])
    let run = try Tool.shell(
      #"echo "$2" | script -qec "'$TOOL' remove '$3' --socket '$1'" /dev/null"#, agent.path, answer, "fedc")
    #expect(run.text.contains("No other app has the device: its bond goes too."), "\(run.text)")
    #expect(run.text.contains("until accessoryctl allow lights C4:A1:00:00:1E:28"))
    #expect(run.text.contains(answer == "y" ? "removed \"Desk lamp\"" : "nothing was changed"))
    #expect(run.status == (answer == "y" ? 0 : 1))
  }

  @Test("A device that another app has too keeps its bond")
  func removeShared() throws {
    let agent = try ScriptedAgent([Replies.accessories])
    let run = try Tool.shell(
      #"echo | script -qec "'$TOOL' remove 0123 --socket '$1'" /dev/null"#, agent.path)
    #expect(run.text.contains("The device stays with music, and so does its bond."), "\(run.text)")
  }

  @Test("A removed device is allowed again by its address or by its item")
  func allow() throws {
    let removed = Replies.registry(removed: [
      ("bulb", "C4:A1:00:00:1E:27"), ("bulb", "C4:A1:00:00:1E:28"), ("strip", "C4:A1:00:00:1E:27"),
    ])
    let one = try run([removed, [Self.done]], "allow", "lights", "c4:a1:00:00:1e:27")
    #expect(
      one.run.text == """
        allowed again: C4:A1:00:00:1E:27 for lights/bulb
        allowed again: C4:A1:00:00:1E:27 for lights/strip

        """)
    #expect(one.calls == ["Registry", "Allow app=lights device=C4:A1:00:00:1E:27"])
    let item = try run([removed, [Self.done], [Self.done]], "allow", "lights", "bulb", "strip")
    #expect(item.run.status == 0 && item.calls.count == 3)
  }

  @Test(
    "A device that was not removed is refused with those that were; an unknown app is a no")
  func allowUnknown() throws {
    let removed = Replies.registry(removed: [
      ("bulb", "C4:A1:00:00:1E:27"), ("strip", "C4:A1:00:00:1E:27"),
    ])
    let unknown = try run([removed], "allow", "lights", "nope").run
    #expect(
      unknown.status == 1
        && unknown.errorOutput == """
          accessoryctl: nothing of "lights" called "nope" was removed; name one of: C4:A1:00:00:1E:27, bulb, strip

          """
    )
    let noApp = ScriptedAgent.Step.send(
      Message.error("io.accessoryd.Operator.NotFound") { json in
        json.member("kind", "app")
        json.member("name", "nope")
        json.member("candidates", ["lights", "music"])
      })
    for name in ["bulb", "C4:A1:00:00:1E:27"] {
      let unknownApp = try run([removed, [noApp]], "allow", "nope", name).run
      #expect(
        unknownApp.status == 1
          && unknownApp.errorOutput
            == "accessoryctl: the manifest has no app \"nope\"; name one of: lights, music\n"
      )
    }
    let nothing = try run([removed, [Self.done]], "allow", "music", "bulb")
    #expect(nothing.run.status == 1 && nothing.calls == ["Registry", "List app=music"])
    #expect(nothing.run.errorOutput.contains(#"nothing was removed from "music""#))
  }

  @Test(
    "With an unusable registry, no command claims that there are no accessories",
    arguments: [
      ["list"], ["rename", "0123", "x"], ["remove", "0123", "--yes"], ["allow", "lights", "bulb"],
    ])
  func degraded(arguments: [String]) throws {
    let sentence = "the registry's file is damaged; begin a new one with accessoryctl registry reset"
    let refused = ScriptedAgent.Step.send(
      Message.error("io.accessoryd.Operator.RegistryUnavailable") { $0.member("sentence", sentence) })
    let answer = arguments[0] == "allow" ? Replies.registry("degraded", sentence: sentence) : [refused]
    let agent = try ScriptedAgent([answer])
    let run = try Tool.run(arguments + ["--socket", agent.path])
    #expect(run.status == 74 && run.output.isEmpty)
    #expect(run.errorOutput == "accessoryctl: \(sentence)\n")
  }

  @Test("An app's accessories are confirmed and counted")
  func authorize() throws {
    let (run, calls) = try run([[Replies.accessories(1)]], "authorize", "lights")
    #expect(run.text == "confirmed: lights has 1 accessory under its present account\n")
    #expect(run.status == 0 && calls == ["Authorize app=lights"])
    let none = try self.run([[Replies.accessories(0)]], "authorize", "none").run
    #expect(none.status == 1 && none.output.isEmpty)
    #expect(
      none.errorOutput
        == "accessoryctl: \"none\" has no accessories to confirm; accessoryctl list shows which apps have some\n"
    )
  }

  @Test(
    "An error of io.accessoryd.Operator is one sentence and one exit status",
    arguments: [
      ("RequestClosed", 1, "another operator answered it"),
      ("SetupFailed", 1, "the accessory was not set up (it)"),
      ("Invalid", 64, "it is not acceptable: it does not say why"),
      ("RegistryUnavailable", 74, "the registry cannot be written"),
      ("Busy", 75, "answer it with accessoryctl pick"), ("NotFound", 1, "the agent does not know it"),
    ])
  func errors(name: String, status: Int32, sentence: String) throws {
    let failure = Replies.failure("io.accessoryd.Operator.\(name)")
    let (run, _) = try run([[failure]], "list")
    #expect(run.errorOutput.contains(sentence), "\(run.errorOutput)")
    #expect(run.errorOutput.hasPrefix("accessoryctl: ") && run.errorOutput.count { $0 == "\n" } == 1)
    #expect(run.status == status && run.output.isEmpty)
  }

  @Test(
    "A name that the agent does not know is reported with those that it knows",
    arguments: [
      ("app", 1, "the manifest has no app"), ("item", 1, "the manifest has no item"),
      ("accessory", 1, "there is no accessory"), ("device", 1, "was not removed"),
      ("candidate", 1, "there is no candidate"),
    ])
  func notFound(kind: String, status: Int32, sentence: String) throws {
    let failure = Replies.failure("io.accessoryd.Operator.NotFound") { json in
      json.member("kind", kind)
      json.member("name", "lamp\u{1B}")
      json.member("candidates", ["lights", "music\u{1B}"])
    }
    let (run, _) = try run([[failure]], "authorize", "lamp")
    #expect(run.status == status && run.errorOutput.contains(sentence), "\(run.errorOutput)")
    #expect(run.errorOutput.contains(#""lamp\u{1B}""#))
    #expect(run.errorOutput.contains(#"; name one of: lights, music\u{1B}"#))
  }
}
