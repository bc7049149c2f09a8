// SPDX-License-Identifier: GPL-3.0-or-later

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

/// Why a call or a setup failed, with what an app's author needs to correct it.
public struct SetupError: Error, Equatable, Sendable {
  public let code: SetupErrorCode
  /// The parameter, for an invalid request: `items[1].descriptor.bluetoothServiceUUID`.
  public let field: String?
  /// What is wrong, as the second half of a sentence.
  public let reason: String
  /// What to do about it.
  public let cure: String

  public init(_ code: SetupErrorCode, field: String? = nil, _ reason: String, cure: String) {
    precondition(code != .success, "a failure is no success")
    self.code = code
    self.field = field
    self.reason = reason
    self.cure = cure
  }
}
