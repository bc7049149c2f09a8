// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether the character could deceive a reader or disturb the terminal: it is a control, breaks the line, changes
  /// the direction of writing, is invisible, or has no standard meaning.
  package var isInvisible: Bool {
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

  /// The character as `\u{1B}`.
  package var escape: String { "\\u{" + String(value, radix: 16, uppercase: true) + "}" }
}
