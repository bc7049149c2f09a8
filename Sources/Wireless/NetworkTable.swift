// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The networks in reach, by address and name; at most ``capacity``.
///
/// A network whose name is hidden is not kept, because it matches nothing. When the table is full, the weakest network
/// gives way, or the new one if that is the weakest. Both are counted.
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

  private var networks: [WirelessNetwork.Key: WirelessNetwork]
  /// The last two scans that came to their end, the older one first.
  public private(set) var scans: [CompletedScan] = []
  public private(set) var counters = Counters()
  /// Grows with every change of what the table holds, and with every completed scan.
  public private(set) var revision: UInt64 = 0

  public init() {
    networks = Dictionary(minimumCapacity: Self.capacity)
  }

  public var count: Int { networks.count }

  // MARK: Reading

  /// Every network, strongest first.
  public var all: [WirelessNetwork] { networks.values.sorted { $0.precedes($1) } }

  /// One network for each name, the strongest with that name; strongest first.
  public var strongestByName: [WirelessNetwork] {
    var names: Set<NetworkName> = []
    return all.filter { names.insert($0.name).inserted }
  }

  /// The networks of that name, strongest first.
  public func networks(named name: NetworkName) -> [WirelessNetwork] {
    networks.values.filter { $0.name == name }.sorted { $0.precedes($1) }
  }

  /// The networks whose names begin with `prefix`, strongest first.
  public func networks(startingWith prefix: NetworkName) -> [WirelessNetwork] {
    networks.values.filter { $0.name.starts(with: prefix) }.sorted { $0.precedes($1) }
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
    if let known = networks[network.key] {
      guard network.lastSeen >= known.lastSeen, network != known else { return }
    } else if networks.count >= Self.capacity {
      guard let weakest = networks.values.max(by: { $0.precedes($1) }), network.precedes(weakest) else {
        counters.turnedAway &+= 1
        return
      }
      networks[weakest.key] = nil
      counters.evicted &+= 1
    }
    networks[network.key] = network
    revision &+= 1
  }

  /// Notes that a scan came to its end. The networks that it found are inserted before.
  public mutating func append(_ scan: CompletedScan) {
    if scans.count == CompletedScan.missedScansMin { scans.removeFirst() }
    scans.append(scan)
    revision &+= 1
  }

  /// Removes every network that is lost, and returns them, strongest first.
  public mutating func removeLost() -> [WirelessNetwork] {
    let lost = networks.values.filter(isLost).sorted { $0.precedes($1) }
    for network in lost { networks[network.key] = nil }
    if !lost.isEmpty { revision &+= 1 }
    return lost
  }

  /// Forgets all networks and scans, as for another interface. The counters stay.
  public mutating func removeAll() {
    networks.removeAll(keepingCapacity: true)
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
    self.startedAt = startedAt
    self.completedAt = completedAt
  }

  /// Scans of which a network must be missing before it is lost.
  public static let missedScansMin = 2
  /// Milliseconds in which a network must have been missing before it is lost.
  public static let missingMillisecondsMin: Int64 = 60_000

  /// Whether this scan would have seen what was last seen at `time`, if it were still there.
  func missed(networkSeenAt time: Instant) -> Bool { startedAt > time }
}
