// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces
import JSON
import ToolText

/// The sentences of the picker.
enum PickerSentences {
  private static let nameColumnsMax = 40

  private static func shown(_ text: String, _ glyphs: Glyphs) -> String {
    glyphs.shown(text, columnsMax: nameColumnsMax)
  }

  // MARK: The request

  static func question(_ request: RequestLine, _ glyphs: Glyphs) -> String {
    let app = shown(request.app, glyphs)
    let name = request.displayName.map { shown($0, glyphs) } ?? "an accessory"
    switch request.kind {
    case .setup where request.replaces != nil: return "Choose the new device of \(name) of \(app)"
    case .setup:
      let what = request.remaining > 1 ? "\(request.remaining) accessories" : "an accessory"
      return request.isOnBehalf ? "Set up \(what) for \(app)" : "\(app) asks to set up \(what)"
    case .rename: return "\(app) asks for another name for \(name)"
    case .authorize: return "\(app) asks to extend \(name)"
    case .migrate: return "\(app) asks for \(migrated(request)) that it knew before"
    case .pair: return "Pair \(name) of \(app) again"
    }
  }

  /// The question in fewer words.
  static func shortQuestion(_ request: RequestLine, _ glyphs: Glyphs) -> String {
    let app = shown(request.app, glyphs)
    let name = request.displayName.map { shown($0, glyphs) } ?? "an accessory"
    switch request.kind {
    case .setup where request.replaces != nil: return "New device of \(name)"
    case .setup: return request.isOnBehalf ? "Set up for \(app)" : "\(app): set up an accessory"
    case .rename: return "\(app): rename \(name)"
    case .authorize: return "\(app): extend \(name)"
    case .migrate: return "\(app): take \(migrated(request)) over"
    case .pair: return "\(app): pair \(name)"
    }
  }

  /// The label of the request's tab.
  static func label(_ request: RequestLine, _ glyphs: Glyphs) -> String {
    let app = glyphs.shown(request.app, columnsMax: 16)
    switch request.kind {
    case .setup: return request.replaces == nil ? app : "\(app): replace"
    case .rename: return "\(app): rename"
    case .authorize: return "\(app): extend"
    case .migrate: return "\(app): migrate"
    case .pair: return "\(app): pair"
    }
  }

  private static func migrated(_ request: RequestLine) -> String {
    request.adds?.count == 1 ? "a device" : "\(request.adds?.count ?? 0) devices"
  }

  /// Further facts about a request.
  static func facts(_ request: RequestLine, lacksNames: Bool, _ glyphs: Glyphs) -> [String] {
    guard request.kind == .setup else { return [] }
    let pairings = Set(request.searches.map { pairingWords($0.pairing) })
    var facts = pairings.count == 1 ? pairings.compactMap(\.self) : []
    if request.usesTouch {
      facts.append("holding it at the gateway chooses it")
    } else if !request.searches.isEmpty, request.searches.allSatisfy(\.isImmediate) {
      facts.append("hold it at the gateway")
    }
    if request.isFiltered {
      facts.append("the app filters and has received \(devices(request.disclosed))")
    }
    let unsearched = request.unsearched.count
    if unsearched > 0 {
      facts.append(unsearched == 1 ? "1 item not looked for" : "\(unsearched) items not looked for")
    }
    facts += request.briefHindrances
    if request.hidden > 0 { facts.append("\(request.hidden) more found that do not fit") }
    if lacksNames, request.searchesByBluetooth {
      facts.append("names may be missing: the radio only listens")
    }
    return facts
  }

  private static func devices(_ count: Int) -> String { count == 1 ? "1 device" : "\(count) devices" }

  /// How an item's device is paired, in a few words; nil when it is not.
  static func pairingWords(_ demand: RequestItemLine.Pairing?) -> String? {
    switch demand {
    case .any, .justWorks: "it will be paired"
    case .authenticated: "it will be paired, with digits"
    case nil: nil
    }
  }

  // MARK: Progress

  /// Text in place of the list: the progress, and what the operator can do.
  static func panel(_ tab: PickerTab, secondsLeft: Int64?, _ glyphs: Glyphs) -> [String] {
    let request = tab.request
    if let ending = tab.ending { return ended(tab, ending, glyphs) + tab.remarks }
    let app = shown(request.app, glyphs)
    let name = request.displayName.map { shown($0, glyphs) } ?? "the accessory"
    switch request.phase {
    case .looking, .choosing: return looking(request, glyphs)
    case .pairing: return pairing(tab, name, secondsLeft: secondsLeft, glyphs)
    case .naming: return ["\(name) was chosen.", "Enter names it; otherwise it keeps that name."]
    case .settingUp: return ["\(name) is being set up."]
    case .confirming: return ["\(name) is set up.", "\(app) must confirm it."]
    case .answering: return answering(request, name, glyphs)
    }
  }

  private static func pairing(
    _ tab: PickerTab, _ name: String, secondsLeft: Int64?, _ glyphs: Glyphs
  ) -> [String] {
    let left = secondsLeft.map { ", \($0) s left" } ?? ""
    let progress = "Pairing with \(name)\(left)."
    switch (tab.question?.kind, tab.isAnswered) {
    case (.enterDigits, false):
      return ["\(name) shows six digits.", "", "Press Enter to type them.", "", progress]
    case (.compare, true), (.enterDigits, true): return [progress, "", "Your answer was sent."]
    case (.compare, false), (.showDigits, _), (nil, _):
      return [progress, "", "Keep it near, and leave it switched on."]
    }
  }

  /// What stands above and below the digits of a question.
  static func digits(
    _ kind: PairingQuestionLine.Kind, _ request: RequestLine, _ glyphs: Glyphs
  ) -> (above: [String], below: [String]) {
    let name = request.displayName.map { shown($0, glyphs) } ?? "the accessory"
    switch kind {
    case .compare, .enterDigits:
      return (
        ["Does \(name) show these digits?"], ["Press y if they are the same, n if they differ."]
      )
    case .showDigits: return (["Type these digits at \(name):"], ["Nothing has to be pressed here."])
    }
  }

  static let sixDigits = "type the six digits that the accessory shows"

  private static func looking(_ request: RequestLine, _ glyphs: Glyphs) -> [String] {
    let items = request.searches.map { item in
      "\(glyphs.bullet) \(shown(item.name, glyphs))" + (item.isImmediate ? ", held at the gateway" : "")
        + (item.isFoundByNetwork ? ", by its network" : "")
        + (item.reasonNothingIsFound == nil ? "" : ", not looked for")
        + (item.pairing == nil ? "" : ", paired")
    }
    let hindrances = request.hindrances.map { glyphs.shown($0.sentence, columnsMax: 400) + "." }
    if request.isHopeless { return ["Looking for"] + items + [""] + hindrances }
    let cure =
      request.isFiltered && request.disclosed > 0
      ? "No device appears yet: the app decides which do." : "Bring it near, and switch it on."
    return ["Looking for"] + items + ["", cure] + hindrances
  }

  private static func answering(_ request: RequestLine, _ name: String, _ glyphs: Glyphs) -> [String] {
    let adds = (request.adds ?? []).prefix(32).map { "\(glyphs.bullet) \(glyphs.shown($0, columnsMax: 200))" }
    let keys = ["", "Press a to agree, or d to deny."]
    switch request.kind {
    case .setup, .rename, .pair:
      let network = request.renamesSSID ?? false ? ["The stored name of its network changes too."] : []
      return ["Its name is \(name)."] + network + ["", "Press Enter to type another."]
    case .authorize: return ["These would find \(name), too:"] + adds + keys
    case .migrate: return ["\(shown(request.app, glyphs)) would get:"] + adds + keys
    }
  }

  static func reasonNothingCanBeChosen(_ tab: PickerTab) -> String {
    switch tab.request.phase {
    case .looking, .choosing: "there is nothing to choose here"
    case .pairing: "wait until it is paired"
    case .naming: "name the device first"
    case .settingUp: "wait until it is set up"
    case .confirming: "wait until its app confirms it"
    case .answering: "there is nothing to choose here"
    }
  }

  /// How a request ended.
  static func ended(_ tab: PickerTab, _ ending: RequestEnding, _ glyphs: Glyphs) -> [String] {
    let app = shown(tab.request.app, glyphs)
    if let failure = ending.failure {
      let reason = ending.reason.map { glyphs.shown($0, columnsMax: 300) } ?? shown(failure, glyphs)
      switch tab.request.kind {
      case .setup where tab.request.replaces != nil: return ["It keeps its device: \(reason)."]
      case .setup: return ["Nothing was set up for \(app): \(reason)."]
      case .rename: return ["It keeps its name: \(reason)."]
      case .authorize: return ["It was not extended: \(reason)."]
      case .migrate: return ["\(app) got none of these devices: \(reason)."]
      case .pair: return ["It was not paired: \(reason)."]
      }
    }
    let name = (ending.displayName ?? tab.request.displayName).map { shown($0, glyphs) } ?? "It"
    let others = tab.hasDecided || tab.request.usesTouch ? [] : ["Another operator has decided."]
    switch tab.request.kind {
    case .setup where tab.request.replaces != nil:
      return ["\(name) of \(app) has its new device."] + paired(ending) + others
    case .setup: return ["\(name) is set up for \(app)."] + paired(ending) + others
    case .rename: return ["Its name is \(name) now."] + others
    case .authorize: return ["\(name) is extended as \(app) asked."] + others
    case .migrate: return ["\(app) has \(migrated(tab.request)) again."] + others
    case .pair: return ["\(name) is paired again for \(app)."] + paired(ending)
    }
  }

  /// How the device was paired, and whether the bond is authenticated.
  private static func paired(_ ending: RequestEnding) -> [String] {
    guard let method = ending.pairing else { return [] }
    let sentence = PairingSentences.result(method, isAuthenticated: ending.isBondAuthenticated ?? false)
    return [sentence.prefix(1).uppercased() + sentence.dropFirst() + "."]
  }

  // MARK: Results of actions

  /// The sentences about an answer that matter when the request is over.
  static func remarks(_ answer: PickerAnswer, _ request: RequestLine, _ glyphs: Glyphs) -> [String] {
    let app = shown(request.app, glyphs)
    switch answer {
    case .done, .closed: return []
    case .chosen(let setup):
      return (setup.awaitsApp ? ["\(app) has two minutes to confirm it."] : [])
        + (setup.finishesInApp ? ["Its setup continues in \(app)."] : [])
    case .failed(_, let cure): return cure.map { ["Try this: \(glyphs.shown($0, columnsMax: 300))."] } ?? []
    }
  }

  /// The message about an answer.
  static func note(_ answer: PickerAnswer, _ request: RequestLine?, _ glyphs: Glyphs) -> String? {
    switch answer {
    case .done: return nil
    case .chosen(let setup):
      let remarks = request.map { Self.remarks(answer, $0, glyphs) } ?? []
      let isReplaced = request?.replaces != nil
      return
        (["\(shown(setup.displayName, glyphs)) \(isReplaced ? "has its new device" : "is set up")."] + remarks)
        .joined(separator: " ")
    case .closed: return "Another operator was faster, or the request has ended."
    case .failed(let reason, let cure):
      return glyphs.shown([reason, cure].compactMap(\.self).joined(separator: "; "), columnsMax: 300)
    }
  }

  // MARK: Questions

  static func denyQuestion(_ tab: PickerTab, _ glyphs: Glyphs) -> String {
    "Deny this to \(shown(tab.request.app, glyphs))? It receives a refusal."
  }

  static func cancelQuestion(_ tab: PickerTab, _ glyphs: Glyphs) -> String {
    "Close this request of \(shown(tab.request.app, glyphs)) without an answer?"
  }

  static func replacementQuestion(_ replacement: PickerReplacement, _ glyphs: Glyphs) -> String {
    let names = replacement.silent.map { glyphs.shown($0.displayName, columnsMax: 24) }
    guard names.count > 1 else {
      return "A new accessory, or the replacement of \(names.first ?? ""), which is silent?"
    }
    let numbered = names.enumerated().map { "\($0.offset + 1) \($0.element)" }.joined(separator: ", ")
    return "A new accessory, or the replacement of a silent one: \(numbered)?"
  }

  static func fleetingQuestion(_ row: PickerRow, _ glyphs: Glyphs) -> String {
    "\(shown(row.line.name, glyphs)) changes its address and may not be recognized again. Choose it?"
  }

  /// The prompt, in fewer and fewer words.
  static func prompts(_ typing: PickerTyping, _ glyphs: Glyphs) -> [String] {
    switch typing.purpose {
    case .candidate: ["Choose it as:"]
    case .answer: ["Its name:"]
    case .digits: ["The six digits that the accessory shows:", "The digits that it shows:"]
    case .filter: ["Show only devices whose name or address has:", "Show only names or addresses with:"]
    case .network(_, _, let prefix, _):
      [
        "Its network begins with \(glyphs.shown(prefix, columnsMax: 32)); the whole name, if you know it:",
        "Its network's whole name, if you know it:", "Network's name, if you know it:",
      ]
    }
  }

  static func reasonIsRefused(_ scalar: Unicode.Scalar, in field: TextField) -> String {
    scalar.isInvisible
      ? "that character is invisible" : "a name has at most \(field.bytesMax) bytes"
  }

  static let help = [
    "Enter choose   n with name   / filter", "a agree   d deny   c close   q quit",
    "Tab, left, right, h, l  other requests", "up, down, j, k, PgUp, PgDn, g, G  move",
    "Ctrl-L redraw   green near, red gone", "",
    "dim       not heard for 10 s, or gone",
    "+ shared  another app has it already",
    "? fleeting  may not be recognized",
  ]
}

extension RequestLine {
  /// The items that devices are looked for with.
  fileprivate var searches: [RequestItemLine] { items.filter { !$0.isMigration } }

  /// Those of them by which nothing is found, now or ever.
  fileprivate var unsearched: [RequestItemLine] { searches.filter { $0.reasonNothingIsFound != nil } }

  /// Whether a device that advertises a name could be found.
  fileprivate var searchesByBluetooth: Bool {
    searches.contains { !$0.isFoundByNetwork && $0.reasonNothingIsFound == nil }
  }

  /// What an operator should know of the devices, as sentences.
  public var itemNotes: [String] { searches.compactMap { item in item.note.map { "\(item.name): \($0)" } } }

  fileprivate var isHopeless: Bool { !searches.isEmpty && unsearched.count == searches.count }

  /// Why an item has no candidates, or devices that match are none, and what helps, as sentences for operators. An app
  /// chose the names in them. Sentences of one kind differ in a number of devices only.
  public var hindrances: [(kind: String, sentence: String)] {
    unsearched.compactMap { item in
      item.reasonNothingIsFound.map { "\(item.name): \($0)" }.map { ($0, $0) }
    } + deviceHindrances
  }
}

extension RequestLine {
  /// Why devices that match are no candidates, and what helps, as sentences for operators.
  fileprivate var deviceHindrances: [(kind: String, sentence: String)] {
    let kinds: [(count: Int, kind: String)] = [
      (
        turnedAway,
        "turned away, because the item is full and those that it keeps are about as strong or stronger; raise "
          + "capacity.matches-per-item"
      ),
      (
        tooSlow,
        "never let in, because readings come too seldom; lower gate.samples-min or raise "
          + "gate.sample-window-max-ms"
      ),
    ]
    return kinds.filter { $0.count > 0 }.map { ($0.kind, "\(Self.matching($0.count)) \($0.kind)") }
  }

  /// The same in few words.
  fileprivate var briefHindrances: [String] {
    (turnedAway > 0 ? ["\(turnedAway) turned away: the item is full"] : [])
      + (tooSlow > 0 ? ["\(tooSlow) sending too seldom to be let in"] : [])
  }

  private static func matching(_ count: Int) -> String {
    count == 1 ? "1 device matches and is" : "\(count) devices match and are"
  }
}
