// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Wireless

/// The networks that items have found, by their names.
///
/// A network is found when its name matches and it was seen lately, and lost when it has left the ``NetworkTable`` or
/// enough scans have missed it. Capacity: that of the table; each network matches up to ``NetworkItems/matchesMax``
/// items, and a counter has the rest.
struct NetworkSightings {
  /// How long ago a network may have been seen to be found. What the kernel kept longer may be gone.
  static let freshMilliseconds: Int64 = 60_000
  /// How long a network that was found is offered to pickers without being seen again: two scans of an interface that is
  /// associated, which are a minute apart, and one more.
  static let offeredMilliseconds: Int64 = 180_000

  /// A network that items have found.
  struct FoundNetwork {
    /// The strongest radio, with the time at which any of them was seen last.
    var network: WirelessNetwork
    /// Indices of the items.
    var items: [Int]
  }

  struct Counters: Equatable {
    var found: UInt64 = 0
    var lost: UInt64 = 0
    /// Items that matched a network beyond ``NetworkItems/matchesMax``.
    var matchesOmitted: UInt64 = 0
  }

  private var items: [ManifestItem]
  private(set) var matcher: NetworkItems
  private var found: [NetworkName: FoundNetwork] = [:]
  /// The names in `found`, the strongest network first.
  private(set) var names: [NetworkName] = []
  private var revision: UInt64?
  private(set) var counters = Counters()

  init(_ items: [ManifestItem]) {
    self.items = items
    matcher = NetworkItems(items)
  }

  /// Whether some item is found by its network.
  private var hasItems: Bool { !matcher.isEmpty }

  subscript(_ name: NetworkName) -> FoundNetwork? { found[name] }

  /// Whether an item has found the network.
  func isFound(_ name: NetworkName, by index: Int) -> Bool { found[name]?.items.contains(index) ?? false }

  /// How many networks each item has found, by the item's index.
  var foundCounts: [Int: Int] {
    found.values.reduce(into: [:]) { counts, network in
      for index in network.items { counts[index, default: 0] += 1 }
    }
  }

  // MARK: - What changes

  /// Whether the table has changed since it was followed.
  func isBehind(_ table: NetworkTable) -> Bool { revision != table.revision }

  /// Follows the table. Returns the events, those of networks that were lost first.
  mutating func follow(_ table: NetworkTable, at now: Instant) -> [NetworkEventLine] {
    revision = table.revision
    return compare(with: table, at: now)
  }

  /// Continues with other items. An item that looks for the same keeps what it has found.
  mutating func setItems(
    _ new: [ManifestItem], _ table: NetworkTable, at now: Instant
  ) -> [NetworkEventLine] {
    let old = items
    let wasEmpty = matcher.isEmpty
    items = new
    matcher = NetworkItems(new)
    guard !wasEmpty || !matcher.isEmpty else { return [] }
    var events: [NetworkEventLine] = []
    for name in names {
      guard let entry = found[name] else { continue }
      let next = matches(of: name)
      let before = entry.items.map { old[$0] }
      let after = next.map { new[$0] }
      for item in before where !after.contains(where: { $0.looksForTheSame(as: item) }) {
        events.append(event(.lost, entry.network, item, .reload, at: now))
      }
      for item in after where !before.contains(where: { $0.looksForTheSame(as: item) }) {
        events.append(event(.found, entry.network, item, .matched, at: now))
      }
      found[name] = next.isEmpty ? nil : FoundNetwork(network: entry.network, items: next)
    }
    names.removeAll { found[$0] == nil }
    return events + compare(with: table, at: now)
  }

  private mutating func compare(with table: NetworkTable, at now: Instant) -> [NetworkEventLine] {
    guard hasItems || !found.isEmpty else { return [] }
    let (present, order) = Self.present(in: table)
    var events: [NetworkEventLine] = []
    for name in names where present[name] == nil {
      guard let entry = found.removeValue(forKey: name) else { continue }
      let reason = Self.reasonOfLoss(of: entry.network, table, at: now)
      events += entry.items.map { event(.lost, entry.network, items[$0], reason, at: now) }
    }
    for name in order {
      guard let network = present[name] else { continue }
      if found[name] != nil {
        found[name]?.network = network
      } else if now.milliseconds(since: network.lastSeen) <= Self.freshMilliseconds {
        let matching = matches(of: name)
        guard !matching.isEmpty else { continue }
        found[name] = FoundNetwork(network: network, items: matching)
        events += matching.map { event(.found, network, items[$0], .matched, at: now) }
      }
    }
    names = order.filter { found[$0] != nil }
    return events
  }

  private mutating func matches(of name: NetworkName) -> [Int] {
    let (indices, omitted) = matcher.matches(of: name.bytes)
    counters.matchesOmitted &+= UInt64(omitted)
    return indices
  }

  /// The networks of a table that are not lost, by their names, and the names, the strongest first.
  private static func present(
    in table: NetworkTable
  ) -> (networks: [NetworkName: WirelessNetwork], order: [NetworkName]) {
    var networks: [NetworkName: WirelessNetwork] = [:]
    var order: [NetworkName] = []
    for network in table.all where !table.isLost(network) {
      if let stronger = networks[network.name] {
        networks[network.name]?.lastSeen = max(stronger.lastSeen, network.lastSeen)
      } else {
        networks[network.name] = network
        order.append(network.name)
      }
    }
    return (networks, order)
  }

  private static func reasonOfLoss(
    of network: WirelessNetwork, _ table: NetworkTable, at now: Instant
  ) -> NetworkEventLine.Reason {
    if table.scans.isEmpty { return .radioDown }
    return now.milliseconds(since: network.lastSeen) >= CompletedScan.missingMillisecondsMin
      ? .silence : .evicted
  }

  private mutating func event(
    _ event: NetworkEventLine.Event, _ network: WirelessNetwork, _ item: ManifestItem,
    _ reason: NetworkEventLine.Reason, at now: Instant
  ) -> NetworkEventLine {
    switch event {
    case .found: counters.found &+= 1
    case .lost: counters.lost &+= 1
    }
    return NetworkEventLine(
      time: Seconds(microseconds: now.microseconds), event: event, app: item.app, item: item.item.id,
      ssid: AirText(network.name.bytes), signal: network.signal,
      security: network.security,
      lastSeen: Seconds(microseconds: network.lastSeen.microseconds), reason: reason)
  }
}

extension ManifestItem {
  /// Whether both are the same item, found by the same network.
  fileprivate func looksForTheSame(as other: ManifestItem) -> Bool {
    path == other.path && item.descriptor == other.item.descriptor
  }
}
