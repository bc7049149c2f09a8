// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// The lines below the list.
extension PickerModel {
  /// The selected device, and below it the last message or question. Where they need more lines than they have, they get
  /// some of the `freeLines` above them.
  func info(at now: Instant, freeLines: Int) -> [ScreenLine] {
    let words = size.columns - 2
    let selected = selectedWords(at: now)?.folded(to: words) ?? []
    var texts = happened?.texts.map { $0.folded(to: words) } ?? []
    let wanted = selected.count + texts.reduce(0) { $0 + $1.count }
    let height = max(layout.infoHeight, min(wanted, layout.infoHeight + freeLines))
    var below: [ScreenLine] = []
    if let happened {
      // What the request says leaves a line for the selected device, where there are three.
      let most = happened.style == [] && !selected.isEmpty && height > 2 ? height - 1 : height
      // What the agent says of the request gives way to what a pairing means.
      if texts.count > 1 { texts[0] = Array(texts[0].prefix(max(0, most - texts[1].count))) }
      below = texts.joined().prefix(most).map { ScreenLine(" " + $0, happened.style) }
    }
    let above = selected.prefix(max(0, height - below.count))
    let empty = Array(repeating: ScreenLine(), count: height - below.count - above.count)
    return above.map { ScreenLine(" " + $0) } + empty + below
  }

  private func folded(_ text: String, _ columns: Int, _ height: Int) -> [String] {
    let lines = text.folded(to: columns)
    guard lines.count > height else { return lines }
    return Array(lines.prefix(max(0, height)))
  }

  private var happened: (texts: [String], style: ScreenStyle)? {
    if case .confirming(let question) = mode { return ([question.sentence], .strong) }
    if case .replacing(let replacement) = mode {
      return ([PickerSentences.replacementQuestion(replacement, glyphs)], .strong)
    }
    if let note { return ([note], .strong) }
    if let tab, !tab.isOver {
      if tab.isAnswering, tab.isChoosing { return (["The agent sets it up."], .strong) }
      let texts =
        [tab.request.detail, tab.isChoosing ? tab.request.pairingNote : nil].compactMap(\.self)
        + tab.request.itemNotes + cures(tab)
      if !texts.isEmpty { return (texts.map { glyphs.shown($0, columnsMax: 500) }, []) }
    }
    if tab != nil, let registryTrouble { return ([registryTrouble], .strong) }
    return radioTrouble.map { ([$0], []) }
  }

  /// What helps devices that match and are not in the list; where the list is empty, it stands in its place.
  private func cures(_ tab: PickerTab) -> [String] {
    guard layout.hasCaptions, tab.isChoosing, !tab.list.isEmpty, registryTrouble == nil, radioTrouble == nil
    else { return [] }
    return tab.request.hindrances.map { $0.sentence + "." }
  }

  /// Without the registry every request can only be denied.
  var registryTrouble: String? {
    guard let sentence = agentState?.registryTrouble else { return nil }
    return "Nothing can be set up: \(glyphs.shown(sentence, columnsMax: 300))"
  }

  private var radioTrouble: String? {
    guard let agentState, agentState.radio != .on else { return nil }
    return "The radio is \(agentState.radio.rawValue): \(glyphs.shown(agentState.detail, columnsMax: 200))"
  }

  /// The details of the selected device.
  private func selectedWords(at now: Instant) -> String? {
    guard let tab, tab.isChoosing, mode != .help, let row = tab.list.selectedRow else { return nil }
    let line = row.line
    var words = [line.address?.text ?? "network"]
    if let ssid = line.ssid { words[0] += " \"\(glyphs.shown(ssid, columnsMax: 40))\"" }
    if let security = line.security { words.append(security.words) }
    if let name = line.deviceName { words.append("\"\(glyphs.shown(name, columnsMax: 32))\"") }
    if let pace = line.pace { words.append("sends \(pace)") }
    if row.isGone { words.append("gone") }
    if line.isShared {
      let apps = line.apps.prefix(3).map { glyphs.shown($0, columnsMax: 24) }
      let others =
        apps.isEmpty ? "another app has" : apps.joined(separator: ", ") + (apps.count == 1 ? " has" : " have")
      words.append("\(others) it already")
    }
    if !line.isIdentityDurable { words.append("may not be recognized again") }
    if let rssi = line.rssi, layout.hasCaptions { words.append("last heard at \(rssi) dBm") }
    return words.joined(separator: ", ")
  }

  // MARK: Typing

  /// The prompt, the typed text, and the cursor's column.
  func typingLines(_ typing: PickerTyping) -> (lines: [ScreenLine], cursor: Int) {
    let height = layout.infoHeight
    let columns = size.columns - 2
    let prompts = typing.complaint.map { [$0] } ?? PickerSentences.prompts(typing, glyphs)
    let prompt = prompts.first { $0.folded(to: columns).count < height } ?? prompts.last ?? ""
    let style: ScreenStyle = typing.complaint == nil ? .strong : [.strong, .bad]
    var lines = folded(prompt, columns, height - 1).map { ScreenLine(" " + $0, style) }
    lines = Array(repeating: ScreenLine(), count: height - 1 - lines.count) + lines
    let shown = typing.field.shown(columns: columns - 2)
    var line = ScreenLine(" > ")
    line.append(
      glyphs.shown(shown.text, columnsMax: columns), typing.field.isReplaced ? .reversed : [])
    return (lines + [line], 3 + shown.cursor)
  }

  // MARK: Keys

  /// The keys that act now: with short words where space is short, and only the important ones where not all fit.
  var keyLine: ScreenLine {
    var line = ScreenLine(" ")
    for key in fitted(keys) {
      line.append(key.key, .strong)
      line.append(key.word.isEmpty ? "  " : " \(key.word)  ")
    }
    return line
  }

  private func fitted(_ all: [KeyHint]) -> [KeyHint] {
    var hints = all.map(\.shortened)
    func isFitting(_ hints: [KeyHint]) -> Bool {
      hints.reduce(-2) { $0 + $1.columnCount + 2 } <= size.columns - 2
    }
    while !isFitting(hints), let last = hints.indices.max(by: { hints[$0].rank < hints[$1].rank }) {
      hints.remove(at: last)
    }
    // The space that is left goes to longer words.
    for hint in all.sorted(by: { $0.rank < $1.rank }) {
      guard let index = hints.firstIndex(where: { $0.key == hint.key }) else { continue }
      let short = hints[index]
      hints[index] = hint
      if !isFitting(hints) { hints[index] = short }
    }
    return hints
  }

  private var keys: [KeyHint] {
    switch mode {
    case .typing(let typing) where typing.purpose == .filter:
      [KeyHint("Enter", "keep", 0), KeyHint("up/down", "move", 2), KeyHint("Esc", "show all", 1)]
    case .typing:
      [KeyHint("Enter", "accept", 0), KeyHint("Ctrl-U", "clear", 2), KeyHint("Esc", "back", 1)]
    case .replacing(let replacement):
      [
        KeyHint("Enter", "new", 0), KeyHint(replacement.silent.count == 1 ? "r" : "digit", "replace", 0),
        KeyHint("any other key", "back", 1),
      ]
    case .confirming: [KeyHint("y", "yes", 0), KeyHint("any other key", "no", 1)]
    case .help: [KeyHint("any key", "back", 0), KeyHint("q", "quit", 1)]
    case .list: listKeys
    }
  }

  private var listKeys: [KeyHint] {
    let all = [KeyHint("?", "help", 1), KeyHint("q", "quit", short: "", 4)]
    guard let tab else { return all }
    guard !tab.isOver else { return [KeyHint("any key", "continue", 0), KeyHint("q", "quit", 1)] }
    var keys: [KeyHint] = []
    if let question = tab.openQuestion {
      switch question.kind {
      case .compare: keys += [KeyHint("y", "the same", 0), KeyHint("n", "different", 0)]
      case .enterDigits: keys.append(KeyHint("Enter", "type the digits", short: "digits", 0))
      case .showDigits: break
      }
    } else if tab.wantsName {
      keys.append(KeyHint("Enter", "name it", 0))
    } else if tab.wantsAgreement {
      keys.append(KeyHint("a", "agree", 0))
    } else if tab.isChoosing, tab.list.selectedRow != nil {
      keys += [KeyHint("Enter", "choose", 0)]
      if tab.request.replaces == nil { keys.append(KeyHint("n", "choose and name", short: "name", 6)) }
      keys.append(KeyHint("/", "filter", 8))
    }
    keys += [KeyHint("d", "deny", 2), KeyHint("c", "close", 7)]
    if tabs.count > 1 { keys.append(KeyHint("Tab", "next", short: "", 3)) }
    return keys + all
  }
}

extension WirelessSecurity {
  /// How the network is protected, in a few words.
  fileprivate var words: String {
    switch self {
    case .open: "open"
    case .owe: "open, encrypted"
    case .wep: "protected by WEP"
    case .wpa: "protected by WPA"
    case .wpa2: "protected by WPA2"
    case .wpa3: "protected by WPA3"
    case .enterprise: "protected by accounts (802.1X)"
    case .other: "protected in another way"
    }
  }
}

/// A key and its effect in a word or two.
private struct KeyHint {
  let key: String
  let word: String
  /// The word where space is short.
  let short: String
  /// A lower rank is more important.
  let rank: Int

  init(_ key: String, _ word: String, short: String? = nil, _ rank: Int) {
    self.key = key
    self.word = word
    self.short = short ?? word
    self.rank = rank
  }

  var shortened: KeyHint { KeyHint(key, short, rank) }
  var columnCount: Int { key.columnCount + (word.isEmpty ? 0 : 1 + word.columnCount) }
}
