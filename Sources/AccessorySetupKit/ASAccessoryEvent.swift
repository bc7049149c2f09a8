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

  open var eventType: ASAccessoryEventType { ownType }
  /// The accessory after the event; for `accessoryRemoved`, before it.
  open var accessory: ASAccessory? { ownAccessory }
  open var error: (any Error)? { ownError }

  open override var description: String {
    "\(ownType)" + (ownAccessory.map { ": \($0)" } ?? "")
      + (ownError.map { ": \($0.localizedDescription)" } ?? "")
  }
}

@nonexhaustive public enum ASAccessoryEventType: Int, Sendable, BitwiseCopyable {
  case unknown = 0
  /// The session is active; its accessories are known from here on.
  case activated = 10
  case invalidated = 11
  case migrationComplete = 20
  case accessoryAdded = 30
  case accessoryRemoved = 31
  case accessoryChanged = 32
  case accessoryDiscovered = 33
  case pickerDidPresent = 40
  case pickerDidDismiss = 50
  case pickerSetupBridging = 60
  case pickerSetupFailed = 70
  case pickerSetupPairing = 80
  case pickerSetupRename = 90
}
