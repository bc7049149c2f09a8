// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Something that happened in a session.
open class ASAccessoryEvent: NSObject, @unchecked Sendable {
  private let ownType: ASAccessoryEventType
  private let ownAccessory: ASAccessory?
  private let ownError: ASError?

  init(_ type: ASAccessoryEventType, accessory: ASAccessory?, error: ASError?) {
    ownType = type
    ownAccessory = accessory
    ownError = error
  }

  /// What happened.
  open var eventType: ASAccessoryEventType { ownType }
  /// The accessory after the event; for `accessoryRemoved`, before it.
  open var accessory: ASAccessory? { ownAccessory }
  /// The cause of `pickerSetupFailed`, and of `invalidated` when the agent ended the session.
  open var error: (any Error)? { ownError }

  open override var description: String {
    "\(ownType)" + (ownAccessory.map { ": \($0)" } ?? "")
      + (ownError.map { ": \($0.localizedDescription)" } ?? "")
  }
}

/// The kinds of events.
@nonexhaustive public enum ASAccessoryEventType: Int, Sendable, BitwiseCopyable {
  /// An event that this version of the library does not know.
  case unknown = 0
  /// The session is active; its accessories are known from here on.
  case activated = 10
  /// The session has ended and cannot be used any more. If the app did not end it, the event has the error, and calls
  /// that wait fail with the same error afterwards.
  case invalidated = 11
  /// The accessories of migration items were added.
  case migrationComplete = 20
  /// The app has a new accessory.
  case accessoryAdded = 30
  /// The app no longer has the accessory.
  case accessoryRemoved = 31
  /// The accessory changed, for instance its name or state.
  case accessoryChanged = 32
  /// A picker with `filterDiscoveryResults` found a device.
  case accessoryDiscovered = 33
  /// The operators of the gateway see the picker.
  case pickerDidPresent = 40
  /// The picker is closed.
  case pickerDidDismiss = 50
  /// The chosen accessory takes over its keys for Bluetooth Classic.
  case pickerSetupBridging = 60
  /// The setup of the chosen accessory failed.
  case pickerSetupFailed = 70
  /// The chosen accessory pairs.
  case pickerSetupPairing = 80
  /// An operator is asked for the accessory's name.
  case pickerSetupRename = 90
}
