// SPDX-License-Identifier: GPL-3.0-or-later

/// How a name is compared: the options of `NSString.CompareOptions` that we carry, with its raw values.
public struct CompareOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Letters compare under simple case folding.
  public static let caseInsensitive = CompareOptions(rawValue: 1)
  /// Character by character; our comparison is literal with or without it.
  public static let literal = CompareOptions(rawValue: 2)
  /// The last occurrence; with `anchored`, the name's end.
  public static let backwards = CompareOptions(rawValue: 4)
  /// The name's start only, or with `backwards` its end.
  public static let anchored = CompareOptions(rawValue: 8)
}
