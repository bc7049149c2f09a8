// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import ToolText

/// A line of text that the operator types.
///
/// Capacity: `bytesMax` bytes of UTF-8. A character that does not fit is refused, and so is an invisible one.
struct TextField: Equatable, Sendable {
  private(set) var before: String
  private(set) var after = ""
  /// Whether the next character replaces the text, which was offered. Any other key keeps it, and edits it.
  private(set) var isReplaced = false
  let bytesMax: Int

  init(_ text: String, isReplaced: Bool = false, bytesMax: Int) {
    before = ""
    self.bytesMax = bytesMax
    for scalar in text.unicodeScalars { _ = insert(scalar) }
    self.isReplaced = isReplaced && !before.isEmpty
  }

  var text: String { before + after }

  /// The text without blanks around it.
  var trimmed: String {
    var rest = Substring(text)
    while rest.last?.isWhitespace ?? false { rest.removeLast() }
    return String(rest.drop(while: \.isWhitespace))
  }

  /// Changes the text by a key; false when the key has no meaning here, or the character is refused.
  mutating func press(_ key: PickerKey) -> Bool {
    if case .character(let scalar) = key { return type(scalar) }
    isReplaced = false
    switch key {
    case .character: return false
    case .backspace: return before.popLast() != nil
    case .delete:
      guard !after.isEmpty else { return false }
      after.removeFirst()
    case .left:
      guard let last = before.popLast() else { return false }
      after.insert(last, at: after.startIndex)
    case .right:
      guard !after.isEmpty else { return false }
      before.append(after.removeFirst())
    case .home: (before, after) = ("", text)
    case .end: (before, after) = (text, "")
    case .clear: (before, after) = ("", "")
    case .enter, .escape, .tab, .backTab, .up, .down, .pageUp, .pageDown: return false
    }
    return true
  }

  private mutating func type(_ scalar: Unicode.Scalar) -> Bool {
    guard isReplaced, !scalar.isInvisible else { return insert(scalar) }
    (before, after, isReplaced) = ("", "", false)
    return insert(scalar)
  }

  private mutating func insert(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isInvisible, before.utf8.count + after.utf8.count + scalar.utf8.count <= bytesMax
    else { return false }
    before.unicodeScalars.append(scalar)
    return true
  }

  /// The part around the cursor that fits into `columns`, and the cursor's column in it.
  func shown(columns: Int) -> (text: String, cursor: Int) {
    var start = Substring(before)
    // The cursor takes a column of its own.
    while start.columnCount > columns - 1 { start.removeFirst() }
    var text = String(start)
    for character in after {
      guard text.columnCount + String(character).columnCount <= columns else { break }
      text.append(character)
    }
    return (text, start.columnCount)
  }
}
