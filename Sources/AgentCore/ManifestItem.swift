// SPDX-License-Identifier: GPL-3.0-or-later

/// A display item and the app it belongs to.
public struct ManifestItem: Equatable, Sendable {
  public let app: String
  public let item: DisplayItem

  /// What names an item, and what grants are keyed on.
  struct Key: Hashable {
    let app: String
    let id: String
  }

  var key: Key { Key(app: app, id: item.id) }

  /// Whether sightings of one are sightings of the other: nothing that decides on them differs.
  func isUnchanged(from other: Self) -> Bool {
    key == other.key && item.descriptor == other.item.descriptor && item.alternate == other.item.alternate
      && item.gate == other.item.gate
  }
}
