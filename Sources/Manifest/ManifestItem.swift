// SPDX-License-Identifier: GPL-3.0-or-later

/// A display item and the app it belongs to.
public struct ManifestItem: Equatable, Sendable {
  public let app: String
  public let item: DisplayItem

  public init(app: String, item: DisplayItem) {
    self.app = app
    self.item = item
  }

  /// What names an item, and what grants are keyed on.
  struct Key: Hashable {
    let app: String
    let id: String
  }

  /// `lights/bulb`
  public var path: String { "\(app)/\(item.id)" }

  var key: Key { Key(app: app, id: item.id) }

  /// Whether sightings of one are sightings of the other: nothing that decides on them differs.
  func isUnchanged(from other: Self) -> Bool {
    key == other.key && item.descriptor == other.item.descriptor && item.alternate == other.item.alternate
      && item.gate == other.item.gate
  }
}

/// What a name that a person gave for an item stands for.
public enum ItemNameError: Error, Equatable, Sendable {
  /// No item has it; these are there, by their paths.
  case unknown(known: [String])
  /// Items of several apps have it; these could be meant, by their paths.
  case ambiguous(candidates: [String])
}

extension [ManifestItem] {
  /// The index of the item of that id, or of that path where several apps have one of the id.
  public func index(named name: String) throws(ItemNameError) -> Int {
    let named = indices.filter { self[$0].item.id == name || self[$0].path == name }
    guard let index = named.first else { throw .unknown(known: map(\.path)) }
    guard named.count == 1 else { throw .ambiguous(candidates: named.map { self[$0].path }) }
    return index
  }
}
