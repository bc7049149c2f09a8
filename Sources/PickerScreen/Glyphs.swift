// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import ToolText

/// The characters that a terminal can show.
public enum Glyphs: Sendable {
  case unicode
  /// For terminals whose locale is not UTF-8; other characters are escaped.
  case ascii

  var marker: String { pick("▸", ">") }
  var dash: String { pick("·", "-") }
  var enter: String { "Enter" }
  /// A dot of a large digit.
  var block: String { pick("█", "#") }
  var bullet: String { pick("•", "*") }
  var more: (left: String, right: String) { (pick("‹", "<"), pick("›", ">")) }

  /// Four columns; a stronger level fills more of them.
  func bars(_ level: Int8?) -> String {
    let thresholds: [Int8] = [-86, -74, -62, -50]
    let count = level.map { level in thresholds.count { level >= $0 } } ?? 0
    let filled = pick("▂▄▆█", "####").prefix(count)
    return filled + String(repeating: pick("·", "."), count: thresholds.count - count)
  }

  /// A character for each level, the newest last.
  func history(_ levels: [Int8]) -> String {
    let shapes = Array(pick("▁▂▃▄▅▆▇█", "_.,-=+*#"))
    return String(levels.map { shapes[max(0, min(shapes.count - 1, (Int($0) + 95) / 7))] })
  }

  /// The spinner's shape; it changes every second.
  func spinner(_ second: Int64) -> String {
    let shapes = Array(pick("◐◓◑◒", #"|/-\"#))
    return String(shapes[Int(second & 3)])
  }

  /// Text from outside, made safe for the terminal and cut to `columnsMax`.
  func shown(_ text: String, columnsMax: Int) -> String {
    shown(AirText(Array(text.utf8)), columnsMax: columnsMax)
  }

  func shown(_ text: AirText, columnsMax: Int) -> String {
    switch self {
    case .unicode: text.sentence(columnsMax: columnsMax)
    case .ascii:
      cut(Self.escaped(text.sentence(columnsMax: 1000)), columnsMax: columnsMax)
    }
  }

  private func cut(_ text: String, columnsMax: Int) -> String {
    guard text.utf8.count > columnsMax else { return text }
    return columnsMax < 4 ? String(text.prefix(columnsMax)) : text.prefix(columnsMax - 2) + ".."
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      if scalar.isASCII { return String(scalar) }
      return scalar == "…" ? "..." : #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
    }.joined()
  }

  private func pick(_ unicode: String, _ ascii: String) -> String {
    switch self {
    case .unicode: unicode
    case .ascii: ascii
    }
  }
}
