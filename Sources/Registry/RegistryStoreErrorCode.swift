// SPDX-License-Identifier: GPL-3.0-or-later

/// What SQLite or the system answered when it failed.
public struct RegistryStoreErrorCode: Equatable, Sendable {
  /// SQLite's extended result code, or the system's error number.
  public let code: Int32
  /// Its own words for the code, without a full stop: `disk I/O error`.
  public let reason: String

  public init(code: Int32, reason: String) {
    self.code = code
    self.reason = reason
  }
}
