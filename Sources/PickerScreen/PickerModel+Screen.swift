// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces
import ToolText

extension PickerModel {
  /// The whole screen at a moment.
  public func screen(at now: Instant) -> Screen {
    guard isLargeEnough else { return tooSmall }
    guard mode != .help else { return helpScreen(at: now) }
    let body = body(at: now)
    var screen = Screen(lines: header(at: now) + body)
    if case .typing(let typing) = mode {
      let lines = typingLines(typing)
      screen.lines += lines.lines
      screen.cursor = Screen.Place(line: screen.lines.count - 1, column: lines.cursor)
    } else {
      // One empty line stays between the list and what is below it.
      let freeLines = max(0, body.reversed().prefix { $0.spans.isEmpty }.count - 1)
      let info = info(at: now, freeLines: freeLines)
      screen.lines.removeLast(info.count - layout.infoHeight)
      screen.lines += info
    }
    screen.lines.append(keyLine)
    return screen
  }

  private func helpScreen(at now: Instant) -> Screen {
    let title = titleLine(at: now).filled(to: size.columns, .reversed)
    return Screen(lines: [title] + paragraph(PickerSentences.help, height: size.rows - 2) + [keyLine])
  }

  private var tooSmall: Screen {
    let words = "make the window larger: \(PickerLayout.columnsMin) by \(PickerLayout.rowsMin); q quits"
    let lines = words.folded(to: max(1, size.columns)).prefix(max(0, size.rows)).map { ScreenLine($0) }
    return Screen(lines: Array(lines))
  }

  // MARK: Above the list

  private func header(at now: Instant) -> [ScreenLine] {
    var lines = [titleLine(at: now).filled(to: size.columns, .reversed)]
    guard let tab else {
      lines += [ScreenLine(), ScreenLine()]
      return lines + (layout.hasCaptions ? [ScreenLine()] : [])
    }
    lines.append(questionLine(tab, at: now))
    lines.append(factsLine(tab))
    if layout.hasCaptions {
      lines.append(isListShown(tab) ? columns(of: tab).captions.filled(to: 0, .faint) : ScreenLine())
    }
    return lines
  }

  private func titleLine(at now: Instant) -> ScreenLine {
    var line = ScreenLine(" ")
    let state = stateWords(at: now)
    if tabs.count < 2 {
      line.append("accessory picker", .strong)
    } else {
      appendTabs(to: &line, columns: size.columns - state.columnCount - 3)
    }
    line.append(state, endingAt: size.columns - 1)
    return line
  }

  /// Adds the current tab and as many neighbours as fit.
  private func appendTabs(to line: inout ScreenLine, columns: Int) {
    let labels = tabs.map { " \(PickerSentences.label($0.request, glyphs)) " }
    let place = tabs.firstIndex { $0.request.request == current } ?? 0
    var shown = place..<place + 1
    func width(_ range: Range<Int>) -> Int {
      labels[range].reduce(line.columnCount) { $0 + $1.columnCount + 1 } + 4
    }
    while shown != labels.indices {
      let next =
        shown.upperBound < labels.count && width(shown.lowerBound..<shown.upperBound + 1) <= columns
        ? shown.lowerBound..<shown.upperBound + 1
        : max(0, shown.lowerBound - 1)..<shown.upperBound
      guard next != shown, width(next) <= columns else { break }
      shown = next
    }
    if shown.lowerBound > 0 { line.append(glyphs.more.left + " ") }
    for index in shown {
      // The line is reversed already, and reversing twice would undo it.
      line.append(
        index == place ? "[\(labels[index].dropFirst().dropLast())]" : labels[index],
        index == place ? .strong : [])
      line.append(" ")
    }
    if shown.upperBound < labels.count { line.append(glyphs.more.right) }
  }

  /// Whether the agent replies, and how the radio is.
  private func stateWords(at now: Instant) -> String {
    guard let heardAt else { return "connecting" }
    let silence = now.milliseconds(since: heardAt) / 1000
    if silence >= 6 { return "agent silent for \(silence) s" }
    let radio = agentState.map { "radio \($0.radio.rawValue) " } ?? ""
    let more = waiting.isEmpty ? "" : "+\(waiting.count) "
    return more + radio + glyphs.spinner(now.microseconds / 1_000_000)
  }

  private func questionLine(_ tab: PickerTab, at now: Instant) -> ScreenLine {
    let left = tab.isOver ? "" : remaining(tab.request, at: now) ?? ""
    let columns = size.columns - 2 - (left.isEmpty ? 0 : left.columnCount + 1)
    var line = ScreenLine(" ")
    let question = PickerSentences.question(tab.request, glyphs)
    let fitting =
      question.columnCount <= columns ? question : PickerSentences.shortQuestion(tab.request, glyphs)
    line.append(fitting.cut(to: columns, glyphs), .strong)
    line.append(left, endingAt: size.columns - 1)
    return line
  }

  /// The time left for the request, by the agent's clock.
  private func remaining(_ request: RequestLine, at now: Instant) -> String? {
    secondsLeft(request, at: now).map { seconds in
      "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60) left"
    }
  }

  private func secondsLeft(_ request: RequestLine, at now: Instant) -> Int64? {
    guard let end = request.end, let agentState else { return nil }
    let time = agentState.time.microseconds &+ (now.microseconds &- agentState.at.microseconds)
    // Rounded up, so that 0:00 means the end.
    return max(0, (end.microseconds &- time &+ 999_999) / 1_000_000)
  }

  private func factsLine(_ tab: PickerTab) -> ScreenLine {
    var line = ScreenLine(" ")
    guard !tab.isOver else { return line }
    let hidden = tab.list.window(height: layout.listHeight).hiddenCounts
    var out: [String] = []
    if isListShown(tab), hidden.above > 0 { out.append("\(hidden.above) above") }
    if isListShown(tab), hidden.below > 0 { out.append("\(hidden.below) below") }
    if isListShown(tab), !tab.list.filter.isEmpty {
      let counts = tab.list.counts
      let filter = glyphs.shown(tab.list.filter, columnsMax: 16)
      out.insert("/\(filter): \(counts.shown) of \(counts.all)", at: 0)
    }
    let right = out.joined(separator: ", ")
    let lacksNames = agentState?.lacksNames ?? false
    let facts = PickerSentences.facts(tab.request, lacksNames: lacksNames, glyphs).joined(
      separator: " \(glyphs.dash) ")
    line.append(facts.cut(to: size.columns - 3 - right.columnCount, glyphs), .faint)
    line.append(right, endingAt: size.columns - 1)
    return line
  }

  // MARK: The list, or text in its place

  private func isListShown(_ tab: PickerTab) -> Bool {
    tab.isChoosing && !tab.list.isEmpty
  }

  private func columns(of tab: PickerTab) -> PickerColumns {
    PickerColumns(tab.list.rows, columns: size.columns, glyphs: glyphs)
  }

  private func body(at now: Instant) -> [ScreenLine] {
    let height = layout.listHeight
    guard let tab else { return paragraph(emptiness, height: height) }
    guard isListShown(tab) else {
      let style: ScreenStyle =
        tab.ending.map { $0.failure == nil ? [.strong, .good] : [.strong, .bad] } ?? []
      if let digits = digitLines(tab, height: height) { return fitted(digits, to: height) }
      let sentences = PickerSentences.panel(tab, secondsLeft: secondsLeft(tab.request, at: now), glyphs)
      return paragraph(sentences, height: height, first: style)
    }
    let columns = columns(of: tab)
    return tab.list.visible(height: height).map { line in
      switch line {
      case .heading(let item): heading(item, tab)
      case .row(let row): self.line(row, columns, isSelected: row.line.key == tab.list.selected, at: now)
      case nil: ScreenLine()
      }
    }
  }

  private func heading(_ item: Int, _ tab: PickerTab) -> ScreenLine {
    let items = tab.request.items
    let name = items.indices.contains(item) ? items[item].name : "others"
    let held =
      items.indices.contains(item)
      ? (items[item].isImmediate ? ", held at the gateway" : "")
        + (items[item].isFoundByNetwork ? ", by its network" : "")
        + (items[item].pairing == nil ? "" : ", paired")
      : ""
    return ScreenLine(" " + glyphs.shown(name, columnsMax: size.columns - 2 - held.count) + held, .strong)
  }

  private func line(
    _ row: PickerRow, _ columns: PickerColumns, isSelected: Bool, at now: Instant
  ) -> ScreenLine {
    let line = columns.line(row, isSelected: isSelected, at: now)
    let style: ScreenStyle = row.isStale(at: now) ? .faint : []
    guard isSelected else { return line.filled(to: 0, style) }
    return line.filled(to: size.columns, style.union(.reversed))
  }

  private var emptiness: [String] {
    guard isSynced else { return ["Asking the agent for requests."] }
    if let registryTrouble { return [registryTrouble] }
    return [
      "No requests.", "", "Requests of apps appear here.",
      "accessoryctl pick --app NAME opens one.",
    ]
  }

  /// Sentences, folded into lines.
  private func paragraph(
    _ sentences: [String], height: Int, first: ScreenStyle = []
  ) -> [ScreenLine] {
    let margin = layout.hasCaptions ? 3 : 1
    let folded = sentences.enumerated().flatMap { index, sentence in
      sentence.folded(to: size.columns - margin - 1).map { ($0, index == 0 ? first : []) }
    }
    // Where lines are short, empty ones go first.
    let lines = folded.count > height ? folded.filter { !$0.0.isEmpty } : folded
    let indent = String(repeating: " ", count: margin)
    return fitted(lines.map { $0.0.isEmpty ? ScreenLine() : ScreenLine(indent + $0.0, $0.1) }, to: height)
  }

  private func fitted(_ lines: [ScreenLine], to height: Int) -> [ScreenLine] {
    Array(lines.prefix(height)) + Array(repeating: ScreenLine(), count: max(0, height - lines.count))
  }
}
