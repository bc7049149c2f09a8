// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces
import ToolText

extension PickerModel {
  /// How long a row must be the first one before a first key chooses it; before that, the operator may have meant the
  /// device that was there.
  static let restMilliseconds: Int64 = 1000

  /// Handles a key. The caller performs the action that it returns.
  public mutating func press(_ key: PickerKey, at now: Instant) -> PickerAction? {
    note = nil
    // The operator cannot decide about what the screen does not show.
    guard isLargeEnough else { return key == .character("q") ? .quit : nil }
    switch mode {
    case .list: return pressInList(key, at: now)
    case .typing(let typing) where typing.purpose == .filter: return filter(key, typing, at: now)
    case .typing(let typing): return press(key, typing, at: now)
    case .replacing(let replacement): return press(key, replacement, at: now)
    case .confirming(let question):
      mode = .list
      return key == .enter || key == .character("y") ? send(question.action) : nil
    case .help:
      mode = .list
      return key == .character("q") ? .quit : nil
    }
  }

  private mutating func pressInList(_ key: PickerKey, at now: Instant) -> PickerAction? {
    switch key {
    case .character("q"): return .quit
    case .character("?"): mode = .help
    case .tab, .right, .character("l"): switchTab(by: 1, at: now)
    case .backTab, .left, .character("h"): switchTab(by: -1, at: now)
    case .character, .enter, .escape, .up, .down, .pageUp, .pageDown, .home, .end, .backspace, .delete,
      .clear:
      return pressInTab(key, at: now)
    }
    return nil
  }

  private mutating func pressInTab(_ key: PickerKey, at now: Instant) -> PickerAction? {
    guard let tab else { return nil }
    guard !tab.isOver else {
      remove(tab.request.request, at: now)
      return nil
    }
    if isAnswer(key, tab) { return answer(key, tab, at: now) }
    return move(key) ? nil : decide(key, tab, at: now)
  }

  /// Shows the next request; after the last comes the first.
  private mutating func switchTab(by step: Int, at now: Instant) {
    guard let index = tabs.firstIndex(where: { $0.request.request == current }) else { return }
    let seen = tabs[index]
    let next = tabs[(index + step + tabs.count) % tabs.count].request.request
    if seen.isOver { remove(seen.request.request, at: now) }
    if tabs.contains(where: { $0.request.request == next }) { current = next }
  }

  /// Moves the selection. Returns whether the key does that.
  private mutating func move(_ key: PickerKey) -> Bool {
    let page = max(1, layout.listHeight - 1)
    let count: Int
    switch key {
    case .up, .character("k"): count = -1
    case .down, .character("j"): count = 1
    case .pageUp: count = -page
    case .pageDown: count = page
    case .home, .character("g"): count = -PickerList.rowsMax
    case .end, .character("G"): count = PickerList.rowsMax
    case .character, .enter, .escape, .tab, .backTab, .left, .right, .backspace, .delete, .clear: return false
    }
    guard let current else { return true }
    let height = layout.listHeight
    change(current) { $0.list.move(by: count, height: height) }
    return true
  }

  private mutating func decide(_ key: PickerKey, _ tab: PickerTab, at now: Instant) -> PickerAction? {
    let request = tab.request.request
    switch key {
    case .enter: return enter(tab, at: now)
    case .character("n"): return nameIt(tab, at: now)
    case .character("/"):
      guard tab.isChoosing else { return refuse("there is no list to filter here") }
      type(.filter, tab, TextField(tab.list.filter, bytesMax: PickerTyping.nameBytesMax))
    case .escape: change(request) { $0.list.show(only: "", at: now) }
    case .character("a"):
      guard tab.wantsAgreement else { return refuse("there is nothing to agree to here") }
      return send(.agree(request: request))
    case .character("d"): ask(PickerSentences.denyQuestion(tab, glyphs), .deny(request: request))
    case .character("c"): ask(PickerSentences.cancelQuestion(tab, glyphs), .cancel(request: request))
    case .character, .tab, .backTab, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .backspace,
      .delete, .clear:
      break
    }
    return nil
  }

  /// Changes the filter while it is typed. Enter keeps it, Esc removes it, and the arrows move the selection.
  private mutating func filter(_ key: PickerKey, _ typing: PickerTyping, at now: Instant) -> PickerAction? {
    var typing = typing
    switch key {
    case .up, .down, .pageUp, .pageDown:
      _ = move(key)
      return nil
    case .enter: mode = .list
    case .escape:
      typing.field = TextField("", bytesMax: typing.field.bytesMax)
      mode = .list
    case .character, .tab, .backTab, .left, .right, .home, .end, .backspace, .delete, .clear:
      _ = typing.field.press(key)
      mode = .typing(typing)
    }
    change(typing.request) { $0.list.show(only: typing.field.trimmed, at: now) }
    return nil
  }

  private mutating func ask(_ sentence: String, _ action: PickerAction) {
    mode = .confirming(PickerQuestion(sentence: sentence, action: action))
  }

  /// Notes why the key does nothing.
  private mutating func refuse(_ sentence: String) -> PickerAction? {
    note = sentence
    return nil
  }

  /// Returns the action for the agent, whose reply is awaited from now on.
  private mutating func send(_ action: PickerAction) -> PickerAction? {
    mode = .list
    guard let request = action.request else { return action }
    guard let tab = tabs.first(where: { $0.request.request == request }), !tab.isOver else { return nil }
    guard !tab.isAnswering || tab.request.phase == .naming else {
      return refuse("wait: the agent has not finished the last action")
    }
    change(request) {
      $0.isAnswering = true
      $0.hasDecided = true
    }
    return action
  }

  // MARK: Choosing

  private mutating func enter(_ tab: PickerTab, at now: Instant) -> PickerAction? {
    if tab.wantsName { return askForName(tab) }
    if tab.wantsAgreement { return refuse("press a to agree, or d to deny") }
    guard let row = choosableRow(tab, at: now) else { return nil }
    if let silent = tab.item(of: row)?.silent, !silent.isEmpty {
      mode = .replacing(
        PickerReplacement(
          request: tab.request.request, candidate: row.line.candidate, name: wantedName, silent: silent))
      return nil
    }
    return choose(row, tab, name: nil)
  }

  private mutating func nameIt(_ tab: PickerTab, at now: Instant) -> PickerAction? {
    if tab.wantsName { return askForName(tab) }
    guard tab.request.kind == .setup else { return refuse("there is nothing to name here") }
    guard tab.request.replaces == nil else { return refuse("it keeps its name; Enter chooses the device") }
    guard let row = choosableRow(tab, at: now) else { return nil }
    let offered = wantedName == nil ? row.line.name : nil
    type(
      .candidate(row.line.candidate, offered: offered), tab,
      nameField(wantedName ?? row.line.name, beginningWith: tab.item(of: row)?.namePrefix))
    return nil
  }

  /// The selected row, if it can be chosen now; otherwise the note says why not.
  private mutating func choosableRow(_ tab: PickerTab, at now: Instant) -> PickerRow? {
    guard tab.isChoosing else {
      note = PickerSentences.reasonNothingCanBeChosen(tab)
      return nil
    }
    guard let row = tab.list.selectedRow else {
      note = "there is nothing to choose yet"
      return nil
    }
    guard !row.isGone else {
      note = "it is gone; bring it back, or choose another"
      return nil
    }
    change(tab.request.request) { $0.list.pin() }
    let changed = tab.list.pinned == nil ? tab.list.firstChanged : nil
    guard changed.map({ now.milliseconds(since: $0) >= Self.restMilliseconds }) ?? true else {
      note = "another device has just moved to the top; press again to choose it"
      return nil
    }
    return row
  }

  /// Handles a key that says whether the candidate is a new accessory.
  private mutating func press(
    _ key: PickerKey, _ replacement: PickerReplacement, at now: Instant
  ) -> PickerAction? {
    mode = .list
    let isNew = key == .enter || key == .character("n")
    let replaced = replacement.accessory(for: key)
    guard isNew || replaced != nil else { return nil }
    guard let tab = tabs.first(where: { $0.request.request == replacement.request }),
      let row = tab.list.rows.first(where: { $0.line.candidate == replacement.candidate && !$0.isGone })
    else { return refuse("it is gone; bring it back, or choose another") }
    return choose(row, tab, name: nil, replaces: replaced?.accessory)
  }

  private mutating func choose(
    _ row: PickerRow, _ tab: PickerTab, name: String?, replaces: String? = nil
  ) -> PickerAction? {
    let name = replaces ?? tab.request.replaces == nil ? name ?? wantedName : nil
    if let item = tab.item(of: row), item.namePrefix == nil, let prefix = item.ssidPrefix {
      type(
        .network(row.line.candidate, name: name, prefix: prefix, replaces: replaces), tab,
        TextField(prefix, bytesMax: PickerTyping.networkBytesMax))
      return nil
    }
    let action = PickerAction.choose(
      request: tab.request.request, candidate: row.line.candidate, name: name, ssid: nil, replaces: replaces)
    guard row.line.isIdentityDurable else {
      ask(PickerSentences.fleetingQuestion(row, glyphs), action)
      return nil
    }
    return send(action)
  }

  // MARK: Typing

  @discardableResult
  mutating func askForName(_ tab: PickerTab) -> PickerAction? {
    type(.answer, tab, nameField(tab.request.displayName ?? "", beginningWith: tab.request.namePrefix))
    return nil
  }

  /// A field that offers a name, which typing replaces; or the beginning of a network's name, which typing continues.
  private func nameField(_ name: String, beginningWith prefix: String?) -> TextField {
    guard let prefix, !name.hasPrefix(prefix) else {
      return TextField(name, isReplaced: true, bytesMax: PickerTyping.nameBytesMax)
    }
    return TextField(prefix, bytesMax: PickerTyping.networkBytesMax)
  }

  private mutating func type(_ purpose: PickerTyping.Purpose, _ tab: PickerTab, _ field: TextField) {
    mode = .typing(PickerTyping(request: tab.request.request, purpose: purpose, field: field))
  }

  private mutating func press(_ key: PickerKey, _ typing: PickerTyping, at now: Instant) -> PickerAction? {
    var typing = typing
    typing.complaint = nil
    switch key {
    case .escape:
      mode = .list
      return nil
    case .enter: return finish(typing, at: now)
    case .character(let scalar) where typing.purpose == .digits:
      if !("0"..."9").contains(scalar) || !typing.field.press(key) {
        typing.complaint = PickerSentences.sixDigits
      }
    case .character(let scalar):
      if !typing.field.press(key) {
        typing.complaint = PickerSentences.reasonIsRefused(scalar, in: typing.field)
      }
    case .tab, .backTab, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .backspace,
      .delete, .clear:
      _ = typing.field.press(key)
    }
    mode = .typing(typing)
    return nil
  }

  private mutating func finish(_ typing: PickerTyping, at now: Instant) -> PickerAction? {
    guard let tab = tabs.first(where: { $0.request.request == typing.request }) else { return nil }
    let text = typing.field.trimmed
    switch typing.purpose {
    case .candidate, .answer:
      guard !text.isEmpty else { return complain(typing, "a name has at least one character") }
    case .network(_, _, let prefix, _):
      guard text.utf8.starts(with: prefix.utf8) else {
        return complain(typing, "the name begins with \(glyphs.shown(prefix, columnsMax: 32))")
      }
    case .digits:
      guard let digits = PairingSentences.digits(typed: text) else {
        return complain(typing, PickerSentences.sixDigits)
      }
      return decide(.digits(digits), tab, at: now)
    case .filter: preconditionFailure("a filter takes effect while it is typed")
    }
    switch typing.purpose {
    case .answer: return send(.name(request: typing.request, name: text))
    case .candidate(let number, let offered):
      guard let row = tab.list.rows.first(where: { $0.line.candidate == number && !$0.isGone }) else {
        mode = .list
        return refuse("it is gone; bring it back, or choose another")
      }
      // The agent numbers the item's name where the app has several accessories of it.
      return choose(row, tab, name: text == offered ? nil : text)
    case .network(let number, let name, let prefix, let replaces):
      let whole = text == prefix ? nil : text
      return send(
        .choose(request: typing.request, candidate: number, name: name, ssid: whole, replaces: replaces))
    case .filter, .digits: return nil
    }
  }

  private mutating func complain(_ typing: PickerTyping, _ sentence: String) -> PickerAction? {
    var typing = typing
    typing.complaint = sentence
    mode = .typing(typing)
    return nil
  }
}

/// A key of a terminal.
public enum PickerKey: Equatable, Sendable {
  /// A character that was typed or pasted. Some control characters are the keys below; the others are dropped.
  case character(Unicode.Scalar)
  case enter, escape, tab, backTab
  case up, down, left, right, pageUp, pageDown, home, end
  case backspace, delete
  /// Ctrl-U: deletes the typed text.
  case clear
}
