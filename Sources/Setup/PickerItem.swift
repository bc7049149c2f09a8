// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// What one item of a picker looks for: a display item of the manifest, or one that the app brought in its call.
public struct PickerItem: Equatable, Sendable {
  /// An item that was brought has an id that no manifest can give; ``isAppSupplied`` tells it.
  public var item: DisplayItem
  public var isAppSupplied: Bool

  public init(_ item: DisplayItem, isAppSupplied: Bool = false) {
    self.item = item
    self.isAppSupplied = isAppSupplied
  }
}
