// SPDX-License-Identifier: GPL-3.0-or-later

/// Digits that are three columns wide and five lines high, for numbers that a person compares or types.
///
/// Six digits with blanks between them take 25 columns, so they fit a screen of 40 columns.
enum BigDigits {
  /// The height of each digit.
  static let lineCount = 5

  /// The dots of each digit from the top, three bits a line, the left column highest.
  private static let shapes: [[UInt8]] = [
    [7, 5, 5, 5, 7], [2, 6, 2, 2, 7], [7, 1, 7, 4, 7], [7, 1, 7, 1, 7], [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7], [7, 4, 7, 5, 7], [7, 1, 1, 1, 1], [7, 5, 7, 5, 7], [7, 5, 7, 1, 7],
  ]

  /// Lines of text, with a blank between digits and a wider one where `text` has one; nil for anything else.
  static func lines(_ text: String, _ glyphs: Glyphs) -> [String]? {
    let digits = text.utf8.map { $0 == UInt8(ascii: " ") ? nil : Int($0) - Int(UInt8(ascii: "0")) }
    // Anything but digits and blanks has no shape.
    guard !digits.isEmpty, digits.allSatisfy({ $0.map(shapes.indices.contains) ?? true }) else { return nil }
    // A line of the screen is the same line of all digits, side by side.
    return (0..<lineCount).map { line in
      digits.map { digit in
        guard let digit else { return "  " }
        let dots = shapes[digit][line]
        return [4, 2, 1].map { dots & $0 == 0 ? " " : glyphs.block }.joined()
      }.joined(separator: " ")
    }
  }
}
