// SPDX-License-Identifier: GPL-3.0-or-later

extension String {
  /// The text in quotes, safe on a terminal, at most 64 characters of it.
  public var quotedForPeople: String { "\"\(escapedForPeople(scalarCountMax: 64))\"" }

  /// The text with controls, line breaks, and invisible or direction-changing characters escaped, and cut.
  public func escapedForPeople(scalarCountMax: Int) -> String {
    let shown = unicodeScalars.prefix(scalarCountMax).map(\.escapedForPeople).joined()
    return unicodeScalars.count > scalarCountMax ? shown + "…" : shown
  }
}

extension Unicode.Scalar {
  fileprivate var escapedForPeople: String {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      "\\u{\(String(value, radix: 16, uppercase: true))}"
    default: String(Character(self))
    }
  }
}
