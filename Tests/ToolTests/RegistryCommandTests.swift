// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import JSON
import Testing
import Varlink

@Suite("Looking after the registry")
struct RegistryCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ connections: [[ScriptedAgent.Step]], _ arguments: String...) throws -> Tool.Run {
    let agent = try ScriptedAgent(connections)
    return try Tool.run(arguments + ["--socket", agent.path])
  }

  /// An export of `count` accessories of one app.
  private static func export(_ count: Int) -> [String] {
    var lines = [
      #"{"registry":1,"rows":\#(2 * count + 1)}"#,
      #"{"row":"account","number":1,"app":"lights","user":1000}"#,
    ]
    for number in 1...count {
      let digits = String(format: "%04x", number)
      lines.append(
        #"{"row":"device","number":\#(number),"address":"c4a10000\#(digits)","addressType":1,"#
          + #""displayName":"Lamp \\ \#(number)","identityDurable":1,"bond":"none"}"#)
    }
    for number in 1...count {
      let digits = String(format: "%04x", number)
      lines.append(
        #"{"row":"accessory","number":\#(number),"identifier":"\#(digits)0000000000000000000000000000","#
          + #""app":"lights","item":"bulb","device":\#(number),"#
          + #""bluetoothIdentifier":"\#(digits)ffffffffffffffffffffffffffff","state":20,"#
          + #""descriptorCompanyIdentifier":3822,"descriptorRange":0}"#)
    }
    return lines
  }

  private static func lines(_ lines: [String]) -> [ScriptedAgent.Step] {
    lines.map { line in .send(Message.reply(continues: true) { $0.member("line", line) }) }
      + [.send(Message.reply())]
  }

  private func file(_ lines: [String]) throws -> String {
    try folder.file("backup.registry", Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  // MARK: show

  @Test("Shows its state, the removed devices, the bonds to remove, and the identifiers that apps had")
  func show() throws {
    let open = Replies.registry(
      removed: [("bulb", "C4:A1:00:00:1E:27"), ("bulb\u{1B}", "attic")],
      unpairing: ["C4:A1:00:00:1E:28"], formers: [("1d00000000000007fffffffffffffff8", "C4:A1:00:00:1E:27")])
    let text = try run([open], "registry", "show")
    #expect(text.status == 0)
    #expect(
      text.text == #"""
        registry  open, 3 accessories
        unpairing C4:A1:00:00:1E:28 waits for bluetoothd
        former    C4:A1:00:00:1E:27 was 1d00000000000007fffffffffffffff8 for lights
        removed   C4:A1:00:00:1E:27 from lights/bulb
        removed   attic from lights/bulb\u{1B}

        """#)
    let json = try run([open], "registry", "show", "--json")
    #expect(json.status == 0 && json.lines.count == 5)
    try expectValid(json.output, "registry")
  }

  @Test("A registry that is not in order is a no, with the cure")
  func degraded() throws {
    let degraded = Replies.registry("degraded", sentence: "it is damaged: run accessoryctl registry reset")
    let text = try run([degraded], "registry", "show")
    #expect(text.status == 1)
    #expect(
      text.text
        == "registry  degraded, 3 accessories\n          it is damaged: run accessoryctl registry reset\n")
    let json = try run([degraded], "registry", "show", "--json")
    try expectValid(json.output, "registry")
    #expect(json.status == 1)
    #expect(try run([Replies.registry("opening")], "registry", "show").status == 1)
  }

  // MARK: export

  @Test("An export goes to standard output, or to a file of its owner alone")
  func export() throws {
    let lines = Self.export(2)
    let output = try run([Self.lines(lines)], "registry", "export")
    #expect(output.status == 0 && output.text == lines.map { $0 + "\n" }.joined())
    let path = try folder.file("backup.registry", "old")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let file = try run([Self.lines(lines)], "registry", "export", path)
    #expect(file.status == 0 && file.output.isEmpty, "\(file.errorOutput)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == output.text)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["backup.registry"])
  }

  @Test("While the tool has keys, it leaves no core dump, whatever limit it is started with")
  func noCoreDump() throws {
    let agent = try ScriptedAgent([[.waitForEnd]])
    let script = #"""
      ulimit -c unlimited
      "$TOOL" registry export --with-keys --socket "$1" & child=$!
      until grep -q '^Max core file size *0  *0 ' /proc/$child/limits; do kill -0 $child || exit 9; done
      kill -KILL $child
      """#
    let run = try Tool.shell(script, agent.path)
    #expect(run.status == 0, "\(run.errorOutput)")
  }

  @Test("An export has keys only on request", arguments: [false, true])
  func exportWithKeys(includesKeys: Bool) throws {
    let agent = try ScriptedAgent([Self.lines(Self.export(1))])
    let arguments = ["registry", "export", "--socket", agent.path] + (includesKeys ? ["--with-keys"] : [])
    #expect(try Tool.run(arguments).status == 0)
    #expect(try agent.calls.map { $0.parameters["includesKeys"] } == [includesKeys ? .bool(true) : nil])
  }

  @Test("An export that breaks off, or cannot be written, leaves the old file as it is")
  func tornExport() throws {
    let path = try folder.file("backup.registry", "old")
    let torn = try run([Array(Self.lines(Self.export(2)).dropLast())], "registry", "export", path)
    #expect(torn.status == 69 && torn.errorOutput.contains("closed the connection"))
    let hostile = try run([Self.lines(["{}\n{}"])], "registry", "export", path)
    #expect(hostile.status == 76)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["backup.registry"])
    let lost = try run([Self.lines(Self.export(1))], "registry", "export", folder.path + "/none/backup")
    #expect(lost.status == 73 && lost.errorOutput.contains("No such file"))
  }

  @Test("An export never replaces what is not a file")
  func specialFiles() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: "/dev/null")
    for path in [folder.path + "/link", folder.path, "/dev/null"] {
      let run = try run([Self.lines(Self.export(1))], "registry", "export", path)
      #expect(run.status == 73 && run.errorOutput.contains("not an ordinary file"), "\(run.errorOutput)")
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/link") == "/dev/null")
  }

  // MARK: import

  @Test("An import arrives complete, in calls that fit")
  func `import`() throws {
    let lines = Self.export(100)
    let path = try file(lines)
    let more: [ScriptedAgent.Step] = [.send(Message.reply()), .readCall]
    let agent = try ScriptedAgent([more + more + [Replies.accessories(100)]])
    let run = try Tool.run("registry", "import", path, "--yes", "--socket", agent.path)
    #expect(run.status == 0 && run.text == "imported 100 accessories\n", "\(run.errorOutput)")
    let calls = try agent.calls.map(\.parameters)
    #expect(calls.count == 3)
    #expect(calls.map { $0["begins"] } == [.bool(true), nil, nil])
    #expect(calls.map { $0["commits"] } == [nil, nil, .bool(true)])
    var sent: [String] = []
    for call in calls {
      guard case .array(let elements)? = call["lines"] else { continue }
      for case .string(let line) in elements { sent.append(line) }
    }
    #expect(sent == lines)
  }

  @Test("A file that is torn, foreign or no text is refused before the tool asks the agent")
  func tornImport() throws {
    let lines = Self.export(2)
    let cases: [(String, [UInt8], String)] = [
      ("cut", Array(lines.dropLast().joined(separator: "\n").utf8), "its first line announces 5"),
      ("half", Array(lines.joined(separator: "\n").utf8.dropLast(9)), "line 6 is not JSON"),
      ("foreign", Array("hello\n".utf8), "line 1 is not JSON"), ("empty", [], "first line"),
      ("bytes", [0x7B, 0xFF, 0x7D], "line 1 is not UTF-8"),
      ("newer", Array(#"{"registry":9,"rows":0}"#.utf8), "version 9"),
    ]
    for (name, bytes, sentence) in cases {
      let path = try folder.file(name, bytes)
      let run = try Tool.run("registry", "import", path, "--yes", "--socket", "/nowhere")
      #expect(run.status == 65 && run.errorOutput.contains(sentence), "\(name): \(run.errorOutput)")
      #expect(run.errorOutput.contains("nothing was changed"))
    }
    #expect(try Tool.run("registry", "import", folder.path + "/none", "--yes").status == 66)
  }

  @Test("An import that the agent refuses is reported with the reason")
  func refusedImport() throws {
    let failure = Replies.failure("io.accessoryd.Operator.Invalid") { json in
      json.member("field", "lines")
      json.member("reason", "line 2 is no row\u{1B}")
    }
    let run = try run([[failure]], "registry", "import", try file(Self.export(1)), "--yes")
    #expect(run.status == 65)
    #expect(run.errorOutput.contains(#"line 2 is no row\u{1B}"#), "\(run.errorOutput)")
  }

  // MARK: Questions

  @Test("Without a terminal, an action that cannot be undone is refused", arguments: ["import", "reset"])
  func unasked(command: String) throws {
    let path = try file(Self.export(1))
    let arguments = command == "import" ? [command, path] : [command]
    let run = try Tool.run(["registry"] + arguments + ["--socket", "/nowhere"])
    #expect(run.status == 64 && run.errorOutput.contains("--yes"), "\(run.errorOutput)")
    #expect(try Tool.run("registry", "import", "-").status == 64)
  }

  @Test("An import says that it replaces everything", arguments: ["yes", ""])
  func asked(answer: String) throws {
    let agent = try ScriptedAgent([[Replies.accessories(2)]])
    let run = try Tool.shell(
      #"echo "$2" | script -qec "'$TOOL' registry import '$3' --socket '$1'" /dev/null"#, agent.path, answer,
      try file(Self.export(2)))
    #expect(run.text.contains("Everything in the registry is replaced"), "\(run.text)")
    #expect(run.text.contains("2 accessories."))
    #expect(run.text.contains(answer == "yes" ? "imported 2 accessories" : "nothing was changed"))
    #expect(run.status == (answer == "yes" ? 0 : 1))
  }

  @Test("A reset says where the old file is kept")
  func reset() throws {
    let kept = ScriptedAgent.Step.send(Message.reply { $0.member("kept", "/var/lib/accessoryd/registry.1") })
    let run = try run([[kept]], "registry", "reset", "--yes")
    #expect(run.status == 0)
    #expect(run.text == "the registry is empty; the old file is kept as \"/var/lib/accessoryd/registry.1\"\n")
    let none = try self.run(
      [[.send(Message.reply { $0.member("kept", String?.none) })]], "registry", "reset", "--yes")
    #expect(none.text == "the registry is empty; there was nothing to keep\n")
  }
}
