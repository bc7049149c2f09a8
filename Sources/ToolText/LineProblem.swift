// SPDX-License-Identifier: GPL-3.0-or-later

/// Why an object is not the line that it should be.
public struct LineProblem: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case missing
    /// Null, or of another type than the line's schema says.
    case wrongType
    /// Of the right type, but none of the values that we know, or beyond what we hold.
    case unknownValue
  }

  /// Where it stands: `gate.samples`, `clauses[2].wanted`.
  public let path: String
  public let kind: Kind
}
