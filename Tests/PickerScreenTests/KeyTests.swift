// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Testing
import ToolText

@testable import PickerScreen

@Suite("Keys of the picker")
struct KeyTests {
  private let now = Samples.time(1000)

  /// The last action that keys lead to.
  private func press(_ model: inout PickerModel, _ keys: PickerKey...) -> PickerAction? {
    keys.reduce(nil) { _, key in model.press(key, at: now) }
  }

  private func type(_ model: inout PickerModel, _ text: String) {
    for scalar in text.unicodeScalars { _ = model.press(.character(scalar), at: now) }
  }

  @Test("Enter chooses the selected device, once")
  func choose() {
    var model = Samples.model([Samples.setup()], Samples.candidates)
    #expect(
      press(&model, .down, .enter) == .choose(request: Samples.lights, candidate: 2, name: nil, ssid: nil))
    #expect(press(&model, .enter) == nil && model.note != nil)
    let action = PickerAction.choose(request: Samples.lights, candidate: 2, name: nil, ssid: nil)
    model.receive(.failed("it went away", cure: "bring it nearer"), to: action)
    #expect(model.note == "it went away; bring it nearer")
    #expect(press(&model, .enter) == action)
  }

  private func shown(_ model: PickerModel) -> String {
    model.screen(at: now).lines.map(\.text).joined(separator: "\n")
  }

  /// Requests of an item of which these accessories are silent.
  private func model(silent names: String...) -> PickerModel {
    var item = Samples.bulb
    item.silent = names.enumerated().map {
      SilentAccessoryLine(accessory: "a\($0.offset)", displayName: $0.element)
    }
    return Samples.model([Samples.setup(items: [item])], [Samples.candidate(1, level: -40)])
  }

  private func choice(replacing accessory: String?) -> PickerAction {
    .choose(request: Samples.lights, candidate: 1, name: nil, ssid: nil, replaces: accessory)
  }

  @Test("Where an accessory of the item is silent, the picker asks whether the device takes its place")
  func replacement() {
    var one = model(silent: "Kitchen")
    #expect(press(&one, .enter) == nil)
    #expect(
      shown(one).contains("A new accessory, or the replacement of Kitchen, which is silent?"),
      "\(shown(one))")
    var (new, other) = (one, one)
    #expect(press(&one, .character("r")) == choice(replacing: "a0"))
    #expect(press(&new, .enter) == choice(replacing: nil))
    #expect(press(&other, .character("x")) == nil && other.mode == .list)
  }

  @Test("Of several silent accessories, a digit names one")
  func replacements() {
    var several = model(silent: "Kitchen", "Hall")
    #expect(press(&several, .enter) == nil)
    #expect(shown(several).contains("a silent one: 1 Kitchen, 2 Hall?"))
    var none = several
    #expect(press(&several, .character("2")) == choice(replacing: "a1"))
    for key in [PickerKey.character("r"), .character("3"), .escape] {
      var copy = none
      #expect(press(&copy, key) == nil && copy.mode == .list)
    }
    none.receive(.closed(Samples.lights, RequestEnding(failure: "userCancelled")), at: now)
    #expect(none.mode == .list)
  }

  @Test("A request to replace an accessory takes no name, and says whose device is chosen")
  func replacingRequest() {
    var request = Samples.setup()
    (request.replaces, request.displayName) = ("a0", "Kitchen")
    var model = Samples.model([request], Samples.candidates)
    #expect(shown(model).contains("Choose the new device of Kitchen of lights"))
    #expect(press(&model, .character("n")) == nil && model.mode == .list)
    #expect(press(&model, .enter) == choice(replacing: nil))
    model.receive(.closed(Samples.lights, RequestEnding(accessory: "a0", displayName: "Kitchen")), at: now)
    #expect(shown(model).contains("Kitchen of lights has its new device."))
  }

  @Test("n names a device, whether or not its setup asks for a name")
  func chooseAndName() {
    var model = Samples.model([Samples.setup()], Samples.candidates)
    #expect(press(&model, .character("n"), .clear, .enter) == nil, "a name has at least one character")
    type(&model, " Küche 厨")
    #expect(
      press(&model, .enter)
        == .choose(request: Samples.lights, candidate: 1, name: "Küche 厨", ssid: nil))
    var other = Samples.model([Samples.setup(items: [Samples.strip])], [Samples.candidate(1, level: -40)])
    #expect(press(&other, .character("n")) == nil)
    type(&other, "Hall")
    #expect(
      press(&other, .enter) == .choose(request: Samples.lights, candidate: 1, name: "Hall", ssid: nil))
  }

  @Test("The offered name gives way to what is typed, unless a key has moved in it, and alone is no name")
  func offeredName() {
    let cases: [([PickerKey], String?)] = [
      ([.character("A")], "A"), ([.end, .character("!")], "Lumo bulb!"), ([.backspace], "Lumo bul"),
      ([], nil), ([.left, .right], nil), ([.clear, .character("B")], "B"),
    ]
    for (keys, name) in cases {
      var model = Samples.model([Samples.setup()], Samples.candidates)
      _ = press(&model, .character("n"))
      for key in keys { _ = model.press(key, at: now) }
      #expect(
        press(&model, .enter) == .choose(request: Samples.lights, candidate: 1, name: name, ssid: nil))
    }
  }

  @Test("A name that is also the network's is offered with its beginning, which typing continues")
  func networkName() {
    let item = RequestItemLine(
      item: "hub", name: "Hub", asksForName: true, ssidPrefix: "HUB-", namePrefix: "HUB-")
    var model = Samples.model([Samples.setup(items: [item])], [Samples.candidate(1, level: -40)])
    var asked = model
    _ = press(&model, .character("n"))
    type(&model, "12")
    #expect(
      press(&model, .enter) == .choose(request: Samples.lights, candidate: 1, name: "HUB-12", ssid: nil))
    let plain = PickerAction.choose(request: Samples.lights, candidate: 1, name: nil, ssid: nil)
    #expect(press(&asked, .enter) == plain, "the agent asks for the name next")
    var naming = Samples.setup(items: [item])
    naming.phase = .naming
    naming.displayName = "Hub"
    naming.namePrefix = "HUB-"
    asked.receive(.request(naming), at: now)
    type(&asked, "7")
    #expect(press(&asked, .enter) == .name(request: Samples.lights, name: "HUB-7"))
  }

  @Test("A name that was given in advance goes with every choice")
  func givenName() {
    let shared = Samples.candidate(1, level: -40, shared: true)
    for (items, candidate) in [
      ([Samples.bulb], Samples.candidate(1, level: -40)), ([Samples.strip], Samples.candidate(1, level: -40)),
      ([Samples.bulb], shared),
    ] {
      var model = Samples.model([Samples.setup(items: items)], [candidate], name: "Kitchen")
      var typed = model
      #expect(
        press(&model, .enter)
          == .choose(request: Samples.lights, candidate: 1, name: "Kitchen", ssid: nil))
      #expect(
        press(&typed, .character("n"), .end, .character("!"), .enter)
          == .choose(request: Samples.lights, candidate: 1, name: "Kitchen!", ssid: nil))
    }
  }

  @Test("/ shows only devices whose name or address has the text, until Esc")
  func filter() {
    var model = Samples.model(
      [Samples.setup(items: [Samples.bulb])],
      Samples.candidates.map { line in
        var line = line
        line.itemIndex = 0
        return line
      })
    #expect(press(&model, .character("/")) == nil)
    type(&model, "KÜCHE")
    #expect(model.tab?.list.rows.map(\.line.candidate) == [3])
    #expect(model.screen(at: now).lines.contains { $0.text.contains("/küche: 1 of 6") })
    #expect(press(&model, .enter) == nil && model.mode == .list)
    #expect(press(&model, .escape) == nil && model.tab?.list.rows.count == 6)
    _ = press(&model, .character("/"))
    type(&model, "zzz")
    #expect(model.tab?.list.rows.isEmpty == true && model.tab?.list.isEmpty == false)
    #expect(press(&model, .enter, .enter) == nil, "nothing is shown that could be chosen")
    _ = press(&model, .character("/"), .clear)
    type(&model, "c4:a1:00:01")
    #expect(model.tab?.list.rows.map(\.line.candidate) == [2])
    // The first device has just changed, so it is not chosen before it was selected.
    #expect(press(&model, .enter, .enter) == nil && model.note != nil)
    #expect(
      press(&model, .up, .enter) == .choose(request: Samples.lights, candidate: 2, name: nil, ssid: nil))
    #expect(press(&model, .character("/"), .escape) == nil && model.tab?.list.rows.count == 6)
  }

  @Test("The picker asks for the name of a network that is known by its beginning")
  func network() {
    let item = RequestItemLine(item: "hub", name: "Hub", ssidPrefix: "HUB-")
    var model = Samples.model([Samples.setup(items: [item])], [Samples.candidate(1, level: -40)])
    var unnamed = model
    #expect(press(&model, .enter) == nil)
    type(&model, "12")
    #expect(
      press(&model, .enter) == .choose(request: Samples.lights, candidate: 1, name: nil, ssid: "HUB-12"))
    #expect(press(&unnamed, .enter, .backspace, .enter) == nil, "it has to begin so")
    type(&unnamed, "-")
    #expect(press(&unnamed, .enter) == .choose(request: Samples.lights, candidate: 1, name: nil, ssid: nil))
  }

  @Test(
    "The question for a network is whole on every screen",
    arguments: [40, 80], ["HUB-", "A beginning of thirty-one bytes"])
  func networkQuestion(columns: Int, prefix: String) {
    let item = RequestItemLine(item: "hub", name: "Hub", ssidPrefix: prefix)
    let rows = columns == 40 ? 10 : 24
    var model = Samples.model(
      [Samples.setup(items: [item])], [Samples.candidate(1, level: -40)],
      size: ScreenSize(columns: columns, rows: rows))
    #expect(press(&model, .enter) == nil)
    let lines = model.screen(at: Samples.time(1003)).lines
    let text = lines.flatMap { $0.text.split(separator: " ") }.joined(separator: " ")
    #expect(text.contains("if you know it:"))
    #expect(text.contains(prefix.prefix(30)))
  }

  @Test("A device that may not be recognized again is chosen only after a second confirmation")
  func fleeting() {
    let action = PickerAction.choose(request: Samples.lights, candidate: 1, name: nil, ssid: nil)
    for (key, expected) in [(PickerKey.enter, action), (.character("y"), action), (.character("n"), nil)] {
      var model = Samples.model([Samples.setup()], [Samples.candidate(1, level: -40, durable: false)])
      #expect(press(&model, .enter) == nil)
      #expect(press(&model, key) == expected)
    }
    let named = PickerAction.choose(request: Samples.lights, candidate: 1, name: "Lumo bulb!", ssid: nil)
    for (key, expected) in [(PickerKey.enter, named), (.character("n"), nil)] {
      var model = Samples.model([Samples.setup()], [Samples.candidate(1, level: -40, durable: false)])
      #expect(press(&model, .character("n"), .end, .character("!"), .enter) == nil, "a name is no answer")
      #expect(press(&model, key) == expected && model.mode == .list)
    }
  }

  @Test("Denying and closing ask for confirmation")
  func deny() {
    var model = Samples.model([Samples.setup()], Samples.candidates)
    #expect(press(&model, .character("d")) == nil)
    #expect(press(&model, .escape) == nil && model.mode == .list)
    #expect(press(&model, .character("d"), .character("y")) == .deny(request: Samples.lights))
    var other = Samples.model([Samples.setup()])
    #expect(press(&other, .character("c"), .enter) == .cancel(request: Samples.lights))
  }

  @Test("Tab goes round the requests, and each is answered in its own way")
  func requests() {
    var model = Samples.model([Samples.setup(), Samples.rename, Samples.authorize], Samples.candidates)
    #expect(press(&model, .character("a")) == nil && model.note != nil)
    #expect(press(&model, .tab, .enter, .end) == nil)
    type(&model, "!")
    #expect(press(&model, .enter) == .name(request: Samples.kitchen, name: "Küche 厨房!"))
    #expect(press(&model, .right, .enter) == nil && model.note != nil)
    #expect(press(&model, .character("a")) == .agree(request: Samples.camera))
    #expect(press(&model, .tab) == nil && model.current == Samples.lights)
    #expect(press(&model, .backTab) == nil && model.current == Samples.camera)
  }

  @Test("A migration is agreed to, or denied, and has nothing to choose or name")
  func migration() {
    var model = Samples.model([Samples.migrate])
    #expect(press(&model, .enter) == nil && model.note == "press a to agree, or d to deny")
    #expect(press(&model, .character("n")) == nil && model.note == "there is nothing to name here")
    #expect(press(&model, .character("d"), .character("y")) == .deny(request: Samples.camera))
    var other = Samples.model([Samples.migrate])
    #expect(press(&other, .character("a")) == .agree(request: Samples.camera))
  }

  @Test("A request that ends while it is shown stays until a key is pressed")
  func ended() {
    var model = Samples.model([Samples.setup(), Samples.rename], Samples.candidates)
    model.receive(
      .closed(Samples.lights, RequestEnding(failure: "userCancelled", reason: "it was closed")), at: now)
    #expect(model.current == Samples.lights)
    #expect(press(&model, .enter) == nil && model.current == Samples.kitchen && model.tabs.count == 1)
    model.receive(.request(Samples.setup()), at: now)
    #expect(model.current == Samples.kitchen, "a new request takes nothing away")
    model.receive(
      .closed(Samples.lights, RequestEnding(accessory: Samples.camera, displayName: "Desk")), at: now)
    #expect(model.tabs.count == 1 && model.note?.hasPrefix("Desk is set up for lights.") == true)
  }

  @Test("A question about an ended request is withdrawn")
  func staleQuestion() {
    for keys in [[PickerKey.character("n")], [.character("d")]] {
      var model = Samples.model([Samples.setup()], Samples.candidates)
      for key in keys { _ = model.press(key, at: now) }
      #expect(model.mode != .list)
      model.receive(.closed(Samples.lights, RequestEnding()), at: now)
      #expect(model.mode == .list)
      #expect(press(&model, .enter) == nil && model.tabs.isEmpty)
    }
  }

  @Test("A device that is gone is not chosen")
  func gone() {
    var model = Samples.model([Samples.setup()], Samples.candidates)
    _ = press(&model, .down, .up)
    model.receive(.gone(1, of: Samples.lights), at: now)
    #expect(press(&model, .enter) == nil && model.note?.hasPrefix("it is gone") == true)
  }

  @Test("Before any other key, Enter and n take the first row, unless another was first a moment ago")
  func first() {
    for key in [PickerKey.enter, .character("n")] {
      var model = Samples.model([Samples.setup()], [Samples.candidate(1, level: -60)])
      let later = Samples.time(1005)
      model.receive(.candidate(Samples.candidate(2, level: -40), of: Samples.lights), at: later)
      var rested = model
      #expect(model.press(key, at: Samples.time(1005.9)) == nil && model.mode == .list)
      #expect(model.note?.hasPrefix("another device has just moved to the top") == true)
      model.receive(.candidate(Samples.candidate(3, level: -30), of: Samples.lights), at: Samples.time(1006))
      var actions = [model.press(key, at: Samples.time(1006)), rested.press(key, at: Samples.time(1006))]
      if key != .enter { actions = [press(&model, .enter), press(&rested, .enter)] }
      for action in actions {
        guard case .choose(_, 2, _, _, _)? = action else {
          Issue.record("the row that was seen is not chosen: \(String(describing: action))")
          continue
        }
      }
    }
  }

  @Test("The operator who chose a device is asked for its name at once, others when they press a key")
  func naming() {
    let naming = Samples.setup(phase: .naming)
    var mine = Samples.model([Samples.setup()], Samples.candidates)
    _ = press(&mine, .enter)
    mine.receive(.request(naming), at: now)
    type(&mine, "Desk")
    #expect(press(&mine, .enter) == .name(request: Samples.lights, name: "Desk"))
    var others = Samples.model([Samples.setup()], Samples.candidates)
    others.receive(.request(naming), at: now)
    #expect(others.mode == .list)
    _ = press(&others, .enter)
    type(&others, "Hall")
    #expect(press(&others, .enter) == .name(request: Samples.lights, name: "Hall"))
  }

  @Test("The screen says that another operator was faster")
  func faster() {
    var model = Samples.model([Samples.setup()], Samples.candidates)
    guard let action = press(&model, .enter) else {
      Issue.record("nothing was chosen")
      return
    }
    model.receive(.closed, to: action)
    #expect(model.note?.hasPrefix("Another operator was faster") == true)
    model.receive(
      .closed(Samples.lights, RequestEnding(accessory: Samples.camera, displayName: "Desk")), at: now)
    let text = model.screen(at: now).lines.map(\.text).joined(separator: "\n")
    #expect(text.contains("Desk is set up for lights.") && text.contains("Another operator has decided."))
  }

  @Test("q quits, unless it is typed; a window that is too small accepts no decisions")
  func quit() {
    var model = Samples.model([Samples.rename])
    #expect(press(&model, .enter, .character("q")) == nil)
    #expect(press(&model, .escape, .character("q")) == .quit)
    var small = Samples.model([Samples.setup()], Samples.candidates, size: ScreenSize(columns: 39, rows: 24))
    #expect(press(&small, .enter) == nil && press(&small, .character("q")) == .quit)
  }

  @Test("Requests beyond the number of tabs wait for their turn")
  func many() {
    var model = Samples.model([])
    for number in 0..<PickerModel.requestsMax + 3 {
      let id = String(repeating: "0", count: 28) + String(1000 + number)
      model.receive(.request(Samples.setup(id, since: Int64(number))), at: now)
    }
    #expect(model.tabs.count == PickerModel.requestsMax && model.waiting.count == 3)
    model.receive(.closed(model.tabs[5].request.request, RequestEnding()), at: now)
    #expect(model.tabs.count == PickerModel.requestsMax && model.waiting.count == 2)
  }
}

@Suite("The text field")
struct TextFieldTests {
  private func field(_ text: String, _ keys: PickerKey..., bytesMax: Int = 248) -> TextField {
    var field = TextField(text, bytesMax: bytesMax)
    for key in keys { _ = field.press(key) }
    return field
  }

  @Test("Takes characters as they are seen")
  func editing() {
    #expect(field("Küche", .left, .left, .backspace).text == "Kühe")
    #expect(field("e\u{301}x", .left, .backspace).text == "x", "a letter goes with its accent")
    #expect(field("ab", .home, .delete, .end, .character("c")).text == "bc")
    #expect(field("ab", .home, .right, .right, .right, .character("厨")).text == "ab厨")
    #expect(field("ab", .clear, .backspace, .delete, .left).text.isEmpty)
    #expect(field("  a b ").trimmed == "a b")
  }

  @Test("Refuses bytes beyond the limit, and invisible characters")
  func limits() {
    #expect(field(String(repeating: "厨", count: 100)).text.utf8.count == 246)
    #expect(field("", .character("\u{1B}"), .character("\u{202E}"), .character("a")).text == "a")
    #expect(field("HUB-", .character("ü"), .character("x"), bytesMax: 5).text == "HUB-x")
  }

  @Test("Shows the part around the cursor")
  func window() {
    let long = field("厨房厨房厨房", bytesMax: 248)
    #expect(long.shown(columns: 5).text == "厨房" && long.shown(columns: 5).cursor == 4)
    let start = field("厨房厨房厨房", .home)
    #expect(start.shown(columns: 5).text == "厨房" && start.shown(columns: 5).cursor == 0)
  }
}
