// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry

/// Names a call that waits for its answer.
public struct CallID: Hashable, Sendable {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }
}

/// An accessory that an operator's choice made.
public struct CompletedSetup: Equatable, Sendable {
  public let accessory: RandomIdentifier
  public let displayName: String
  /// Its app has to confirm it.
  public let awaitsApp: Bool
  /// Setup goes on in the app.
  public let finishesInApp: Bool
}

/// What a call that had to wait is answered.
public enum CallResult: Equatable, Sendable {
  case done
  case accessory(AppAccessory)
  case setUp(CompletedSetup)
  /// So many accessories.
  case count(Int)
  /// Where the old registry is kept.
  case reset(kept: String?)
}

/// Why a call is refused.
public enum OperatorError: Error, Equatable, Sendable {
  /// What names nothing.
  public enum Kind: String, CaseIterable, Sendable {
    case candidate, app, item, accessory, device
  }

  /// As an app is told.
  case failure(SetupFailure)
  case requestClosed(String)
  case notFound(Kind, name: String, candidates: [String] = [])
  case invalid(field: String, reason: String)
  case setupFailed(SetupFailure)
  /// A sentence that says what to do about the registry.
  case registry(String)
  /// The app has this request open.
  case busy(RandomIdentifier)
}

/// What the setup core wants done.
public enum SetupEffect: Equatable, Sendable {
  case registry(RegistryRequest)
  case answer(CallID, Result<CallResult, OperatorError>)
  case signal(TouchSignal)
  case log(SetupNotice)
}

/// Something that is worth a line in the log.
public enum SetupNotice: Equatable, Sendable {
  case added(app: String, item: String?, RandomIdentifier)
  case removed(app: String, item: String?, RandomIdentifier)
  /// The app is another account's now; what it has is hidden until an operator confirms that.
  case suspended(app: String, item: String?, RandomIdentifier)
  /// What was suspended is its app's again.
  case restored(app: String, item: String?, RandomIdentifier)
  /// Somebody asked with an identifier or token that is not its own.
  case foreign(app: String)
  case resolved(app: String, RandomIdentifier)
  case disclosed(app: String)
  case automaticFailed(app: String, item: String, reason: String, retrySeconds: Int64)
}
