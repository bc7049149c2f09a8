// SPDX-License-Identifier: GPL-3.0-or-later

/// What happens while an accessory is set up: `ASPickerDisplayItem.SetupOptions` with its raw values.
public struct SetupOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The person may name the accessory.
  public static let rename = SetupOptions(rawValue: 1 << 0)
  /// The app confirms before the accessory is authorized.
  public static let confirmAuthorization = SetupOptions(rawValue: 1 << 1)
  /// The picker says that setup goes on in the app.
  public static let finishInApp = SetupOptions(rawValue: 1 << 2)
}
