// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What a source delivered.
public struct NetworkReading: Equatable, Sendable {
  public let source: NetworkSource
  /// The networks; nil when the source lists none while a scan is under way.
  public let list: NetworkList?
  /// Whether a scan is under way. The list is then what is known so far.
  public let isScanUnderWay: Bool
  /// Whether the ends of scans are known from news: a scan of which they report no end has not completed.
  public let reportsScans: Bool
  /// Whether a scan has completed since the reading before, as far as the source knows.
  public let hasCompletedScan: Bool
  /// Whether a scan was aborted since the reading before, and none has completed.
  public let hasAbortedScan: Bool

  public init(
    _ source: NetworkSource, _ list: NetworkList?, isScanUnderWay: Bool = false, reportsScans: Bool? = nil,
    hasCompletedScan: Bool = false, hasAbortedScan: Bool = false
  ) {
    (self.source, self.list) = (source, list)
    self.isScanUnderWay = isScanUnderWay || list == nil
    self.reportsScans = reportsScans ?? (source == .nl80211)
    (self.hasCompletedScan, self.hasAbortedScan) = (hasCompletedScan, hasAbortedScan)
  }

  /// The same with what news, taken before it, say about scans; nil for no news.
  fileprivate func adding(_ news: ScanNews?) -> NetworkReading {
    guard let news else { return self }
    let hasCompleted = hasCompletedScan || news.hasCompleted
    return NetworkReading(
      source, list, isScanUnderWay: isScanUnderWay || news.isUnderWay, reportsScans: true,
      hasCompletedScan: hasCompleted, hasAbortedScan: !hasCompleted && (hasAbortedScan || news.hasAborted))
  }
}

/// Whether a scan was started.
public enum ScanStart: Equatable, Sendable {
  case started(NetworkSource)
  /// Another program scans, by this interface or another one of the same radio.
  case busy(NetworkSource)
}

/// One way to networks. Its calls return within milliseconds.
public protocol WirelessSource: AnyObject {
  func readNetworks(of interface: String) throws(WirelessError) -> NetworkReading
  func startScan(on interface: String) throws(WirelessError) -> ScanStart
  /// Returns what has happened to scans since the last news or reading; nil where the source does not know.
  func takeNews(of interface: String) -> ScanNews?
}

/// Networks by wireless extensions, and by nl80211 where the extensions are missing, cannot list all networks, or list
/// none because a scan is under way. Where nl80211 may be used, its news also say how scans end whose networks the
/// extensions list.
///
/// One thread uses it.
public struct WirelessScan {
  private let extensions: any WirelessSource
  private let netlink: any WirelessSource

  public init(_ extensions: any WirelessSource, otherwise netlink: any WirelessSource) {
    (self.extensions, self.netlink) = (extensions, netlink)
  }

  /// Reads what the kernel knows, which needs no rights. A network is known for 30 s after its last beacon.
  public func readNetworks(of interface: String) throws(WirelessError) -> NetworkReading {
    // Before the list: what a completed scan has heard is then in the list.
    let news = netlink.takeNews(of: interface)
    let reading = try useSource { source throws(WirelessError) in try source.readNetworks(of: interface) }
    let isEmpty = reading.list == nil && reading.source == .extensions
    return (isEmpty ? readDuringScan(interface) ?? reading : reading).adding(news)
  }

  /// What nl80211 knows during a scan; nil where it is refused, and for any other error.
  private func readDuringScan(_ interface: String) -> NetworkReading? {
    guard let known = try? netlink.readNetworks(of: interface), known.list != nil else { return nil }
    return NetworkReading(
      known.source, known.list, isScanUnderWay: true, hasCompletedScan: known.hasCompletedScan,
      hasAbortedScan: known.hasAbortedScan)
  }

  /// Starts a scan, and does not wait for its end.
  public func startScan(on interface: String) throws(WirelessError) -> ScanStart {
    try useSource { source throws(WirelessError) in try source.startScan(on: interface) }
  }

  /// Uses the extensions, or nl80211 for what they lack.
  private func useSource<Value>(
    _ work: (any WirelessSource) throws(WirelessError) -> Value
  ) throws(WirelessError) -> Value {
    do throws(WirelessError) { return try work(extensions) } catch {
      guard case .lacking(let lack) = error else { throw error }
      do throws(WirelessError) { return try work(netlink) } catch {
        throw error == .netlinkRefused ? .cannotTakeOver(lack) : error
      }
    }
  }
}

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
