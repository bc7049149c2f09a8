// SPDX-License-Identifier: GPL-3.0-or-later

@_exported public import Values

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
