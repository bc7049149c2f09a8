// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Testing
import Varlink

/// How commands find the device or the accessory that a person means.
@Suite("Names on the command line")
struct NameTests {
  /// Accessories of the apps, and devices in sight: the lamp's calls itself "Lumo E27".
  private func agent(_ more: [String: [[UInt8]]] = [:]) throws -> StandInAgent {
    let devices = Replies.devices([(0xC4A1_0000_1E27, "Lumo E27"), (0xC000_0000_0001, "Buds")])
    let accessories = Replies.accessories.compactMap { step -> [UInt8]? in
      if case .send(let bytes) = step { bytes } else { nil }
    }
    return try StandInAgent(
      [],
      ["Sightings": devices, "List": accessories, "Items": [Message.reply()], "Networks": [Message.reply()]]
        .merging(more) { _, given in
          given
        })
  }

  @Test(
    "explain takes an address in any spelling or its beginning, names, and an identifier's beginning",
    arguments: [
      "c4a100001e27", "/org/bluez/hci0/dev_C4_A1_00_00_1E_27", "C4-A1-00-00-1E-27", "c4:a1:00:00:1e",
      "Lumo E27", "lumo e27", "0123",
      "disco \u{1B}[2j",
    ])
  func explained(name: String) throws {
    let agent = try agent([
      "Capture": [Message.reply()],
      "Inspect": Replies.devices([(0xC4A1_0000_1E27, "Lumo E27")]),
    ])
    let run = try Tool.run("explain", name, "--socket", agent.path)
    #expect(run.text.contains("C4:A1:00:00:1E:27"), "\(run.errorOutput)")
    #expect(
      run.status == 1 && run.errorOutput.hasSuffix("the manifest has no item, so that nothing can match\n"))
    #expect(try agent.call("Inspect")["device"] == .string("C4:A1:00:00:1E:27"))
  }

  @Test("explain says which accessory the name means")
  func accessory() throws {
    let agent = try agent([
      "Capture": [Message.reply()], "Inspect": Replies.devices([(0xC4A1_0000_1E27, "Lumo E27")]),
    ])
    let run = try Tool.run("explain", "0123", "--socket", agent.path)
    #expect(
      run.text.hasPrefix(#"accessory "Desk lamp" (lights/bulb, C4:A1:00:00:1E:27, 01234567)"#), "\(run.text)")
    #expect(
      try !Tool.run("explain", "C4:A1:00:00:1E:27", "--socket", agent.path).text.contains("accessory \""))
  }

  @Test(
    "A name that is unknown gets the name with a word like it, or how long an identifier has to be",
    arguments: [
      ("Desck", #"did you mean "Desk lamp"? "#), ("5b", "an identifier needs 4 digits or more; "),
    ])
  func hint(name: String, sentence: String) throws {
    let run = try Tool.run("explain", name, "--socket", try agent().path)
    #expect(run.status == 1 && run.errorOutput.contains(sentence), "\(run.errorOutput)")
  }

  @Test("A name that several have lists them")
  func ambiguous() throws {
    let run = try Tool.run("explain", "Desk lamp", "--socket", try agent().path)
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(
      run.errorOutput.hasPrefix(#"accessoryctl: "Desk lamp" may be any of: "Desk lamp" (lights/bulb, C4:"#))
    #expect(run.errorOutput.contains("1E:28, fedcba98); name one by its address"), "\(run.errorOutput)")
  }

  @Test(
    "An unknown name is a no, with the nearest, and without a word about networks",
    arguments: ["explain", "pick"])
  func unknown(command: String) throws {
    let agent = try agent()
    let arguments = command == "pick" ? ["pick", "--app", "lights", "--device"] : ["explain"]
    let run = try Tool.run(arguments + ["Lumo E72", "--socket", agent.path])
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errorOutput == """
        accessoryctl: no device in sight calls itself "Lumo E72", and no accessory is called so; did you mean \
        "Lumo E27"? accessoryctl sightings --all lists what is in sight; the agent scans passively, and so knows no name \
        that stands in a scan response: give the device's address, or set scan = "active" in [gateway]

        """)
  }

  @Test("pick names an app that does not exist before a device that does not")
  func unknownApp() throws {
    let refusal = Message.error("io.accessoryd.Operator.NotFound") { json in
      json.member("kind", "app")
      json.member("name", "lihgts")
      json.member("candidates", ["lights", "climate"])
    }
    let agent = try agent(["List": [refusal]])
    let run = try Tool.run("pick", "--app", "lihgts", "--device", "Lumo E72", "--socket", agent.path)
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errorOutput == "accessoryctl: the manifest has no app \"lihgts\"; did you mean lights?\n",
      "\(run.errorOutput)")
  }

  @Test("A mistyped address is called so, with the nearest that is in sight", arguments: ["explain", "pick"])
  func mistyped(command: String) throws {
    let arguments = command == "pick" ? ["pick", "--app", "lights", "--device"] : ["explain"]
    let run = try Tool.run(arguments + ["C4:A1:00:00:2E:2", "--socket", try agent().path])
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errorOutput.hasPrefix(
        #"accessoryctl: no device in sight has an address that begins with "C4:A1:00:00:2E:2"; did you mean "C4:A1:"#
      ),
      "\(run.errorOutput)")
  }

  @Test("A rename takes the name by which the device calls itself, and suggests near names")
  func renamed() throws {
    let agent = try agent(["Rename": [Message.reply()]])
    let run = try Tool.run("rename", "lumo e27", "Reading lamp", "--socket", agent.path)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(try agent.call("Rename")["accessory"] == .string(Replies.lamp))
    let unknown = try Tool.run("remove", "Desk lmap", "--yes", "--socket", agent.path)
    #expect(unknown.status == 1)
    #expect(
      unknown.errorOutput.hasPrefix(
        #"accessoryctl: there is no accessory "Desk lmap"; did you mean "Desk lamp" ("#),
      "\(unknown.errorOutput)")
  }

  @Test(
    "Commands of other programs are understood, and exchanged letters get a hint",
    arguments: [
      (["ls", "--help"], 0, "List the accessories that apps have."),
      (["help", "rm"], 0, "Take an accessory from its app."), (["version"], 0, "accessoryctl 0"),
      (["lsit"], 64, "did you mean list?"), (["ckeck", "x"], 64, "did you mean check?"),
    ])
  func commands(arguments: [String], status: Int32, text: String) throws {
    let run = try Tool.run(arguments)
    #expect(
      run.status == status && (run.text + run.errorOutput).contains(text), "\(run.text)\(run.errorOutput)")
  }

  @Test("Sentences are folded at the width of the terminal, and in a pipe they are one line")
  func folded() throws {
    let sentence = "no agent is there"
    let run = try Tool.run("status", "--socket", "/nowhere")
    #expect(run.errorOutput.split(separator: "\n").count == 1 && run.errorOutput.contains(sentence))
    let terminal = try Tool.shell(
      #"NO_COLOR=1 script -qec "stty cols 40; '$TOOL' status --socket /nowhere" /dev/null"#)
    let lines = terminal.text.split(whereSeparator: \.isNewline)
    #expect(lines.count > 2 && lines.allSatisfy { $0.count <= 40 }, "\(terminal.text)")
    #expect(lines.joined(separator: " ").contains(sentence))
  }
}
