// SPDX-License-Identifier: GPL-3.0-or-later

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
