// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Testing
import ToolText

@testable import PickerScreen

@Suite("Pairings in the picker")
struct PairingTests {
  private let now = Samples.time(1000)
  /// After a question has been on the screen long enough.
  private let later = Samples.time(1001)

  private func pairing(_ question: PairingQuestionLine?) -> RequestLine {
    Samples.pairing(question)
  }

  private func model(_ question: PairingQuestionLine? = nil) -> PickerModel {
    var model = Samples.model([Samples.setup()], Samples.candidates)
    _ = model.press(.enter, at: now)
    model.receive(.request(pairing(nil)), at: now)
    if let question { model.receive(.request(pairing(question)), at: now) }
    return model
  }

  private func text(_ model: PickerModel) -> String {
    model.screen(at: later).lines.map(\.text).joined(separator: "\n")
  }

  @Test("Digits are compared with y and n, while the choice is pending", arguments: [true, false])
  func compare(isSame: Bool) {
    var model = model(PairingQuestionLine(.compare, digits: "012345"))
    #expect(text(model).contains("012 345"))
    #expect(model.press(.enter, at: later) == nil && model.note?.contains("press y") == true)
    let action = PickerAction.answer(request: Samples.lights, .matches(isSame))
    #expect(model.press(.character(isSame ? "y" : "n"), at: later) == action)
    for key in [PickerKey.character("y"), .character("n"), .enter] {
      #expect(model.press(key, at: later) == nil, "it was answered")
    }
    model.receive(.done, to: action)
    #expect(model.press(.character("y"), at: later) == nil, "the agent has not changed the request yet")
    #expect(text(model).contains("Your answer was sent."))
  }

  @Test("A key without an open question does nothing, and the second of two does not count for the next one")
  func doublePress() {
    var model = model()
    #expect(model.press(.character("y"), at: now) == nil)
    #expect(model.press(.character("n"), at: now) == nil && model.mode == .list)
    model.receive(.request(pairing(PairingQuestionLine(.compare, digits: "111111"))), at: now)
    #expect(model.press(.character("y"), at: now) == nil, "it has just come")
    #expect(model.press(.character("y"), at: later) != nil)
    model.receive(.request(pairing(PairingQuestionLine(.compare, digits: "222222"))), at: later)
    #expect(model.press(.character("y"), at: later) == nil)
    #expect(model.press(.character("y"), at: Samples.time(1002)) != nil)
  }

  @Test("Six digits are typed, and nothing else is accepted")
  func enterDigits() {
    var model = model(PairingQuestionLine(.enterDigits))
    guard case .typing(let typing) = model.mode else {
      Issue.record("the digits are not asked for")
      return
    }
    #expect(typing.purpose == .digits)
    for key in "12x3 45".unicodeScalars { _ = model.press(.character(key), at: later) }
    #expect(model.press(.enter, at: later) == nil)
    #expect(text(model).contains(PickerSentences.sixDigits))
    for key in "67".unicodeScalars { _ = model.press(.character(key), at: later) }
    let action = PickerAction.answer(request: Samples.lights, .digits("123456"))
    #expect(model.press(.enter, at: later) == action)
    #expect(model.mode == .list && model.press(.enter, at: later) == nil && model.mode == .list)
    model.receive(.failed("the digits are not six", cure: nil), to: action)
    #expect(model.note == "the digits are not six")
    #expect(model.press(.enter, at: later) == nil, "they can be typed again")
    guard case .typing = model.mode else {
      Issue.record("the digits are not asked for again")
      return
    }
  }

  @Test("A typed number is dropped when its question is gone or has changed")
  func goneQuestion() {
    var model = model(PairingQuestionLine(.enterDigits))
    for key in "123456".unicodeScalars { _ = model.press(.character(key), at: later) }
    model.receive(.request(pairing(nil)), at: later)
    #expect(model.mode == .list && model.press(.enter, at: later) == nil)
    model.receive(.request(pairing(PairingQuestionLine(.showDigits, digits: "000042"))), at: later)
    #expect(text(model).contains("Type these digits at") && text(model).contains("000 042"))
    #expect(model.press(.character("y"), at: Samples.time(1002)) == nil)
  }

  @Test("A question that another operator answers, or that ends with its request, is gone")
  func otherOperator() {
    var model = model(PairingQuestionLine(.compare, digits: "123456"))
    let action = PickerAction.answer(request: Samples.lights, .matches(true))
    #expect(model.press(.character("y"), at: later) == action)
    model.receive(.closed, to: action)
    #expect(model.note == "Another operator was faster, or the request has ended.")
    model.receive(
      .closed(Samples.lights, RequestEnding(failure: "connectionFailed", reason: "the digits differ")),
      at: later)
    #expect(text(model).contains("Nothing was set up for lights: the digits differ."))
    #expect(model.press(.character("y"), at: later) == nil)
  }

  @Test(
    "The end says how the device was paired, and what the bond is worth",
    arguments: PairingMethod.allCases)
  func ending(method: PairingMethod) {
    var model = model()
    var ending = RequestEnding(accessory: Samples.camera, displayName: "Lumo lock")
    ending.pairing = method
    ending.isBondAuthenticated = method != .justWorks
    model.receive(.closed(Samples.lights, ending), at: later)
    let words = text(model).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let sentence = PairingSentences.result(method, isAuthenticated: method != .justWorks)
    #expect(words.contains("Lumo lock is set up for lights. P\(sentence.dropFirst())."), "\(words)")
  }

  @Test("Before the choice the operator sees that the device will be paired, and what that costs")
  func beforehand() {
    var lock = Samples.bulb
    lock.pairing = .authenticated
    var request = Samples.setup(items: [lock])
    request.pairingNote = "the radio pauses while it is paired"
    let chosen = text(Samples.model([request], Samples.candidates))
    #expect(chosen.contains("it will be paired, with digits"), "\(chosen)")
    #expect(chosen.contains("the radio pauses while it is paired"), "\(chosen)")
    let mixed = text(Samples.model([Samples.setup(items: [lock, Samples.strip])], Samples.candidates))
    #expect(mixed.contains("Lumo bulb, held at the gateway, paired"), "\(mixed)")
    #expect(!mixed.contains("it will be paired"))
    request.detail = "two devices were held at once"
    let refused = text(Samples.model([request], Samples.candidates))
    #expect(refused.contains("two devices were held at once"), "\(refused)")
    #expect(refused.contains("the radio pauses while it is paired"), "\(refused)")
    request.detail = "two devices were held at once, so that neither was chosen; hold one of them alone"
    let narrow = text(Samples.model([request], Samples.candidates, size: Samples.narrow))
    #expect(
      narrow.contains("two devices") && narrow.contains("the radio pauses while it is paired"), "\(narrow)")
    request.phase = .looking
    let looking = text(Samples.model([request]))
    #expect(looking.contains("the radio pauses while it is paired"), "\(looking)")
  }

  @Test("No words promise a pairing without digits: a person may use any method")
  func words() {
    var (lock, strip) = (Samples.bulb, Samples.strip)
    (lock.pairing, strip.pairing) = (.justWorks, .any)
    for items in [[lock], [strip], [lock, strip]] {
      let text = text(Samples.model([Samples.setup(items: items)], Samples.candidates))
      #expect(text.contains("it will be paired") && !text.contains("digits"), "\(text)")
    }
  }

  @Test("A pairing that is renewed is a request of its own")
  func renewal() {
    let request = RequestLine(
      request: Samples.camera, kind: .pair, app: "camera", since: Samples.agentTime(96),
      end: Samples.agentTime(160), phase: .pairing, accessory: Samples.lights, displayName: "Hall")
    var model = Samples.model([request])
    #expect(text(model).contains("Pair Hall of camera again"))
    #expect(text(model).contains("Pairing with Hall, 59 s left."))
    var ending = RequestEnding(accessory: Samples.lights, displayName: "Hall")
    (ending.pairing, ending.isBondAuthenticated) = (.digitsShown, true)
    model.receive(.closed(Samples.camera, ending), at: later)
    #expect(text(model).contains("Hall is paired again for camera."))
  }

  @Test("Large digits have five lines, and only digits have them")
  func bigDigits() throws {
    let lines = try #require(BigDigits.lines("10 7", .ascii))
    #expect(
      lines == [" #  ###    ###", "##  # #      #", " #  # #      #", " #  # #      #", "### ###      #"])
    #expect(BigDigits.lines("12a", .ascii) == nil && BigDigits.lines("", .ascii) == nil)
  }
}
