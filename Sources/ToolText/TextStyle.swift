// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// How words stand out: in colour on a terminal that wants it, else not at all.
public enum TextStyle: Sendable {
  case plain
  /// Select Graphic Rendition, ECMA-48 8.3.117.
  case colored

  func strong(_ text: String) -> String { wrap(text, "1") }
  func faint(_ text: String) -> String { wrap(text, "2") }
  func good(_ text: String) -> String { wrap(text, "32") }
  func bad(_ text: String) -> String { wrap(text, "31") }

  private func wrap(_ text: String, _ code: String) -> String {
    switch self {
    case .plain: text
    case .colored: "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
  }
}
