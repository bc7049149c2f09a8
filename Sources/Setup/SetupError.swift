// SPDX-License-Identifier: GPL-3.0-or-later

public import Pairing
public import Registry
@_exported public import Values

/// Why a call or a setup failed, with what an app's author needs to correct it.
public struct SetupError: Error, Equatable, Sendable {
  public let code: SetupErrorCode
  /// The parameter, for an invalid request: `items[1].descriptor.bluetoothServiceUUID`.
  public let field: String?
  /// What is wrong, as the second half of a sentence.
  public let reason: String
  /// What to do about it.
  public let cure: String

  public init(_ code: SetupErrorCode, field: String? = nil, _ reason: String, cure: String) {
    precondition(code != .success, "a failure is no success")
    (self.code, self.field, self.reason, self.cure) = (code, field, reason, cure)
  }

  /// A request whose parameter cannot be as it is.
  static func invalid(_ field: String, _ reason: String, cure: String) -> Self {
    Self(.invalidRequest, field: field, reason, cure: cure)
  }

  /// The device has a bond for another app, which is not authenticated as an item of some app demands.
  static let bondIsNotAuthenticated = Self(
    .userRestricted,
    "the device is paired for another app, and that bond is not authenticated, as the manifest demands",
    cure: "remove the device from the other app first; pairing it again would take that app's bond")
  /// bluetoothd has a bond with a device that is to be migrated, and does not say how it was made.
  static let bondIsUnproven = Self(
    .userRestricted,
    "the item demands an authenticated bond, and bluetoothd does not say whether the one that it has is",
    cure:
      "remove the device with bluetoothctl remove, and set it up with a picker, which pairs it with digits")
  /// A device that is to be migrated has no bond.
  static let migrationPairsNothing = Self(
    .userRestricted, "the item demands an authenticated bond, and the device that is to be migrated has none",
    cure: "set the device up with a picker, which pairs it with digits")
  /// A bond has to be authenticated, and no person can prove it.
  static let noPersonCanAuthenticate = Self(
    .userRestricted, "the bond has to be authenticated, and no operator who watches can read or type digits",
    cure: "choose the device in accessoryctl pick, or Watch with capabilities")
  /// A device whose bond is good came under another address, or another device claims to be it.
  static let identityHasBond = Self(
    .userRestricted,
    "the device says that it is one that the gateway has a good bond with, and so could any other device",
    cure:
      "if it is the same device and was reset, have its app connect: the bond is lost then, and accessoryctl pair "
      + "makes a new one")
  static let isBeingPaired = Self(
    .connectionFailed, "another request pairs this device now",
    cure: "choose it again when that has ended; it is then not paired a second time")
  /// Only an item with `pairing = "just-works"` is paired by touch or automatically.
  static let pairingNeedsPerson = Self(
    .userRestricted, "the item's devices are paired, and only a person may do that",
    cure: "choose it in accessoryctl pick, or give the item pairing = \"just-works\"")
  /// A bond that was lost is replaced by operators only.
  static let lostBondIsKept = Self(
    .userRestricted, "the device has lost the bond that another app has with it",
    cure: "an operator pairs it again: accessoryctl pair, or accessoryctl pick")
}

extension PairingError {
  /// The error as it is reported to apps and operators: what happened, and what to do.
  public var setupFailure: SetupError { failure(again: "choose it again") }

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

  private func failure(again: String) -> SetupError { SetupError(code, reason, cure: cure(again: again)) }
}

extension RegistryError {
  /// The error as it is reported to apps.
  var setupFailure: SetupError {
    switch self {
    case .unknownAccessory, .unknownApp, .notRemoved: .noSuchAccessory
    case .alreadyAdded:
      SetupError(.invalidRequest, "the device is the app's accessory already", cure: "use the accessory")
    case .removedBefore:
      SetupError(
        .userRestricted, "the device was removed before", cure: "an operator allows it: accessoryctl allow")
    case .accountChanged:
      SetupError(
        .userRestricted, "the app's accessories belong to another account",
        cure: "an operator confirms the account: accessoryctl authorize")
    case .itemFull(let most):
      SetupError(
        .userRestricted, Self.fullItemReason("the item", maximum: most),
        cure: "remove one, or raise the item's max-accessories")
    case .full:
      SetupError(
        .userRestricted, "the registry has \(RegistryLimits.accessoriesMax) accessories, as many as it holds",
        cure: "remove some")
    case .bondIsGone:
      SetupError(
        .connectionFailed, "the bond that the device had was removed meanwhile",
        cure: "choose the device again: it is paired then")
    case .identifierTaken:
      SetupError(.unknown, "a random identifier was drawn twice", cure: "try again")
    case .identityTaken:
      SetupError(
        .invalidRequest, "another device is known by that address or network", cure: "remove that one")
    case .networkNameNeeded: .networkNameNeeded
    case .invalid(let field):
      SetupError.invalid(field.rawValue, "it cannot be stored", cure: "shorten it, or leave it out")
    }
  }

  /// Why an item gets no further accessory. `item` begins the sentence.
  static func fullItemReason(_ item: String, maximum: UInt16) -> String {
    "\(item) already has its maximum of \(maximum) \(maximum == 1 ? "accessory" : "accessories")"
  }

  /// The error as it is reported to operators.
  var operatorError: OperatorError {
    switch self {
    case .unknownAccessory: .notFound(.accessory, name: "")
    case .unknownApp: .notFound(.app, name: "")
    case .notRemoved: .notFound(.device, name: "")
    case .invalid(let field): .invalid(field: field.rawValue, reason: "it cannot be stored")
    case .alreadyAdded, .removedBefore, .accountChanged, .itemFull, .full, .bondIsGone, .identifierTaken,
      .identityTaken, .networkNameNeeded:
      .setupFailed(setupFailure)
    }
  }
}

extension RegistryOpenError {
  /// What is wrong and what helps, as a sentence for operators.
  public var sentence: String { "the registry's file \(reason); \(cure)" }
}

extension RegistryStoreError {
  /// What is wrong and what helps, as a sentence for operators.
  public var sentence: String { "\(reason); \(cure)" }
}
