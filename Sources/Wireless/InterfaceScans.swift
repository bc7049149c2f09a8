// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What has happened to the scans of an interface since the news before.
public struct ScanNews: Equatable, Sendable {
  public var isUnderWay = false
  public var hasCompleted = false
  public var hasAborted = false

  public init() {}
}

/// The scans of one interface, as nl80211 reports them. Time is an input.
///
/// A scan whose end is not reported counts as under way for ``endMillisecondsMax``.
public struct InterfaceScans: Equatable, Sendable {
  /// Milliseconds that a scan takes at most.
  public static let endMillisecondsMax: Int64 = 30_000

  /// The number of the interface; 0 for none.
  public let interface: UInt32
  private var startedAt: Instant?
  private var news = ScanNews()

  public init(of interface: UInt32) { self.interface = interface }

  public mutating func receive(_ event: ScanMessage.Event, at now: Instant) {
    switch event {
    case .started: startedAt = now
    case .completed: (startedAt, news.hasCompleted) = (nil, true)
    case .aborted: (startedAt, news.hasAborted) = (nil, true)
    }
  }

  /// Netlink dropped messages; a scan's end may be among them.
  public mutating func noteLoss() { startedAt = nil }

  public func isUnderWay(at now: Instant) -> Bool {
    startedAt.map { now.milliseconds(since: $0) < Self.endMillisecondsMax } ?? false
  }

  /// Returns and clears what happened since the last call.
  public mutating func takeNews(at now: Instant) -> ScanNews {
    var taken = ScanNews()
    swap(&taken, &news)
    taken.isUnderWay = isUnderWay(at: now)
    return taken
  }
}
