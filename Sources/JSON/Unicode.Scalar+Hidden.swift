// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether the character could deceive or disturb who looks at it: it controls the terminal, breaks the line,
  /// changes the direction of writing, is not there to be seen, or means whatever the font's maker liked.
  package var isHiddenFromPeople: Bool {
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
}
