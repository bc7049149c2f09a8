// SPDX-License-Identifier: GPL-3.0-or-later

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

/// What the events that are still in the ring call their items after a reload.
struct ItemNaming {
  /// For each old index, retired ones included, the new one; -1 for what no event names.
  let names: [Int32]
  /// The items behind the manifest's.
  let retired: [ManifestItem]

  /// `isUsed` says of each old index whether an event names it. An item that changed keeps its name, and one that comes
  /// back gets it again.
  init(old: [ManifestItem], new: [ManifestItem], isUsed: [Bool]) {
    let places = new.places
    var names: [Int32] = []
    var retired: [ManifestItem] = []
    for (item, isUsed) in zip(old, isUsed) {
      if let place = places[item.key] {
        names.append(Int32(place))
      } else if isUsed {
        names.append(Int32(new.count + retired.count))
        retired.append(item)
      } else {
        names.append(-1)
      }
    }
    self.names = names
    self.retired = retired
  }
}

extension [ManifestItem] {
  fileprivate var places: [ManifestItem.Key: Int] {
    Dictionary(enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
