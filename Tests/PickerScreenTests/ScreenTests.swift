// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
import Interfaces
import Testing
import ToolText

@testable import PickerScreen

/// Screens against `Fixtures/NAME.screen`: the text, then which columns of which line stand out. With
/// `ACCESSORY_RECORD` set the files are written instead.
@Suite("Screens of the picker")
struct ScreenTests {
  private static let now = Samples.time(1003)

  private func expectGolden(
    _ model: PickerModel, _ name: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let screen = model.screen(at: Self.now)
    let text = Self.text(screen)
    #expect(screen.lines.count <= model.size.rows, sourceLocation: location)
    for line in screen.lines {
      #expect(line.text.columnCount <= model.size.columns, "\(line.text)", sourceLocation: location)
    }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/\(name).screen")
    if ProcessInfo.processInfo.environment["ACCESSORY_RECORD"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(text == expected, sourceLocation: location)
  }

  private static func text(_ screen: Screen) -> String {
    var text = ""
    for line in screen.lines { text += "|" + line.text.trimmedRight + "\n" }
    for (row, line) in screen.lines.enumerated() {
      for run in runs(line) where !run.style.isEmpty {
        text +=
          "line \(row), columns \(run.columns.lowerBound) to \(run.columns.upperBound): \(names(run.style))\n"
      }
    }
    if let cursor = screen.cursor { text += "cursor: line \(cursor.line), column \(cursor.column)\n" }
    return text
  }

  /// Joins neighbours of one style.
  private static func runs(_ line: ScreenLine) -> [(columns: Range<Int>, style: ScreenStyle)] {
    var runs: [(columns: Range<Int>, style: ScreenStyle)] = []
    for span in line.spans {
      let end = span.column + span.text.columnCount
      if let last = runs.last, last.style == span.style {
        runs[runs.count - 1].columns = last.columns.lowerBound..<end
      } else {
        runs.append((span.column..<end, span.style))
      }
    }
    return runs
  }

  private static func names(_ style: ScreenStyle) -> String {
    let all: [(ScreenStyle, String)] = [
      (.strong, "strong"), (.faint, "faint"), (.reversed, "reversed"), (.good, "good"), (.bad, "bad"),
    ]
    return all.filter { style.contains($0.0) }.map(\.1).joined(separator: " ")
  }

  @Test(
    "A setup with devices, in both sizes", arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func setup(size: ScreenSize, name: String) throws {
    var model = Samples.model([Samples.setup()], Samples.candidates, size: size)
    try expectGolden(model, "setup-\(name)")
    _ = model.press(.down, at: Self.now)
    _ = model.press(.down, at: Self.now)
    model.receive(.gone(3, of: Samples.lights), at: Self.now)
    try expectGolden(model, "setup-gone-\(name)")
    _ = model.press(.end, at: Self.now)
    try expectGolden(model, "setup-end-\(name)")
  }

  @Test(
    "Devices of a later item that came first hide nothing",
    arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func crowd(size: ScreenSize, name: String) throws {
    var model = Samples.model(
      [Samples.setup()], [Samples.candidate(70, level: -80, item: 1, name: "Lumo strip")], size: size)
    let weakest = (1...62).map { Samples.candidate($0, level: Int8(-30 - Int($0) / 2)) }.reversed()
    for candidate in weakest { model.receive(.candidate(candidate, of: Samples.lights), at: Self.now) }
    try expectGolden(model, "crowd-\(name)")
    _ = model.press(.end, at: Self.now)
    for number: UInt32 in 40...62 { model.receive(.gone(number, of: Samples.lights), at: Self.now) }
    try expectGolden(model, "crowd-end-\(name)")
  }

  @Test(
    "Networks beside devices, and alone", arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func networks(size: ScreenSize, name: String) throws {
    let mixed = Array(Samples.candidates.prefix(2)) + Samples.networks(item: 1)
    var model = Samples.model([Samples.cameras(besideDevices: true)], mixed, size: size)
    try expectGolden(model, "networks-mixed-\(name)")
    _ = model.press(.end, at: Self.now)
    try expectGolden(model, "networks-mixed-end-\(name)")
    model = Samples.model([Samples.cameras(besideDevices: false)], Samples.networks(item: 0), size: size)
    _ = model.press(.down, at: Self.now)
    try expectGolden(model, "networks-\(name)")
    model = Samples.model([Samples.cameras(besideDevices: false)], [], size: size)
    try expectGolden(model, "networks-looking-\(name)")
  }

  @Test("Several requests", arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func requests(size: ScreenSize, name: String) throws {
    let requests = [Samples.setup(), Samples.rename, Samples.authorize]
    var model = Samples.model(requests, Samples.candidates, size: size)
    try expectGolden(model, "tabs-\(name)")
    _ = model.press(.tab, at: Self.now)
    try expectGolden(model, "rename-\(name)")
    _ = model.press(.enter, at: Self.now)
    try expectGolden(model, "rename-typing-\(name)")
    _ = model.press(.escape, at: Self.now)
    _ = model.press(.tab, at: Self.now)
    try expectGolden(model, "authorize-\(name)")
    _ = model.press(.character("d"), at: Self.now)
    try expectGolden(model, "authorize-deny-\(name)")
  }

  @Test(
    "An app that asks for devices that it knew",
    arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func migration(size: ScreenSize, name: String) throws {
    var model = Samples.model([Samples.migrate], size: size)
    try expectGolden(model, "migrate-\(name)")
    model.receive(.closed(Samples.camera, RequestEnding()), at: Self.now)
    try expectGolden(model, "migrate-done-\(name)")
  }

  @Test("Nothing, and nothing yet", arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func empty(size: ScreenSize, name: String) throws {
    var model = Samples.model([], size: size)
    try expectGolden(model, "empty-\(name)")
    model.receive(Samples.status(.absent), at: Self.now)
    model.receive(.request(Samples.setup(phase: .looking, end: 130)), at: Self.now)
    try expectGolden(model, "looking-\(name)")
    _ = model.press(.character("?"), at: Self.now)
    try expectGolden(model, "help-\(name)")
  }

  @Test("An unusable registry is reported, with and without requests")
  func registryTrouble() {
    let sentence = "the registry's file is damaged; begin a new one with accessoryctl registry reset"
    var model = Samples.model([])
    model.receive(Samples.status(registryTrouble: sentence), at: Self.now)
    func words(_ model: PickerModel) -> String {
      model.screen(at: Self.now).lines.map(\.text.trimmedRight).joined()
    }
    #expect(words(model).contains("Nothing can be set up: \(sentence.prefix(40))"), "\(words(model))")
    #expect(words(model).contains("registry reset") && !words(model).contains("No requests."))
    model.receive(.request(Samples.setup()), at: Self.now)
    #expect(words(model).contains("Nothing can be set up: \(sentence.prefix(40))"), "\(words(model))")
    model.receive(Samples.status(), at: Self.now)
    #expect(!words(model).contains("Nothing can be set up"))
  }

  @Test("Requests that have ended", arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func endings(size: ScreenSize, name: String) throws {
    var model = Samples.model([Samples.setup()], Samples.candidates, size: size)
    let pressed = model.press(.enter, at: Self.now)
    let action = try #require(pressed)
    var settingUp = Samples.setup(phase: .settingUp, end: nil)
    settingUp.displayName = "Lumo bulb"
    model.receive(.request(settingUp), at: Self.now)
    try expectGolden(model, "setting-up-\(name)")
    var failed = model
    let setup = SetupReply(
      accessory: Samples.camera, displayName: "Lumo bulb", awaitsApp: false, finishesInApp: true)
    model.receive(.chosen(setup), to: action)
    model.receive(
      .closed(Samples.lights, RequestEnding(accessory: Samples.camera, displayName: "Lumo bulb")),
      at: Self.now)
    try expectGolden(model, "done-\(name)")
    failed.receive(
      .closed(
        Samples.lights,
        RequestEnding(failure: "connectionFailed", reason: "the device did not answer in 30 s")), at: Self.now
    )
    failed.receive(
      .failed("the device did not answer in 30 s", cure: "keep it near, and switch it off and on"), to: action
    )
    try expectGolden(failed, "failed-\(name)")
  }

  @Test("How a device sends that sleeps between its bursts stands below the list")
  func sleeping() {
    var candidate = Samples.candidate(1, level: -60)
    for (interval, rhythm, words) in [
      (110, 60_000, "sends in bursts, every 60 s,"), (60_000, 60_000, "sends every 60 s,"),
    ] as [(UInt32, UInt32, String)] {
      (candidate.intervalMilliseconds, candidate.rhythmMilliseconds) = (interval, rhythm)
      let model = Samples.model([Samples.setup()], [candidate], size: Samples.wide)
      let screen = model.screen(at: Samples.time(0)).lines.map(\.text).joined(separator: "\n")
      #expect(screen.contains(words), "\(screen)")
    }
  }

  @Test("What an item's devices lose on this board stands in the picker, before and after one is heard")
  func itemNote() {
    var button = Samples.bulb
    button.note = "sends only when pressed; this board listens 10 % of the time"
    for candidates in [[], Samples.candidates] {
      let model = Samples.model([Samples.setup(items: [button])], candidates, size: Samples.wide)
      let screen = model.screen(at: Samples.time(0)).lines.map(\.text).joined(separator: "\n")
      #expect(screen.contains("sends only when pressed; this board listens 10 %"), "\(screen)")
    }
    // A long one leaves a line for what the selected device does.
    button.note = String(repeating: "sends only when pressed; ", count: 20)
    var candidate = Samples.candidates[0]
    (candidate.intervalMilliseconds, candidate.rhythmMilliseconds) = (60_000, 60_000)
    let model = Samples.model([Samples.setup(items: [button])], [candidate], size: Samples.wide)
    let screen = model.screen(at: Samples.time(0)).lines.map(\.text).joined(separator: "\n")
    #expect(screen.contains("sends every 60 s") && screen.contains("only when pressed"), "\(screen)")
  }

  @Test(
    "Sentences that need more lines get those that are free, down to the last word",
    arguments: [(80, 24), (60, 24), (60, 20), (40, 24)])
  func wholeSentences(columns: Int, rows: Int) {
    var button = Samples.bulb
    button.note =
      "sends only when pressed; this board listens 10 % of the time while no request is open, and misses the presses in "
      + "between; low = { window-ms = 60, interval-ms = 60 } in [scan] of its profile makes it listen all the time"
    var candidate = Samples.candidate(1, level: -60, durable: false, shared: true)
    (candidate.intervalMilliseconds, candidate.rhythmMilliseconds) = (110, 60_000)
    let size = ScreenSize(columns: columns, rows: rows)
    var model = Samples.model([Samples.setup(items: [button])], [candidate], size: size)
    func words() -> String {
      let lines = model.screen(at: Samples.time(0)).lines
      #expect(lines.count == rows)
      return lines.flatMap { $0.text.split(separator: " ") }.joined(separator: " ")
    }
    let sentence = "\(button.name): \(button.note ?? "")"
    #expect(words().contains(sentence), "\(words())")
    #expect(words().contains("sends in bursts, every 60 s, another app has it already"), "\(words())")
    #expect(words().contains("last heard at -60 dBm"), "\(words())")
    // A list that fills the screen leaves what there was before.
    for number: UInt32 in 2...60 {
      model.receive(.candidate(Samples.candidate(number, level: -70), of: Samples.lights), at: Self.now)
    }
    #expect(!words().contains(sentence) && words().contains("sends only when pressed"), "\(words())")
  }

  @Test("A pairing and its questions", arguments: [(Samples.wide, "80x24"), (Samples.narrow, "40x10")])
  func pairing(size: ScreenSize, name: String) throws {
    var lock = Samples.bulb
    lock.pairing = .any
    var request = Samples.setup(items: [lock])
    request.pairingNote = "the radio pauses while a device is paired, about a second without digits"
    var model = Samples.model([request], Samples.candidates, size: size)
    try expectGolden(model, "pairing-before-\(name)")
    _ = model.press(.enter, at: Samples.time(1000))
    model.receive(.request(Samples.pairing(nil)), at: Samples.time(1000))
    try expectGolden(model, "pairing-\(name)")
    let questions: [(PairingQuestionLine, String)] = [
      (PairingQuestionLine(.compare, digits: "012345"), "compare"),
      (PairingQuestionLine(.enterDigits), "enter"),
      (PairingQuestionLine(.showDigits, digits: "678901"), "show"),
    ]
    for (question, word) in questions {
      model.receive(.request(Samples.pairing(question)), at: Samples.time(1000))
      try expectGolden(model, "pairing-\(word)-\(name)")
    }
    var ending = RequestEnding(accessory: Samples.camera, displayName: "Lumo lock")
    (ending.pairing, ending.isBondAuthenticated) = (.digitsShown, true)
    model.receive(.closed(Samples.lights, ending), at: Self.now)
    try expectGolden(model, "pairing-done-\(name)")
  }

  @Test("Without UTF-8 every character is ASCII")
  func ascii() throws {
    let requests = [Samples.setup(), Samples.rename]
    var model = Samples.model(requests, Samples.candidates, size: Samples.narrow, glyphs: .ascii)
    try expectGolden(model, "ascii-40x10")
    for key in [PickerKey.tab, .enter, .escape, .character("?")] {
      _ = model.press(key, at: Self.now)
      for line in model.screen(at: Self.now).lines { #expect(line.text.utf8.allSatisfy { $0 < 0x80 }) }
    }
  }

  @Test(
    "The keys for help and for saying no are always shown, and help names every key",
    arguments: [(Samples.wide, false), (Samples.narrow, false), (Samples.narrow, true)])
  func everyKey(size: ScreenSize, hasTabs: Bool) throws {
    let requests = hasTabs ? [Samples.setup(), Samples.rename, Samples.authorize] : [Samples.setup()]
    var model = Samples.model(requests, Samples.candidates, size: size)
    for _ in requests {
      let keys = try #require(model.screen(at: Self.now).lines.last?.text)
      #expect(keys.contains(" d deny ") && keys.contains(" ? help ") && keys.contains(" q"), "\(keys)")
      #expect(keys.contains(" Tab") == hasTabs, "\(keys)")
      _ = model.press(.tab, at: Self.now)
    }
    _ = model.press(.character("?"), at: Self.now)
    let words = Set(model.screen(at: Self.now).lines.flatMap { $0.text.split { " ,".contains($0) } })
    let keys = [
      "Enter", "n", "a", "d", "c", "q", "Tab", "left", "right", "h", "l", "up", "down", "j", "k", "PgUp",
      "PgDn", "g", "G", "Ctrl-L", "dim", "+", "?",
    ]
    for key in keys { #expect(words.contains(Substring(key)), "\(key)") }
  }

  @Test("Every size is drawn without leaving the window")
  func sizes() {
    for columns in [1, 12, 39, 40, 41, 57, 80, 140] {
      for rows in [1, 3, 9, 10, 11, 15, 16, 24, 40] {
        let size = ScreenSize(columns: columns, rows: rows)
        var model = Samples.model([Samples.setup(), Samples.rename], Samples.candidates, size: size)
        for key in [
          PickerKey.down, .character("n"), .character("厨"), .escape, .character("?"), .escape, .tab,
        ] {
          _ = model.press(key, at: Self.now)
          let screen = model.screen(at: Self.now)
          #expect(screen.lines.count <= rows)
          #expect(screen.lines.allSatisfy { $0.text.columnCount <= columns }, "\(columns) by \(rows)")
          #expect((screen.cursor?.column ?? 0) < columns && (screen.cursor?.line ?? 0) < rows)
        }
      }
    }
  }

  @Test("A small window asks for a larger one")
  func small() {
    let model = Samples.model([Samples.setup()], size: ScreenSize(columns: 30, rows: 5))
    #expect(model.screen(at: Self.now).lines.first?.text == "make the window larger: 40 by")
  }

  @Test("A wide screen shows whole addresses and the history; colours mean at the gateway, and gone")
  func wideColumns() throws {
    var model = Samples.model(
      [Samples.setup(items: [Samples.bulb])],
      [Samples.candidate(1, level: -41), Samples.candidate(2, level: -70)],
      size: ScreenSize(columns: 120, rows: 24))
    model.receive(.candidate(Samples.candidate(1, level: -60), of: Samples.lights), at: Self.now)
    let lines = model.screen(at: Self.now).lines
    let text = lines.map(\.text).joined(separator: "\n")
    #expect(text.contains("history"))
    for row in try #require(model.tab).list.rows { #expect(text.contains(row.line.address?.text ?? "-")) }
    #expect(text.contains("▇▆ ") || text.contains("▇▅ ") || text.contains("█▆"), "\(text)")
    let near = Samples.model([Samples.setup(items: [Samples.bulb])], [Samples.candidate(1, level: -41)])
    #expect(near.screen(at: Self.now).lines.flatMap(\.spans).contains { $0.style.contains(.good) })
    let far = Samples.model([Samples.setup(items: [Samples.bulb])], [Samples.candidate(2, level: -70)])
    #expect(!far.screen(at: Self.now).lines.flatMap(\.spans).contains { $0.style.contains(.good) })
  }

  @Test("With a radio that only listens the picker says that names may be missing")
  func passive() {
    var model = Samples.model([Samples.setup()], Samples.candidates)
    #expect(!model.screen(at: Self.now).lines[2].text.contains("names may be missing"))
    model.receive(Samples.status(scan: "passive"), at: Self.now)
    #expect(model.screen(at: Self.now).lines[2].text.contains("names may be missing"))
  }

  @Test("While networks cannot be read the picker says why, and of the radio only what concerns its items")
  func networksDown() {
    var camera = RequestItemLine(item: "camera", name: "Net cam")
    camera.isFoundByNetwork = true
    camera.reasonNothingIsFound = "finds nothing now: there is no interface wlan1"
    var model = Samples.model([Samples.setup(items: [camera], phase: .looking)])
    model.receive(Samples.status(scan: "passive"), at: Self.now)
    let alone = model.screen(at: Self.now).lines.map(\.text).joined(separator: " ")
    #expect(alone.contains("Net cam, by its network, not looked for"), "\(alone)")
    #expect(alone.contains("Net cam: finds nothing now: there is no interface wlan1."), "\(alone)")
    #expect(!alone.contains("Bring it near") && !alone.contains("names may be missing"), "\(alone)")
    model.receive(.request(Samples.setup(items: [Samples.bulb, camera], phase: .looking)), at: Self.now)
    let beside = model.screen(at: Self.now).lines.map(\.text).joined(separator: " ")
    #expect(beside.contains("1 item not looked for") && beside.contains("names may be missing"), "\(beside)")
    #expect(beside.contains("there is no interface wlan1") && beside.contains("Bring it near"), "\(beside)")
  }

  @Test("Devices that match and cannot be chosen are counted, with what helps while nothing else is there")
  func hindrances() {
    var request = Samples.setup()
    request.turnedAway = 3
    request.tooSlow = 1
    let facts = Samples.model([request], Samples.candidates).screen(at: Self.now).lines[2].text
    #expect(facts.contains("3 turned away: the item is full"), "\(facts)")
    #expect(facts.contains("1 sending too seldom to be let in"), "\(facts)")
    let beside = Samples.model([request], Samples.candidates, size: ScreenSize(columns: 60, rows: 24))
    let words = beside.screen(at: Self.now).lines.flatMap { $0.text.split(separator: " ") }
    #expect(
      words.joined(separator: " ").contains("lower gate.samples-min or raise gate.sample-window-max-ms."))
    request.phase = .looking
    let panel = Samples.model([request]).screen(at: Self.now).lines.map(\.text).joined(separator: " ")
    #expect(panel.contains("capacity.matches-per-item"), "\(panel)")
    let said = panel.split(separator: " ").joined(separator: " ")
    #expect(said.contains("those that it keeps are about as strong or stronger"), "\(said)")
    #expect(panel.contains("gate.sample-window-max-ms"), "\(panel)")
  }

  @Test("An item that nothing searches for is named, with what a gateway would need")
  func unsearchedItem() {
    var item = Samples.bulb
    item.reasonNothingIsFound = "never has a candidate: it would need more"
    var request = Samples.setup(items: [item])
    request.phase = .looking
    let alone = Samples.model([request]).screen(at: Self.now).lines.map(\.text).joined(separator: " ")
    #expect(alone.contains("\(item.name): never has a candidate: it would need more."), "\(alone)")
    #expect(!alone.contains("Bring it near"))
    request.items.append(Samples.bulb)
    let facts = Samples.model([request], Samples.candidates).screen(at: Self.now).lines[2].text
    #expect(facts.contains("1 item not looked for"), "\(facts)")
    let beside = Samples.model([request]).screen(at: Self.now).lines.map(\.text).joined(separator: " ")
    #expect(beside.contains("Bring it near") && beside.contains("it would need more"), "\(beside)")
  }

  @Test("Devices not heard for 10 s are dim, and an agent that is silent is named")
  func ageing() {
    let model = Samples.model([Samples.setup()], [Samples.candidate(1, level: -40)])
    let later = model.screen(at: Samples.time(1010))
    #expect(later.lines[5].spans.allSatisfy { $0.style.contains(.faint) })
    #expect(later.lines[0].text.contains("agent silent for 10 s"))
    #expect(!model.screen(at: Samples.time(1009)).lines[5].spans.contains { $0.style.contains(.faint) })
    #expect(later.lines[1].text.hasSuffix("9:50 left"))
  }
}

extension String {
  fileprivate var trimmedRight: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
