// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import Observation

/// The state of a manager, as on iOS: `poweredOn` once the app has an authorized accessory and the radio is on.
@nonexhaustive public enum CBManagerState: Int, Sendable, BitwiseCopyable {
  /// The agent has not replied yet.
  case unknown = 0
  /// The agent cannot be reached at the moment, or recovers the radio.
  case resetting = 1
  /// The gateway has no Bluetooth adapter.
  case unsupported = 2
  /// The agent does not accept the app.
  case unauthorized = 3
  /// The radio is off, or the app has no authorized accessory.
  case poweredOff = 4
  /// The radio is on, and an accessory is authorized.
  case poweredOn = 5
}

/// Whether an app may use Bluetooth. On a gateway its accessories decide, so there is nothing to ask for.
@nonexhaustive public enum CBManagerAuthorization: Int, Sendable, BitwiseCopyable {
  /// Never reported on a gateway.
  case notDetermined = 0
  /// Never reported on a gateway.
  case restricted = 1
  /// Never reported on a gateway.
  case denied = 2
  /// An account that is an app may use its accessories.
  case allowedAlways = 3
}

/// What managers have in common.
open class CBManager: NSObject, @unchecked Sendable {
  private let currentState = Locked(CBManagerState.unknown)

  override init() {}

  /// The state at the last call of the delegate.
  open var state: CBManagerState { currentState.withLock { $0 } }

  /// Always `allowedAlways`: the manifest decides.
  open var authorization: CBManagerAuthorization { Self.authorization }

  /// Always `allowedAlways`: the manifest decides.
  open class var authorization: CBManagerAuthorization { .allowedAlways }

  /// Changes the state. Returns whether it was another one.
  func setState(_ state: CBManagerState) -> Bool {
    currentState.withLock { current in
      defer { current = state }
      return current != state
    }
  }
}
