// SPDX-License-Identifier: GPL-3.0-or-later

/// A display item and the app it belongs to.
public struct ManifestItem: Equatable, Sendable {
  public let app: String
  public let item: DisplayItem

  public init(app: String, item: DisplayItem) { (self.app, self.item) = (app, item) }

  /// The identity of an item, to which grants refer.
  struct Key: Hashable {
    let app: String
    let id: String
  }

  /// `lights/bulb`
  public var path: String { "\(app)/\(item.id)" }

  var key: Key { Key(app: app, id: item.id) }

  /// Whether both items have the same sightings: everything that decides about them is equal.
  func isUnchanged(from other: Self) -> Bool {
    key == other.key && item.descriptor == other.item.descriptor && item.alternate == other.item.alternate
      && item.gate == other.item.gate
  }
}

/// Why a name does not denote one item.
public enum ItemNameError: Error, Equatable, Sendable {
  /// No item has the name; `known` are the paths of all items.
  case unknown(known: [String])
  /// Items of several apps have the name; `candidates` are their paths.
  case ambiguous(candidates: [String])
}

extension [ManifestItem] {
  /// Returns the index of the item with the id or path `name`.
  public func index(named name: String) throws(ItemNameError) -> Int {
    let named = indices.filter { self[$0].item.id == name || self[$0].path == name }
    guard let index = named.first else { throw .unknown(known: map(\.path)) }
    guard named.count == 1 else { throw .ambiguous(candidates: named.map { self[$0].path }) }
    return index
  }
}

/// Finds the items that a network's name matches: those without a Bluetooth clause whose `ssid` is the name, or whose
/// `ssid-prefix` it begins with.
///
/// Names are compared as bytes. A lookup costs one hash for the whole name and one for each length of a prefix,
/// however many items there are.
public struct NetworkItems: Sendable {
  /// How many items one network matches, at most, in the order of the manifest; as for a device.
  public static let matchesMax = 8

  private var byName: [[UInt8]: [Int]] = [:]
  private var byPrefix: [[UInt8]: [Int]] = [:]
  private var prefixLengths: Set<Int> = []

  public init(_ items: [ManifestItem]) {
    for (index, entry) in items.enumerated() where entry.item.descriptor.isFoundByNetwork {
      if let name = entry.item.descriptor.ssid {
        byName[name, default: []].append(index)
      } else if let prefix = entry.item.descriptor.ssidPrefix {
        byPrefix[prefix, default: []].append(index)
        prefixLengths.insert(prefix.count)
      }
    }
  }

  public var isEmpty: Bool { byName.isEmpty && byPrefix.isEmpty }

  /// Returns the indices of the items that the name matches, in ascending order, and how many more there were.
  public func matches(of name: [UInt8]) -> (indices: [Int], omitted: Int) {
    var indices = byName[name] ?? []
    for length in prefixLengths where length <= name.count {
      indices += byPrefix[Array(name.prefix(length))] ?? []
    }
    indices.sort()
    let kept = Array(indices.prefix(Self.matchesMax))
    return (kept, indices.count - kept.count)
  }
}
