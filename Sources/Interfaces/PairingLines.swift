// SPDX-License-Identifier: Apache-2.0

/// The question of a pairing that waits for a person: `pairing` and `digits` of a `Request` of `io.accessoryd.Operator`.
public struct PairingQuestionLine: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Does the device show these digits?
    case compare
    /// Which six digits does the device show?
    case enterDigits
    /// These digits have to be typed at the device; there is nothing to answer.
    case showDigits
  }

  public var kind: Kind
  /// Six digits, for compare and showDigits.
  public var digits: String?

  public init(_ kind: Kind, digits: String? = nil) {
    self.kind = kind
    self.digits = digits
  }
}

/// How a bond was made; the interface says what each means.
public enum PairingMethodName: String, CaseIterable, Sendable {
  case justWorks, digitsEntered, digitsShown, digitsCompared
}

/// How an item's device will be paired.
public enum PairingDemandName: String, CaseIterable, Sendable {
  case any, justWorks, authenticated
}

/// What a person at a client can do during a pairing: `capabilities` of `Watch`.
public enum PairingCapabilityName: String, CaseIterable, Sendable {
  case display, keyboard, yesNo
}
