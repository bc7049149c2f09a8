// SPDX-License-Identifier: GPL-3.0-or-later

public import Pairing
public import Registry

/// What the agent does for the setup core, in the order of the effects.
public enum SetupEffect: Equatable, Sendable {
  case registry(RegistryRequest)
  /// Ends a pending call.
  case reply(CallID, Result<CallResult, OperatorError>)
  case signal(GatewaySignal)
  case pairing(PairingCommand)
  case log(SetupNotice)
  /// What the agent has to update; the last effect of an input.
  case changed(SetupChanges)
}

/// What an input has changed, for the parts of the agent that depend on it.
public struct SetupChanges: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Sessions have events to read.
  public static let events = Self(rawValue: 1 << 0)
  /// Operators see another state of the requests, or of the registry.
  public static let requests = Self(rawValue: 1 << 1)
  /// ``SetupCore/grants`` were rebuilt.
  public static let grants = Self(rawValue: 1 << 2)
  /// ``SetupCore/bonds`` are others.
  public static let bonds = Self(rawValue: 1 << 3)
}

/// Names a call that waits for its reply.
public struct CallID: Hashable, Sendable {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }
}

/// An accessory that was set up.
public struct CompletedSetup: Equatable, Sendable {
  public let accessory: RandomIdentifier
  public let displayName: String
  /// Its app has to confirm it.
  public let awaitsApp: Bool
  /// Setup continues in the app.
  public let finishesInApp: Bool
  /// How the device was paired; nil when it was not, or had its bond before.
  public var pairing: PairingMethod?
  /// Whether its bond is authenticated; nil without a bond.
  public var isBondAuthenticated: Bool?
}

/// The result of a pending call.
public enum CallResult: Equatable, Sendable {
  case done
  /// An app's call, with the number of the event that it caused; nil when it changed nothing.
  case accessory(AppAccessory, event: UInt64?)
  /// The same for a call that removed its accessory.
  case removed(event: UInt64?)
  case setUp(CompletedSetup)
  /// How many accessories the call has changed.
  case count(Int)
  /// Where the old registry is kept.
  case reset(kept: String?)
}

/// Why a call is refused.
public enum OperatorError: Error, Equatable, Sendable {
  /// The kinds of things that a call can name.
  public enum Kind: String, CaseIterable, Sendable {
    case candidate, app, item, accessory, device
  }

  /// Reported as to an app.
  case failure(SetupError)
  case requestClosed(String)
  case notFound(Kind, name: String, candidates: [String] = [])
  case invalid(field: String, reason: String)
  case setupFailed(SetupError)
  /// A sentence that says what to do about the registry.
  case registry(String)
  /// The app has this request open.
  case busy(RandomIdentifier)
  case notDisconnected(RandomIdentifier, DisconnectReason)

  /// Why an accessory was not disconnected.
  public enum DisconnectReason: String, CaseIterable, Sendable {
    case notConnected
    /// The kernel refused, or did not end the link in time.
    case refused
  }
}

/// An event for the log.
public enum SetupNotice: Equatable, Sendable {
  /// Operators are asked.
  case requestOpened(RandomIdentifier, sentence: String)
  case added(app: String, item: String?, RandomIdentifier)
  case removed(app: String, item: String?, RandomIdentifier)
  /// An operator has given the accessory another device.
  case replaced(app: String, item: String?, RandomIdentifier)
  /// The app has another account now; its accessories are hidden until an operator confirms that.
  case suspended(app: String, item: String?, RandomIdentifier)
  /// The suspended accessory is visible to its app again.
  case restored(app: String, item: String?, RandomIdentifier)
  /// An app used an identifier or token that is not its own.
  case unknownIdentifier(app: String)
  case resolved(app: String, RandomIdentifier)
  case disclosed(app: String)
  /// A device is not among those that the app gets again.
  case migrationLeftOut(app: String, reason: String, count: Int)
  /// A device was paired, for its setup or again.
  case paired(app: String, PairingMethod, isAuthenticated: Bool)
  case pairingFailed(app: String, reason: String)
  /// The device no longer accepts the keys of its bond.
  case bondLost(app: String, item: String?, RandomIdentifier)
  case automaticFailed(app: String, item: String, reason: String, retrySeconds: Int64)
  /// An operator has replaced the registry; `keyed` devices came with keys.
  case registryImported(user: UInt32, accessories: Int, keyed: Int)
  /// A setup flow has changed its state; for debugging.
  case transition(flow: RandomIdentifier, app: String, from: String, to: String)
}

/// What the operators are asked about an accessory, or do with it.
public struct SetupQuestion: Sendable {
  public enum Change: Sendable {
    /// The app wants another name for it, which an operator types. `renamesNetwork`: the stored name of its network
    /// changes too.
    case rename(renamesNetwork: Bool)
    /// The app wants it to match a wider descriptor.
    case extend(RegistryExtension)
    /// An operator pairs its device again.
    case pair
  }

  public let accessory: RandomIdentifier
  public let change: Change
  /// The app's call that waits for the answer; nil when an operator began it.
  package let call: CallID?

  var isPairing: Bool { if case .pair = change { true } else { false } }
}

/// How a request ended, for operators who watch.
public struct RequestOutcome: Equatable, Sendable {
  public let request: RandomIdentifier
  /// The accessory that was set up last, or asked about.
  public let accessory: RandomIdentifier?
  public let displayName: String?
  public let failure: SetupError?
  /// Every accessory that it set up.
  public let completed: [CompletedSetup]
  /// How the device was paired last; nil when it was not.
  public var pairing: PairingMethod?
  /// Whether the bond is authenticated; nil without a bond.
  public var isBondAuthenticated: Bool?
}
