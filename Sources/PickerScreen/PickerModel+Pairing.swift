// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// The pairing of a chosen device: its progress, and the questions that a person answers.
extension PickerModel {
  /// How long a question must be on the screen before a key answers it; a key before that was pressed for what the
  /// screen showed then.
  static let questionMilliseconds: Int64 = 700

  /// Notes that the question of a request has changed, and asks for the digits that have to be typed.
  mutating func noteQuestion(of request: String, at now: Instant) {
    guard let tab = tabs.first(where: { $0.request.request == request }), tab.question != tab.askedQuestion
    else { return }
    change(request) { tab in
      tab.askedQuestion = tab.question
      tab.askedAt = now
      tab.isAnswered = false
    }
    if request == current, mode == .list, tab.question?.kind == .enterDigits { askForDigits(tab) }
  }

  private mutating func askForDigits(_ tab: PickerTab) {
    mode = .typing(
      PickerTyping(
        request: tab.request.request, purpose: .digits,
        field: TextField("", bytesMax: PairingSentences.digitCount)))
  }

  /// Whether a key replies to the open question of the request, or begins to.
  func isAnswer(_ key: PickerKey, _ tab: PickerTab) -> Bool {
    switch tab.openQuestion?.kind {
    case .compare: key == .character("y") || key == .character("n") || key == .enter
    case .enterDigits: key == .enter
    case .showDigits, nil: false
    }
  }

  /// Handles a key for which ``isAnswer(_:_:)`` holds.
  mutating func answer(_ key: PickerKey, _ tab: PickerTab, at now: Instant) -> PickerAction? {
    switch key {
    case .character: return decide(.matches(key == .character("y")), tab, at: now)
    case .enter where tab.openQuestion?.kind == .compare: note = "press y if the digits are the same, or n"
    case .enter: askForDigits(tab)
    case .escape, .tab, .backTab, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .backspace,
      .delete, .clear:
      break
    }
    return nil
  }

  /// The action that replies to the open question, once.
  mutating func decide(_ decision: PairingDecision, _ tab: PickerTab, at now: Instant) -> PickerAction? {
    guard tab.openQuestion != nil else {
      note = "this was answered already"
      return nil
    }
    guard now.milliseconds(since: tab.askedAt) >= Self.questionMilliseconds else {
      note = "this question has just come; read it, and press again"
      return nil
    }
    mode = .list
    change(tab.request.request) { tab in
      tab.isAnswered = true
      tab.hasDecided = true
    }
    return .answer(request: tab.request.request, decision)
  }

  /// Receives the agent's reply to an answer. After an error the person may answer again.
  mutating func receive(_ answer: PickerAnswer, toAnswerOf request: String) {
    switch answer {
    case .done, .chosen: return
    case .closed, .failed:
      change(request) { $0.isAnswered = false }
      let tab = tabs.first { $0.request.request == request }
      if let tab, tab.isOver { return }
      note = PickerSentences.note(answer, tab?.request, glyphs)
    }
  }

  // MARK: Drawing

  /// The digits in the place of the list, with what to do; nil without an open question that has digits.
  func digitLines(_ tab: PickerTab, height: Int) -> [ScreenLine]? {
    guard let question = tab.openQuestion, let digits = question.digits else { return nil }
    let grouped = glyphs.shown(PairingSentences.grouped(digits), columnsMax: 16)
    let margin = layout.hasCaptions ? 3 : 1
    let indent = String(repeating: " ", count: margin)
    func folded(_ sentences: [String]) -> [ScreenLine] {
      sentences.flatMap { $0.folded(to: size.columns - margin - 1) }.map { ScreenLine(indent + $0) }
    }
    let (above, below) = PickerSentences.digits(question.kind, tab.request, glyphs)
    let plain = folded(above) + [ScreenLine(indent + grouped, .strong)] + folded(below)
    guard let big = BigDigits.lines(grouped, glyphs) else { return plain }
    let shapes = big.map { ScreenLine(indent + $0, .strong) }
    let whole =
      folded(above) + [ScreenLine()] + shapes + [ScreenLine(), ScreenLine(indent + grouped, .strong)]
      + [ScreenLine()] + folded(below)
    return whole.count <= height ? whole : plain
  }
}
