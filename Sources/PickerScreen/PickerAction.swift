// SPDX-License-Identifier: GPL-3.0-or-later

/// What a person has decided: a call of `io.accessoryd.Operator`, which the picker's owner makes.
public enum PickerAction: Equatable, Sendable {
  case choose(request: String, candidate: UInt32, name: String?, ssid: String?)
  case deny(request: String)
  case cancel(request: String)
  case name(request: String, name: String)
  case agree(request: String)
  case quit

  /// The request that it is about; nil for quitting.
  public var request: String? {
    switch self {
    case .choose(let request, _, _, _), .deny(let request), .cancel(let request), .name(let request, _),
      .agree(let request):
      request
    case .quit: nil
    }
  }
}

/// What the agent answered to an action.
public enum PickerAnswer: Equatable, Sendable {
  case done
  /// To ``PickerAction/choose(request:candidate:name:ssid:)``.
  case chosen(displayName: String, awaitsApp: Bool, finishInApp: Bool)
  /// Somebody else has decided, or the request has ended.
  case closed
  /// What went wrong, and what to do about it, for people.
  case failed(String, cure: String?)
}
