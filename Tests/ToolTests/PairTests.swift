// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import JSON
import Testing
import ToolText
import Varlink

/// Pairings and their questions before a stand-in for the agent.
@Suite("Pairing by commands")
struct PairTests {
  private static let request = PickerSamples.request

  private static func pairing(_ question: PairingQuestionLine?) -> RequestLine {
    var line = PickerSamples.setup(phase: .pairing, isOnBehalf: true)
    line.displayName = "Lumo lock"
    line.question = question
    return line
  }

  private static func paired(_ method: String, _ isAuthenticated: Bool) -> [UInt8] {
    Message.reply { json in
      json.member("method", method)
      json.member("isAuthenticated", isAuthenticated)
    }
  }

  private func agent(_ question: PairingQuestionLine?, _ answers: [String: [[UInt8]]]) throws -> StandInAgent
  {
    try StandInAgent(
      [.request(Self.pairing(question))],
      ["AnswerPairing": [PickerSamples.empty], "List": PickerSamples.list()].merging(answers) { $1 })
  }

  /// Runs `body` beside the tool.
  private func beside(_ body: @escaping @Sendable () throws -> Void, _ run: () throws -> Tool.Run) throws
    -> Tool.Run
  {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      defer { done.signal() }
      try? body()
    }
    thread.start()
    defer { done.wait() }
    return try run()
  }

  @Test("An answer is a call of the agent", arguments: [("yes", true), ("N", false)])
  func matches(word: String, isSame: Bool) throws {
    let agent = try agent(nil, [:])
    let run = try Tool.run(["answer", "--socket", agent.path, Self.request, word])
    #expect(run.status == 0 && run.output.isEmpty && run.errorOutput.isEmpty)
    let call = try agent.call("AnswerPairing")
    #expect(call["request"] == .string(Self.request) && call["matches"] == .bool(isSame))
    #expect(call["digits"] == nil)
  }

  @Test("Digits are an answer, with a blank between them or without")
  func digits() throws {
    let agent = try agent(nil, [:])
    #expect(try Tool.run(["answer", "--socket", agent.path, Self.request, "012 345"]).status == 0)
    #expect(try agent.call("AnswerPairing")["digits"] == .string("012345"))
    for word in ["12345", "1234567", "maybe", "", "12345x"] {
      let run = try Tool.run(["answer", "--socket", "/nowhere", Self.request, word])
      #expect(run.status == 64 && run.errorOutput.contains("yes, no, or six digits"), "\(run.errorOutput)")
    }
  }

  @Test("An answer to a request that is over is exit status 1")
  func late() throws {
    let closed = PickerSamples.failure("RequestClosed", [("request", Self.request)])
    let agent = try agent(nil, ["AnswerPairing": [closed]])
    let run = try Tool.run(["answer", "--socket", agent.path, Self.request, "yes"])
    #expect(run.status == 1 && run.errorOutput.contains("the request is over"))
  }

  @Test("A script that picks prints the question and how to answer it, and declares what it can do")
  func scriptedPick() throws {
    let agent = try agent(
      PairingQuestionLine(.compare, digits: "012345"), ["Open": [PickerSamples.opened]])
    let run = try beside({
      _ = try agent.call("AnswerPairing")
      try agent.answer("Open", PickerSamples.setUp("Lumo lock"), PickerSamples.empty)
    }) {
      let script = #"""
        "$TOOL" pick --app lights --touch --digits --json --socket "$1" > "$2" & child=$!
        until grep -q 'pairing' "$2"; do kill -0 $child || exit 9; done
        "$TOOL" answer "$3" yes --socket "$1"; wait $child; status=$?; cat "$2"; exit $status
        """#
      let folder = try TemporaryFolder()
      return try Tool.shell(script, agent.path, try folder.file("lines", []), Self.request)
    }
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(
      run.errorOutput.contains(
        "does Lumo lock show the digits 012 345?; answer with accessoryctl answer \(Self.request) yes|no"))
    #expect(
      run.lines.first
        == #"{"request":"\#(Self.request)","app":"lights","displayName":"Lumo lock","pairing":"compare","digits":"012345"}"#
    )
    try expectValid(run.output, "picked")
    #expect(
      try agent.call("Watch")["capabilities"]
        == .array([.string("display"), .string("keyboard"), .string("yesNo")]))
    #expect(try agent.call("AnswerPairing")["matches"] == .bool(true))
  }

  @Test("A script that cannot answer declares nothing")
  func noCapabilities() throws {
    let agent = try agent(nil, ["Open": [PickerSamples.opened]])
    let run = try beside({
      _ = try agent.call("Watch")
      try agent.answer("Open", PickerSamples.setUp("Lumo lock"), PickerSamples.empty)
    }) {
      try Tool.run(["pick", "--app", "lights", "--touch", "--socket", agent.path])
    }
    #expect(run.status == 0)
    #expect(try agent.call("Watch")["capabilities"] == nil)
  }

  @Test("A lost bond is made again, and the result says how")
  func renewal() throws {
    let first = Message.reply(continues: true) { $0.member("request", Self.request) }
    let agent = try agent(nil, ["Pair": [first, Self.paired("digitsCompared", true)]])
    let text = try Tool.run(["pair", "Lumo bulb", "--yes", "--socket", agent.path])
    #expect(
      text.text == "\"Lumo bulb\" is paired: digits compared, protected against a third device in between\n",
      "\(text.errorOutput)")
    #expect(try agent.call("Pair")["accessory"] == .string(PickerSamples.accessory))
    let json = try Tool.run(["pair", "Lumo bulb", "--yes", "--json", "--socket", agent.path])
    #expect(json.errorOutput.isEmpty)
    try expectValid(json.output, "pair")
    let unsafe = try self.agent(nil, ["Pair": [first, Self.paired("justWorks", false)]])
    let run = try Tool.run(["pair", "Lumo bulb", "--yes", "--socket", unsafe.path])
    #expect(run.text == "\"Lumo bulb\" is paired without digits, not protected against a third device\n")
    #expect(try unsafe.call("Watch")["capabilities"] == nil)
  }

  @Test("A device that cannot be paired again is one sentence and exit status 1")
  func failedRenewal() throws {
    let failed = PickerSamples.failure(
      "SetupFailed",
      [("failure", "connectionFailed"), ("reason", "it did not answer"), ("cure", "switch it to pairing")])
    let agent = try agent(nil, ["Pair": [failed]])
    let run = try Tool.run(["pair", "Lumo bulb", "--yes", "--socket", agent.path])
    #expect(run.status == 1 && run.errorOutput.contains("it did not answer; switch it to pairing"))
    #expect(!run.errorOutput.contains("was not set up"), "\(run.errorOutput)")
    let unsure = try Tool.run(["pair", "Lumo bulb", "--socket", agent.path])
    #expect(unsure.status == 64 && unsure.errorOutput.contains("or with --yes"))
  }

  @Test(
    "A bond that is not lost is exit status 1, and an accessory that another operator pairs is one to wait for"
  )
  func refusedRenewal() throws {
    let kept = PickerSamples.failure("Invalid", [("field", "accessory"), ("reason", "its bond is not lost")])
    let busy = PickerSamples.failure("Busy", [("request", PickerSamples.other)])
    let refusals: [(message: [UInt8], status: Int32, words: String)] = [
      (kept, 1, "accessoryctl: \"Lumo bulb\" was not paired: its bond is not lost\n"),
      (busy, 75, "another operator is pairing \"Lumo bulb\", or is asked about it; wait until that ends\n"),
    ]
    for refusal in refusals {
      let agent = try agent(nil, ["Pair": [refusal.message]])
      let run = try Tool.run(["pair", "Lumo bulb", "--yes", "--socket", agent.path])
      #expect(run.status == refusal.status && run.output.isEmpty)
      #expect(run.errorOutput.hasSuffix(refusal.words), "\(run.errorOutput)")
    }
  }

  @Test("What a person should know before a pairing is printed once, by pick and by pair, before its start")
  func note() throws {
    let note = "pairing it pauses the radio"
    var before = PickerSamples.setup(isOnBehalf: true)
    var pairing = Self.pairing(nil)
    (before.pairingNote, pairing.pairingNote) = (note, note)
    let first = Message.reply(continues: true) { $0.member("request", Self.request) }
    let agent = try StandInAgent(
      [.request(before), .request(pairing)],
      ["List": PickerSamples.list(pairingNote: note), "Open": [PickerSamples.opened], "Pair": [first]])
    let device = "C4:A1:00:00:1E:01"
    for (arguments, method, start, end) in [
      (
        ["pick", "--app", "lights", "--device", device], "Open", "",
        [PickerSamples.setUp(), PickerSamples.empty]
      ),
      (
        ["pair", "Lumo bulb", "--yes"], "Pair", "accessoryctl: pairing \"Lumo bulb\"; Ctrl-C ends this\n",
        [Self.paired("justWorks", false)]
      ),
    ] {
      let terminal = try TerminalSession(arguments + ["--socket", agent.path], showsErrors: true)
      try terminal.wait(for: "accessoryctl: \(note)\n\(start)")
      for message in end { try agent.answer(method, message) }
      try terminal.expectEnd(0)
      #expect(try terminal.screen().components(separatedBy: note).count == 2)
    }
  }

  @Test("A script that picks says how the device was paired, and what the bond is worth")
  func pickedBond() throws {
    let message = Message.reply(continues: true) { json in
      json.member("accessory", PickerSamples.accessory)
      json.member("displayName", "Lumo lock")
      json.member("pairing", "justWorks")
      json.member("isBondAuthenticated", false)
    }
    let agent = try agent(nil, ["Open": [PickerSamples.opened, message, PickerSamples.empty]])
    let arguments = ["pick", "--app", "lights", "--touch", "--socket", agent.path]
    let text = try Tool.run(arguments)
    #expect(
      text.text == "Lumo lock (lights): \(PickerSamples.accessory); paired without digits, "
        + "not protected against a third device\n", "\(text.errorOutput)")
    let json = try Tool.run(arguments + ["--json"])
    #expect(json.text.contains(#""pairing":"justWorks","isBondAuthenticated":false"#))
    try expectValid(json.output, "picked")
  }

  @Test("On a terminal the questions of a renewal are asked and answered line by line")
  func terminal() throws {
    let first = Message.reply(continues: true) { $0.member("request", Self.request) }
    let agent = try agent(PairingQuestionLine(.enterDigits), ["Pair": [first]])
    let terminal = try TerminalSession(
      ["pair", "Lumo bulb", "--yes", "--socket", agent.path], showsErrors: true)
    try terminal.press("1", "2", "Enter", after: "which six digits does Lumo lock show?")
    try terminal.press("1", "2", "3", "4", "5", "6", "Enter", after: "show? 12\n")
    #expect(try agent.call("AnswerPairing")["digits"] == .string("123456"))
    try agent.answer("Pair", Self.paired("digitsEntered", true))
    try terminal.wait(for: "paired: digits typed here, protected")
    try terminal.expectEnd(0)
  }

  @Test("The picker on the whole screen shows the digits, and y answers")
  func screen() throws {
    let agent = try agent(PairingQuestionLine(.compare, digits: "012345"), [:])
    let terminal = try TerminalSession(["pick", "--socket", agent.path])
    try terminal.press("n", after: "012 345")
    // The first key may come before the question has been on the screen long enough.
    while try terminal.wait(for: "just come", "Your answer was sent.").contains("just come") {
      try terminal.press("n")
    }
    #expect(try agent.call("AnswerPairing")["matches"] == .bool(false))
    try terminal.press("q", after: "Your answer was sent.")
    try terminal.expectEnd(0)
  }
}
