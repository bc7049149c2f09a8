// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry

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
      SetupError(
        .invalidRequest, field: field.rawValue, "it cannot be stored", cure: "shorten it, or leave it out")
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
