// SPDX-License-Identifier: Apache-2.0

// AccessorySetupKit's numbers.

/// The kinds of errors: `ASError.Code` with its raw values.
public enum SetupErrorCode: Int, CaseIterable, Sendable {
  /// Never sent.
  case success = 0
  /// The agent itself failed.
  case unknown = 1
  /// The peer may not act as this app.
  case activationFailed = 100
  /// The radio is down, or the link was lost.
  case connectionFailed = 150
  /// Nothing was found in time.
  case discoveryTimeout = 200
  /// The manifest has no items for the app.
  case extensionNotFound = 300
  /// The session has ended.
  case invalidated = 400
  /// A parameter is not acceptable.
  case invalidRequest = 450
  /// The app has a picker open already.
  case pickerAlreadyActive = 500
  /// The app asks too often.
  case pickerRestricted = 550
  /// An operator or a timeout ended it.
  case userCancelled = 700
  /// An operator denied it.
  case userRestricted = 750

  /// The name of the case.
  public var name: String { "\(self)" }
}

/// The type of a session's event: `ASAccessoryEventType` with its raw values.
public enum AccessoryEventType: Int, CaseIterable, Sendable {
  /// Never sent.
  case unknown = 0
  /// The session is active; the app's accessories are valid from here on.
  case activated = 10
  /// The session has ended and cannot be used any more.
  case invalidated = 11
  case migrationComplete = 20
  case accessoryAdded = 30
  case accessoryRemoved = 31
  case accessoryChanged = 32
  /// A filtered picker found a device.
  case accessoryDiscovered = 33
  case pickerDidPresent = 40
  case pickerDidDismiss = 50
  case pickerSetupBridging = 60
  case pickerSetupFailed = 70
  case pickerSetupPairing = 80
  case pickerSetupRename = 90

  /// The name of the case, which is sent over the socket.
  public var name: String { "\(self)" }
}
