// SPDX-License-Identifier: GPL-3.0-or-later

public import Pairing
public import Registry

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
  let call: CallID?

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
