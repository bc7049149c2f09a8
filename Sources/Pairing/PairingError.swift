// SPDX-License-Identifier: GPL-3.0-or-later

import Controller

/// Why a device was not paired: its kind, and what happened and what to do for apps and operators. After each of them
/// nothing of the attempt remains in the kernel or bluetoothd.
public struct PairingError: Error, Equatable, Sendable {
  /// For counters.
  public let result: PairingResult
  public let code: SetupErrorCode
  /// What happened, without a full stop.
  public let reason: String
  /// What to do; @ stands for what a person does for another attempt.
  private let cure: String

  private init(
    _ result: PairingResult, code: SetupErrorCode = .connectionFailed, _ reason: String, cure: String
  ) {
    (self.result, self.code, self.reason, self.cure) = (result, code, reason, cure)
  }

  /// The cure, with what a person does for another attempt.
  public func cure(again words: String) -> String {
    cure.split(separator: "@", omittingEmptySubsequences: false).joined(separator: words)
  }

  // The device, or the person.

  /// The device refused or the procedure failed (status 0x05), and no digits were involved.
  public static let refused = Self(
    .refused, "the device refused to pair", cure: "put it into its pairing mode, and @")
  /// The procedure failed after digits were typed or compared.
  public static let wrongDigits = Self(
    .wrongDigits, "the digits were wrong, or the device did not accept them",
    cure: "@, and type or compare the six digits that are shown this time")
  /// The person said that the digits differ.
  public static let digitsDiffer = Self(
    .wrongDigits, code: .userCancelled, "the digits of the device and of the gateway differ",
    cure: "another device may have answered: keep others away, and @")
  /// Not done in ``PairingRequest/milliseconds``. `isAsking`: a person had not answered.
  public static func timeout(isAsking: Bool) -> Self {
    isAsking
      ? Self(
        .timeout, code: .userCancelled, "no operator answered the question of the pairing in time",
        cure: "@, and answer in accessoryctl pick within half a minute")
      : Self(
        .timeout, "the device did not finish the pairing in time",
        cure: "bring it nearer, restart it, and @")
  }
  /// The link ended, or was not made.
  public static let deviceIsGone = Self(
    .deviceIsGone, "the device went out of reach, or ended the connection, during the pairing",
    cure: "bring it nearer, and @")
  /// The adapter has a bond with the device that is not in the registry (status 0x13). `isRemoved`: it was the kernel's,
  /// and the agent has removed it; bluetoothd keeps one of its own.
  public static func alreadyPaired(isRemoved: Bool) -> Self {
    isRemoved
      ? Self(
        .alreadyPaired,
        "the kernel had a bond with the device that is not in the registry, and it was removed",
        cure: "@; if it refuses then, have it forget the gateway first")
      : Self(
        .alreadyPaired, code: .userRestricted,
        "the adapter has a bond with the device that is not in the registry",
        cure:
          "remove that bond with bluetoothctl remove, or let the app take the device over with accessoryctl migrate; "
          + "if bluetoothd lists no such bond, restart bluetoothd")
  }
  /// The bond that the adapter has with the device is the agent's own, and good: the device was chosen by an address that
  /// did not show its identity yet.
  public static let alreadyBonded = Self(
    .alreadyPaired, "the gateway already has a bond with it",
    cure:
      "wait until the picker shows it under its permanent address, and @; if the app has it already, there is nothing to do"
  )
  /// The bond is not authenticated, as the item demands.
  public static func notAuthenticated(_ method: PairingMethod) -> Self {
    Self(
      .notAuthenticated, code: .userRestricted,
      "the bond had to be authenticated, and \(method == .justWorks ? "no digits were used" : "it is not")",
      cure:
        "pair a device that shows, takes or compares digits, or remove pairing = \"authenticated\" from the item"
    )
  }
  public static let noKeys = Self(
    .noKeys, "the device was paired and gave no keys to keep",
    cure: "allow bonding in the device's firmware, and @")
  /// The operator or the app ended the request.
  public static let cancelled = Self(
    .cancelled, code: .userCancelled, "the pairing was ended",
    cure: "ask again when an operator is at the gateway")

  // The gateway, or another program on it.

  public static let busy = Self(
    .busy, "another device is being paired, and the gateway pairs one at a time",
    cure: "@ when that has ended, a minute at most")
  /// The adapter is gone, off, or was reset.
  public static let radioIsGone = Self(
    .radio, "the radio was unplugged, switched off or reset during the pairing",
    cure: "see accessoryctl status, and @")
  /// The agent may not pair: it lacks CAP_NET_ADMIN, or the bus refused it.
  public static let notPermitted = Self(
    .notPermitted, code: .unknown, "the agent may not pair on this gateway",
    cure: "give it CAP_NET_ADMIN, as accessoryd.service does, and access to the system bus")
  /// The kernel or bluetoothd asked about digits above 999,999.
  public static func invalidDigits(isKernel: Bool) -> Self {
    Self(
      .invalidDigits,
      "\(isKernel ? "the kernel" : "bluetoothd") asked about digits above 999999, which cannot be shown",
      cure: "@; if this comes back, \(isKernel ? "update the kernel" : "restart or update bluetoothd")")
  }
  public static let inputDeviceNeedsBluetoothd = Self(
    .notSupported, code: .userRestricted,
    "an input device is paired through bluetoothd only, which does not run",
    cure: "start bluetoothd, and @")
  public static let needsSharedAccess = Self(
    .notSupported, code: .userRestricted,
    "the adapter is held with access = \"exclusive\", where no device is paired",
    cure: "set access = \"shared\", and @")
  /// bluetoothd started, ended or was restarted during the pairing.
  public static let bluetoothdChanged = Self(
    .bluetoothd, "bluetoothd started or ended during the pairing", cure: "@")
  /// bluetoothd does not know the device, or not any more.
  public static let unknownToBluetoothd = Self(
    .bluetoothd, "bluetoothd does not know the device",
    cure:
      "bring it nearer, wait until bluetoothd has found it, and @; if bluetoothd lists a bond "
      + "with it, which its private address does not show, remove that with bluetoothctl remove")
  /// Another program answered for the gateway, or began a pairing with the device.
  public static let otherProgram = Self(
    .bluetoothd, "another program on the gateway answered for it, or paired the device",
    cure: "end other programs that pair, such as bluetoothctl, and @")
  public static let radioIsSimulated = Self(
    .notSupported, code: .userRestricted, "this gateway cannot pair: its radio is simulated or recorded",
    cure: "name an adapter as radio in the gateway's manifest")
  /// This kernel or bluetoothd cannot pair; with its own word for it.
  public static func notSupported(_ word: String) -> Self {
    Self(
      .notSupported, code: .userRestricted, "this gateway cannot pair: \(word)",
      cure: "see the agent's log and the kernel's")
  }

  /// The error as an operator reads it before choosing a device: that the gateway cannot pair, why, and what to do.
  public var note: String {
    let sentence = "\(reason); \(cure(again: "choose it again"))"
    return reason.hasPrefix("this gateway cannot pair")
      ? sentence : "this gateway cannot pair now: \(sentence)"
  }

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

/// How a pairing ended, for counters.
public enum PairingResult: String, CaseIterable, Sendable {
  case paired, refused, wrongDigits, invalidDigits, timeout, deviceIsGone, alreadyPaired, notAuthenticated
  case noKeys, cancelled, busy
  case radio, notPermitted, bluetoothd, notSupported
}
