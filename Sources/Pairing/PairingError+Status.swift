// SPDX-License-Identifier: GPL-3.0-or-later

import Controller

extension PairingError {
  /// Why Pair Device failed, by its status (BlueZ, doc/mgmt-api.txt, "Pair Device Command").
  init(_ status: MgmtStatus, of attempt: PairingAttempt) {
    switch status {
    case .authenticationFailed: self = Self.authenticationFailed(in: attempt)
    case .rejected, .notPaired: self = .refused
    case .failed, .connectFailed, .timeout, .notConnected, .disconnected: self = .deviceIsGone
    case .notPowered, .invalidIndex, .blocked: self = .radioIsGone
    case .busy, .cancelled: self = .otherProgram
    case .alreadyPaired: self = .alreadyPaired(isRemoved: true)
    case .permissionDenied: self = .notPermitted
    case .notSupported, .unknownCommand: self = .notSupported("the kernel cannot pair with this adapter")
    default: self = .notSupported("the kernel refused to pair, with status \(status.rawValue)")
    }
  }

  /// Returns the error for a pairing that failed at the authentication.
  ///
  /// The device's end of a pairing tells no more than that it failed: with digits they were most likely wrong.
  static func authenticationFailed(in attempt: PairingAttempt) -> PairingError {
    switch attempt.method {
    case .justWorks: .refused
    case .digitsEntered: attempt.question == nil ? .wrongDigits : .refused
    case .digitsShown, .digitsCompared: .wrongDigits
    }
  }
}
