// SPDX-License-Identifier: GPL-3.0-or-later

/// How a new manifest changed the items of the old one. A changed item counts as removed and added.
public struct ReloadSummary: Equatable, Sendable {
  /// Unchanged items, which keep their sightings.
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

/// Which items of a manifest are unchanged in the next one.
struct ItemSuccession {
  /// For each old item the index of the unchanged one, or -1.
  let successors: [Int32]
  let summary: ReloadSummary

  init(from old: [ManifestItem], to new: [ManifestItem]) {
    let places = new.places
    successors = old.map { item in
      guard let place = places[item.key], new[place].isUnchanged(from: item) else { return -1 }
      return Int32(place)
    }
    let kept = successors.count { $0 >= 0 }
    summary = ReloadSummary(itemsKept: kept, itemsAdded: new.count - kept, itemsRemoved: old.count - kept)
  }
}

extension [ManifestItem] {
  /// The index of each item.
  var places: [ManifestItem.Key: Int] {
    Dictionary(enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
