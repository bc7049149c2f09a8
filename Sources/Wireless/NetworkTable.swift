// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The networks in reach, by address and name; at most ``capacity``.
///
/// A network whose name is hidden is not kept, because it matches nothing. When the table is full, the weakest of the
/// networks in which there is least ``Interest`` gives way, or the new one if that is the weakest. Both are counted.
public struct NetworkTable: Sendable {
  /// Networks that are kept, at most.
  public static let capacity = 1024

  /// What the table did not keep. Counters only grow.
  public struct Counters: Equatable, Sendable, BitwiseCopyable {
    /// Networks without a name, each time they were in a list.
    public var hidden: UInt64 = 0
    /// Networks that gave way to stronger ones.
    public var evicted: UInt64 = 0
    /// Networks for which the table had no place.
    public var turnedAway: UInt64 = 0

    public init() {}
  }

  /// What a network is to the gateway, from little to much.
  public enum Interest: Comparable, Sendable, BitwiseCopyable {
    /// It matches no item.
    case none
    /// Some item looks for it.
    case item
    /// It belongs to an accessory.
    case accessory
  }

  private struct Entry: Sendable {
    var network: WirelessNetwork
    var interest: Interest

    /// Whether this one stays rather than the other one when only one can.
    func outranks(_ other: Entry) -> Bool {
      interest == other.interest ? network.precedes(other.network) : interest > other.interest
    }
  }

  private var entries: [WirelessNetwork.Key: Entry]
  private var interest: @Sendable (NetworkName) -> Interest = { _ in .none }
  /// The last two scans that came to their end, the older one first.
  public private(set) var scans: [CompletedScan] = []
  public private(set) var counters = Counters()
  /// Grows with every change of what the table holds, and with every completed scan.
  public private(set) var revision: UInt64 = 0

  public init() {
    entries = Dictionary(minimumCapacity: Self.capacity)
  }

  public var count: Int { entries.count }

  private var networks: some Sequence<WirelessNetwork> { entries.values.lazy.map(\.network) }

  // MARK: Reading

  /// Every network, strongest first.
  public var all: [WirelessNetwork] { networks.sorted { $0.precedes($1) } }

  /// One network for each name, the strongest with that name; strongest first.
  public var strongestByName: [WirelessNetwork] {
    var names: Set<NetworkName> = []
    return all.filter { names.insert($0.name).inserted }
  }

  /// The networks of that name, strongest first.
  public func networks(named name: NetworkName) -> [WirelessNetwork] {
    networks.filter { $0.name == name }.sorted { $0.precedes($1) }
  }

  /// Whether a network is out of reach: at least two scans, which took place without it in at least 60 s, have
  /// completed since it was last seen. Without scans no network is ever lost.
  public func isLost(_ network: WirelessNetwork) -> Bool {
    guard scans.count == CompletedScan.missedScansMin, let newest = scans.last else { return false }
    return scans.allSatisfy { $0.missed(networkSeenAt: network.lastSeen) }
      && newest.completedAt.milliseconds(since: network.lastSeen) >= CompletedScan.missingMillisecondsMin
  }

  // MARK: Writing

  /// Adds a network, or replaces what is known of it. An older sight of a known network changes nothing.
  public mutating func insert(_ network: WirelessNetwork) {
    if network.name.isHidden {
      counters.hidden &+= 1
      return
    }
    if let known = entries[network.key]?.network {
      guard network.lastSeen >= known.lastSeen, network != known else { return }
      entries[network.key]?.network = network
    } else {
      let entry = Entry(network: network, interest: interest(network.name))
      guard makePlace(for: entry) else {
        counters.turnedAway &+= 1
        return
      }
      entries[network.key] = entry
    }
    revision &+= 1
  }

  private mutating func makePlace(for entry: Entry) -> Bool {
    guard entries.count >= Self.capacity else { return true }
    guard let weakest = entries.values.max(by: { $0.outranks($1) }), entry.outranks(weakest) else {
      return false
    }
    entries[weakest.network.key] = nil
    counters.evicted &+= 1
    return true
  }

  /// Continues with another judgement of names.
  public mutating func setInterest(_ interest: @escaping @Sendable (NetworkName) -> Interest) {
    self.interest = interest
    for key in entries.keys { entries[key]?.interest = interest(key.name) }
  }

  /// Notes that a scan came to its end. The networks that it found are inserted before.
  public mutating func append(_ scan: CompletedScan) {
    if scans.count == CompletedScan.missedScansMin { scans.removeFirst() }
    scans.append(scan)
    revision &+= 1
  }

  /// Removes every network that is lost, and returns them, strongest first.
  public mutating func removeLost() -> [WirelessNetwork] {
    let lost = networks.filter(isLost).sorted { $0.precedes($1) }
    for network in lost { entries[network.key] = nil }
    if !lost.isEmpty { revision &+= 1 }
    return lost
  }

  /// Forgets all networks and scans, as for another interface. The counters stay.
  public mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    scans = []
    revision &+= 1
  }
}

/// A scan that came to its end, of the agent or of another program.
public struct CompletedScan: Hashable, Sendable, BitwiseCopyable {
  /// When it began, or when it was first noticed.
  public let startedAt: Instant
  /// When its end was noticed.
  public let completedAt: Instant

  public init(startedAt: Instant, completedAt: Instant) {
    precondition(startedAt <= completedAt, "a scan ends after it began")
    (self.startedAt, self.completedAt) = (startedAt, completedAt)
  }

  /// Scans of which a network must be missing before it is lost.
  public static let missedScansMin = 2
  /// Milliseconds in which a network must have been missing before it is lost.
  public static let missingMillisecondsMin: Int64 = 60_000

  /// Whether this scan would have seen what was last seen at `time`, if it were still there.
  func missed(networkSeenAt time: Instant) -> Bool { startedAt > time }
}
