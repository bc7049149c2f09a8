// SPDX-License-Identifier: GPL-3.0-or-later

extension String {
  /// The text in quotes, safe on a terminal: at most 64 characters, with quotes, controls, line breaks, and invisible
  /// or direction-changing characters escaped.
  public var quotedForPeople: String {
    let shown = unicodeScalars.prefix(64).map(\.escapedForPeople).joined()
    return "\"\(shown)\(unicodeScalars.count > 64 ? "…" : "")\""
  }
}

extension Unicode.Scalar {
  fileprivate var escapedForPeople: String {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      "\\u{\(String(value, radix: 16, uppercase: true))}"
    default:
      self == "\"" || self == "\\" ? "\\\(self)" : String(Character(self))
    }
  }
}
