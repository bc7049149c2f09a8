// SPDX-License-Identifier: GPL-3.0-or-later

/// What a new name changes besides the name: `ASAccessory.RenameOptions` with its raw values.
public struct RenameOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The stored SSID follows the name.
  public static let ssid = RenameOptions(rawValue: 1 << 0)
}
