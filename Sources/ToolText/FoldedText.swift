// SPDX-License-Identifier: GPL-3.0-or-later

import Suggestions
import Interfaces

extension String {
  /// The text for a terminal of a width: each line that is wider is folded at blanks, never inside a word. What follows
  /// stands in as far as the line does, and two columns where it begins at the margin.
  package func foldedLines(to columnsMax: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.utf8.count <= columnsMax || line.shownColumnCount <= columnsMax
        ? String(line) : Self.folded(line, to: columnsMax)
    }.joined(separator: "\n")
  }

  /// A manifest for a terminal of a width: the comments of a suggestion are filled anew, and nothing else changes.
  package func refilledComments(to columnsMax: Int) -> String {
    var paragraphs: [Substring] = []
    for line in split(separator: "\n", omittingEmptySubsequences: false) {
      let goesOn = line.hasPrefix("# ") && !line.hasPrefix("# Warning: ")
      if goesOn, let last = paragraphs.last, last.hasPrefix("# ") {
        paragraphs[paragraphs.count - 1] += line.dropFirst()
      } else {
        paragraphs.append(line)
      }
    }
    return paragraphs.flatMap { paragraph in
      paragraph.hasPrefix("# ")
        ? Suggestion.comment(String(paragraph.dropFirst(2)), columnsMax: columnsMax) : [String(paragraph)]
    }.joined(separator: "\n")
  }

  private static func folded(_ line: Substring, to columnsMax: Int) -> String {
    let margin = line.prefix { $0 == " " }.utf8.count
    let indent = String(repeating: " ", count: Swift.min(margin == 0 ? 2 : margin, columnsMax / 2))
    var rows = [String(line.prefix(margin))]
    var width = margin
    var isEmpty = true
    for word in line.dropFirst(margin).split(separator: " ", omittingEmptySubsequences: false) {
      let columns = word.shownColumnCount
      if !isEmpty, !word.isEmpty, width + 1 + columns > columnsMax {
        rows.append(indent)
        width = indent.utf8.count
        isEmpty = true
      }
      if !isEmpty || word.isEmpty {
        rows[rows.count - 1] += " "
        width += 1
      }
      rows[rows.count - 1] += word
      width += columns
      isEmpty = isEmpty && word.isEmpty
    }
    return rows.map { row in
      var row = row[...]
      while row.last == " " { row.removeLast() }
      return String(row)
    }.joined(separator: "\n")
  }
}

extension Substring {
  /// Columns of a terminal; escape sequences (ECMA-48 5.4) take none.
  fileprivate var shownColumnCount: Int {
    guard utf8.contains(0x1B) else { return columnCount }
    var count = 0
    var isSequence = false
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x1B: isSequence = true
      case 0x40...0x7E where isSequence && scalar != "[": isSequence = false
      default: count += isSequence ? 0 : scalar.columnCount
      }
    }
    return count
  }
}
