// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

/// A decision of the operator: a call of `io.accessoryd.Operator`, which the picker's owner makes.
public enum PickerAction: Equatable, Sendable {
  /// `replaces` is the accessory that gets the candidate in place of its device.
  case choose(request: String, candidate: UInt32, name: String?, ssid: String?, replaces: String? = nil)
  case deny(request: String)
  case cancel(request: String)
  case name(request: String, name: String)
  case agree(request: String)
  /// Replies to the question of a pairing.
  case answer(request: String, PairingDecision)
  case quit

  /// The request that the action is about; nil for quitting.
  public var request: String? {
    switch self {
    case .choose(let request, _, _, _, _), .deny(let request), .cancel(let request), .name(let request, _),
      .agree(let request), .answer(let request, _):
      request
    case .quit: nil
    }
  }
}

/// An answer to the question of a pairing.
public enum PairingDecision: Equatable, Sendable {
  /// The digits are the same, or they are not.
  case matches(Bool)
  /// The six digits that the accessory shows.
  case digits(String)
}

/// The agent's reply to an action.
public enum PickerAnswer: Equatable, Sendable {
  case done
  /// The reply to ``PickerAction/choose(request:candidate:name:ssid:replaces:)``.
  case chosen(SetupReply)
  /// Another operator has decided, or the request has ended.
  case closed
  /// The error and its cure, as sentences for the operator.
  case failed(String, cure: String?)
}
