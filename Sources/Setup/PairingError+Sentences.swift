// SPDX-License-Identifier: GPL-3.0-or-later

public import Pairing

extension PairingError {
  /// The error as it is reported to apps and operators: what happened, and what to do.
  public var setupFailure: SetupError { failure(again: "choose it again") }

  /// `again` is what a person does for another attempt.
  private func failure(again: String) -> SetupError {
    switch self {
    case .refused:
      SetupError(
        .connectionFailed, "the device refused to pair",
        cure: "put it into its pairing mode, and \(again)")
    case .wrongDigits:
      SetupError(
        .connectionFailed, "the digits were wrong, or the device did not accept them",
        cure: "\(again), and type or compare the six digits that are shown this time")
    case .digitsDiffer:
      SetupError(
        .userCancelled, "the digits of the device and of the gateway differ",
        cure: "another device may have answered: keep others away, and \(again)")
    case .timeout(isAsking: true):
      SetupError(
        .userCancelled, "no operator answered the question of the pairing in time",
        cure: "\(again), and answer in accessoryctl pick within half a minute")
    case .timeout(isAsking: false):
      SetupError(
        .connectionFailed, "the device did not finish the pairing in time",
        cure: "bring it nearer, restart it, and \(again)")
    case .deviceIsGone:
      SetupError(
        .connectionFailed, "the device went out of reach, or ended the connection, during the pairing",
        cure: "bring it nearer, and \(again)")
    case .alreadyPaired(isRemoved: true):
      SetupError(
        .connectionFailed,
        "the kernel had a bond with the device that is not in the registry, and it was removed",
        cure: "\(again); if it refuses then, have it forget the gateway first")
    case .alreadyPaired(isRemoved: false):
      SetupError(
        .userRestricted, "the adapter has a bond with the device that is not in the registry",
        cure:
          "remove that bond with bluetoothctl remove, or let the app take the device over with accessoryctl migrate; "
          + "if bluetoothd lists no such bond, restart bluetoothd"
      )
    case .alreadyBonded:
      SetupError(
        .connectionFailed, "the gateway already has a bond with it",
        cure:
          "wait until the picker shows it under its permanent address, and \(again); if the app has it already, there is nothing to do"
      )
    case .notAuthenticated(let method):
      SetupError(
        .userRestricted,
        "the bond had to be authenticated, and \(method == .justWorks ? "no digits were used" : "it is not")",
        cure:
          "pair a device that shows, takes or compares digits, or remove pairing = \"authenticated\" from the item"
      )
    case .noKeys:
      SetupError(
        .connectionFailed, "the device was paired and gave no keys to keep",
        cure: "allow bonding in the device's firmware, and \(again)")
    case .cancelled: .userCancelled(reason: "the pairing was ended")
    case .busy:
      SetupError(
        .connectionFailed, "another device is being paired, and the gateway pairs one at a time",
        cure: "\(again) when that has ended, a minute at most")
    case .radioIsGone:
      SetupError(
        .connectionFailed, "the radio was unplugged, switched off or reset during the pairing",
        cure: "see accessoryctl status, and \(again)")
    case .notPermitted, .inputDeviceNeedsBluetoothd, .needsSharedAccess,
      .bluetoothdChanged, .unknownToBluetoothd, .otherProgram, .radioIsSimulated,
      .notSupported, .invalidDigits:
      gatewayFailure(again: again)
    }
  }

  /// The error of a pairing that renews a lost bond, for which the device is sought by its identity.
  public var renewalFailure: SetupError {
    guard self == .timeout(isAsking: false) else {
      return failure(again: "pair it again with accessoryctl pair")
    }
    return SetupError(
      .connectionFailed, "no device with the identity of the accessory finished the pairing in time",
      cure:
        "switch it to pairing, bring it near, and try again; some devices get a new identity when they are reset: "
        + "remove such an accessory with accessoryctl remove, and set it up again")
  }

  /// The error as an operator reads it before choosing a device: that the gateway cannot pair, why, and what to do.
  public var note: String {
    let failure = setupFailure
    let sentence = "\(failure.reason); \(failure.cure)"
    switch self {
    case .radioIsSimulated, .notSupported: return sentence
    default: return "this gateway cannot pair now: \(sentence)"
    }
  }

  /// The errors that this gateway or another program on it causes.
  private func gatewayFailure(again: String) -> SetupError {
    switch self {
    case .inputDeviceNeedsBluetoothd:
      SetupError(
        .userRestricted, "an input device is paired through bluetoothd only, which does not run",
        cure: "start bluetoothd, and \(again)")
    case .needsSharedAccess:
      SetupError(
        .userRestricted, "the adapter is held with access = \"exclusive\", where no device is paired",
        cure: "set access = \"shared\", and \(again)")
    case .invalidDigits(isKernel: true):
      SetupError(
        .connectionFailed, "the kernel asked about digits above 999999, which cannot be shown",
        cure: "\(again); if this comes back, update the kernel")
    case .invalidDigits(isKernel: false):
      SetupError(
        .connectionFailed, "bluetoothd asked about digits above 999999, which cannot be shown",
        cure: "\(again); if this comes back, restart or update bluetoothd")
    case .bluetoothdChanged:
      SetupError(
        .connectionFailed, "bluetoothd started or ended during the pairing", cure: "\(again)")
    case .unknownToBluetoothd:
      SetupError(
        .connectionFailed, "bluetoothd does not know the device",
        cure:
          "bring it nearer, wait until bluetoothd has found it, and \(again); if bluetoothd lists a bond "
          + "with it, which its private address does not show, remove that with bluetoothctl remove")
    case .otherProgram:
      SetupError(
        .connectionFailed, "another program on the gateway answered for it, or paired the device",
        cure: "end other programs that pair, such as bluetoothctl, and \(again)")
    case .radioIsSimulated:
      SetupError(
        .userRestricted, "this gateway cannot pair: its radio is simulated or recorded",
        cure: "name an adapter as radio in the gateway's manifest")
    case .notSupported(let word):
      SetupError(
        .userRestricted, "this gateway cannot pair: \(word)", cure: "see the agent's log and the kernel's")
    default:
      SetupError(
        .unknown, "the agent may not pair on this gateway",
        cure: "give it CAP_NET_ADMIN, as accessoryd.service does, and access to the system bus")
    }
  }
}

extension SetupError {
  /// The device has a bond for another app, which is not authenticated as an item of some app demands.
  static var bondIsNotAuthenticated: Self {
    Self(
      .userRestricted,
      "the device is paired for another app, and that bond is not authenticated, as the manifest demands",
      cure: "remove the device from the other app first; pairing it again would take that app's bond")
  }

  /// bluetoothd has a bond with a device that is to be migrated, and does not say how it was made.
  static var bondIsUnproven: Self {
    Self(
      .userRestricted,
      "the item demands an authenticated bond, and bluetoothd does not say whether the one that it has is",
      cure:
        "remove the device with bluetoothctl remove, and set it up with a picker, which pairs it with digits")
  }

  /// A device that is to be migrated has no bond.
  static var migrationPairsNothing: Self {
    Self(
      .userRestricted,
      "the item demands an authenticated bond, and the device that is to be migrated has none",
      cure: "set the device up with a picker, which pairs it with digits")
  }

  /// A bond has to be authenticated, and no person can prove it.
  static var noPersonCanAuthenticate: Self {
    Self(
      .userRestricted,
      "the bond has to be authenticated, and no operator who watches can read or type digits",
      cure: "choose the device in accessoryctl pick, or Watch with capabilities")
  }

  /// A device whose bond is good came under another address, or another device claims to be it.
  static var identityHasBond: Self {
    Self(
      .userRestricted,
      "the device says that it is one that the gateway has a good bond with, and so could any other device",
      cure:
        "if it is the same device and was reset, have its app connect: the bond is lost then, and accessoryctl pair "
        + "makes a new one")
  }

  static var isBeingPaired: Self {
    Self(
      .connectionFailed, "another request pairs this device now",
      cure: "choose it again when that has ended; it is then not paired a second time")
  }

  /// Only an item with `pairing = "just-works"` is paired by touch or automatically.
  static var pairingNeedsPerson: Self {
    Self(
      .userRestricted, "the item's devices are paired, and only a person may do that",
      cure: "choose it in accessoryctl pick, or give the item pairing = \"just-works\"")
  }

  /// A bond that was lost is replaced by operators only.
  static var lostBondIsKept: Self {
    Self(
      .userRestricted, "the device has lost the bond that another app has with it",
      cure: "an operator pairs it again: accessoryctl pair, or accessoryctl pick")
  }
}
