// SPDX-License-Identifier: GPL-3.0-or-later

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
