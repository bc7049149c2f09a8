// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

/// The sentences about pairings that the picker and the commands share.
public enum PairingSentences {
  /// How many digits a person reads, compares or types (Core Specification 5.4, Volume 3, Part H, 2.3.5.3).
  public static let digitCount = 6

  /// How a bond was made, and what it is worth.
  public static func result(_ method: PairingMethod, isAuthenticated: Bool) -> String {
    let worth =
      isAuthenticated ? "protected against a third device in between" : "not protected against a third device"
    switch method {
    case .justWorks: return "paired without digits, \(worth)"
    case .digitsCompared: return "paired: digits compared, \(worth)"
    case .digitsEntered: return "paired: digits typed here, \(worth)"
    case .digitsShown: return "paired: digits typed at the accessory, \(worth)"
    }
  }

  /// Six digits in two groups: `123 456`. Other text is as it is.
  public static func grouped(_ digits: String) -> String {
    guard digits.utf8.count == digitCount else { return digits }
    return "\(digits.prefix(digitCount / 2)) \(digits.suffix(digitCount / 2))"
  }

  /// The six digits that a person typed; blanks and dashes between them do not matter. nil for any other text.
  public static func digits(typed text: some StringProtocol) -> String? {
    let digits = text.unicodeScalars.filter { $0 != " " && $0 != "-" }
    guard digits.count == digitCount, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return String(String.UnicodeScalarView(digits))
  }
}
