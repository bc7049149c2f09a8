// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest

/// Lines of text: a label in one column, what it says in the next, as wide as the style says.
///
/// Values are folded at blanks; a run of hexadecimal digits that is too long alone is folded anywhere.
struct TextRows {
  private(set) var text = ""
  /// Where labels start.
  let indent: Int
  /// Columns for a label and the blanks after it.
  let labelColumnCount: Int
  private let valueColumnCount: Int

  init(indent: Int, labelColumnCount: Int, _ style: TextStyle) {
    self.indent = indent
    self.labelColumnCount = labelColumnCount
    valueColumnCount = max(1, style.columnCount - indent - labelColumnCount)
  }

  /// Words that are put next to each other for as long as they fit.
  mutating func row(_ label: String, _ words: [String]) {
    var line = ""
    var isFirst = true
    for word in words.flatMap({ folded($0) }) {
      if !line.isEmpty, line.columnCount + 1 + word.columnCount > valueColumnCount {
        append(isFirst ? label : "", line)
        isFirst = false
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    append(isFirst ? label : "", line)
  }

  mutating func row(_ label: String, _ value: String) {
    row(label, value.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
  }

  /// A line of its own, as it is.
  mutating func line(_ line: String) { text += line + "\n" }

  private mutating func append(_ label: String, _ line: String) {
    let padded = label.padded(to: labelColumnCount)
    text += String(repeating: " ", count: indent) + padded + line + "\n"
  }

  private func folded(_ word: String) -> [String] {
    guard word.columnCount > valueColumnCount, word.utf8.allSatisfy({ Hex.value(ofDigit: $0) != nil }) else {
      return [word]
    }
    var rest = Substring(word)
    var pieces: [String] = []
    while !rest.isEmpty {
      pieces.append(String(rest.prefix(valueColumnCount)))
      rest = rest.dropFirst(valueColumnCount)
    }
    return pieces
  }
}

extension TextStyle {
  /// The fewest columns of the last column of a table.
  private static let lastColumnMin = 12
  /// How far it stands in on a line of its own.
  private static let lastColumnIndent = 4

  /// A line of a table whose last column begins at `column`: `start`, which fills the columns before it, and the words of the
  /// last one. On a terminal where these do not fit, they begin on a line of their own.
  func tableLine(_ start: String, _ words: [String], at column: Int) -> String {
    // What stands in parentheses is whole only without a terminal.
    let parts = words.flatMap { $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init) }
    let words = columnsMax == nil ? words : parts
    let widest = words.map(\.columnCount).filter { $0 <= columnCount - Self.lastColumnIndent }.max() ?? 0
    let isNarrow = columnsMax.map { $0 < column + max(Self.lastColumnMin, widest) } ?? false
    var rows = TextRows(indent: isNarrow ? Self.lastColumnIndent : column, labelColumnCount: 0, self)
    rows.row("", words)
    return isNarrow ? start.trimmedAtEnd + "\n" + rows.text : start + rows.text.dropFirst(column)
  }
}

extension String {
  /// Without the blanks at the end.
  fileprivate var trimmedAtEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}

extension StringProtocol {
  /// Columns of a terminal, for text without escape sequences.
  package var columnCount: Int {
    // Most text is ASCII, each character of which takes one.
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.columnCount }
  }
}

extension String {
  /// Adds blanks at the end, up to a column.
  package func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - columnCount))
  }

  /// Adds blanks at the start, up to a column.
  package func paddedLeft(to columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - columnCount)) + self
  }
}
