// SPDX-License-Identifier: GPL-3.0-or-later

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
