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

/// Which items of a manifest live on in the next one.
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
  /// Where each item stands.
  var places: [ManifestItem.Key: Int] {
    Dictionary(enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
