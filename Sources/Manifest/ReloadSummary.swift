// SPDX-License-Identifier: GPL-3.0-or-later

/// What a new manifest did to the items of the one before. An item that changed went and came.
public struct ReloadSummary: Equatable, Sendable {
  /// Items that lived on with their sightings.
  public var itemsKept: Int
  public var itemsAdded: Int
  public var itemsRemoved: Int

  public init(itemsKept: Int, itemsAdded: Int, itemsRemoved: Int) {
    self.itemsKept = itemsKept
    self.itemsAdded = itemsAdded
    self.itemsRemoved = itemsRemoved
  }

  public init(from old: [ManifestItem], to new: [ManifestItem]) {
    self = ItemSuccession(from: old, to: new).summary
  }
}
