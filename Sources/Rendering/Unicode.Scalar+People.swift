// SPDX-License-Identifier: GPL-3.0-or-later

extension Unicode.Scalar {
  /// Whether the character could deceive or disturb who looks at it: it controls the terminal, breaks the line,
  /// changes the direction of writing, is not there to be seen, or means whatever the font's maker liked.
  var isHiddenFromPeople: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber,
      .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol,
      .spaceSeparator:
      properties.isDefaultIgnorableCodePoint
    @unknown default: true
    }
  }

  /// Whether the character is drawn over the one before it.
  var isCombiningMark: Bool {
    let category = properties.generalCategory
    return category == .nonspacingMark || category == .enclosingMark
  }

  /// Columns of a terminal that the character takes; meant for those that are not hidden from people.
  var columnCount: Int {
    isCombiningMark ? 0 : EastAsianWidth.isWide(value) ? 2 : 1
  }
}
