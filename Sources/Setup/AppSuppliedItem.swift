// SPDX-License-Identifier: GPL-3.0-or-later

/// Ids of items that are in no manifest; with their colon no manifest can give them.
public enum AppSuppliedItem {
  /// The place of an item in a picker's call.
  public static func id(inCall number: UInt64) -> String { "call:\(number)" }

  /// The item that an accessory is recognised by, when its app had brought it.
  static func id(ofAccessory number: Int64) -> String { "accessory:\(number)" }

  /// What an operator let the app add.
  static func id(ofAlternate number: Int64) -> String { "alternate:\(number)" }
}
