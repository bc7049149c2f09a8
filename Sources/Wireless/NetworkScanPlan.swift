// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// When networks are read and scans are started: a pure state machine, in which time is an input.
///
/// What the kernel knows is read first. A scan is started only while something needs one, no more often than
/// ``NetworkDemand/scanInterval(isAssociated:)`` allows, counted from any scan, also those of other programs. Every
/// wait has a deadline, and after an error the plan goes on: an interface that comes back is used again.
public struct NetworkScanPlan: Equatable, Sendable {
  /// What to do next. Each action has a number, which its result carries.
  public enum Action: Equatable, Sendable {
    case read(UInt64, interface: String)
    case startScan(UInt64, interface: String)
  }

  public enum State: Equatable, Sendable {
    /// No interface is named, or nothing needs networks.
    case off
    /// Nothing is under way until then.
    case waiting(until: Instant)
    /// The worker has until then to read.
    case reading(until: Instant)
    /// The worker has until then to start a scan.
    case starting(until: Instant)
  }

  /// A scan that is under way.
  public struct Scan: Equatable, Sendable {
    public let startedAt: Instant
    /// Whether the agent started it.
    public let isOwn: Bool
  }

  /// What happened so far. Counters only grow.
  public struct Counters: Equatable, Sendable {
    /// Readings by their source.
    public var readings: [NetworkSource: UInt64] = [:]
    /// Scans that the agent started, and those that another program was under way with, by the source that said so.
    public var started: [NetworkSource: UInt64] = [:]
    public var busy: [NetworkSource: UInt64] = [:]
    public var completed: UInt64 = 0
    public var aborted: UInt64 = 0
    /// Errors by ``WirelessError/word``.
    public var errors: [String: UInt64] = [:]
    public var namesRefused: UInt64 = 0
    public var malformed: UInt64 = 0

    public init() {}
  }

  private static let workerMilliseconds: Int64 = 60_000
  private static let pollMilliseconds: Int64 = 1000
  private static let scanMilliseconds: Int64 = 30_000
  /// Without news of scans, one that ends earlier and has heard nothing may have been cut short.
  private static let cutShortMilliseconds: Int64 = 3000
  private static let retryMilliseconds: Int64 = 5000
  /// From one reading to the next while no scan of the agent is under way: other programs' scans are news too.
  private static let readingMilliseconds: Int64 = 5000
  private static let knownMilliseconds: Int64 = 15_000

  public private(set) var state = State.off
  public private(set) var scan: Scan?
  public private(set) var counters = Counters()
  /// The source of the last reading.
  public private(set) var source: NetworkSource?
  /// Whether the interface was connected to a network at the last reading.
  public private(set) var isAssociated = false
  /// When the last scan began that is known of, whichever program started it.
  public private(set) var lastScan: Instant?
  private var interface: String?
  private var demand = NetworkDemand.none
  private var number: UInt64 = 0
  private var lastReading: Instant?
  /// The radio to which the interface was connected at the last reading.
  private var accessPoint: BSSID?
  /// Why the last reading failed; nil when it succeeded.
  public private(set) var readingError: WirelessError?
  /// Why the last start of a scan failed, for as long as scans are needed.
  private var startError: WirelessError?

  public init() {}

  /// What is wrong, with the reading before the start of a scan; nil for nothing.
  public var error: WirelessError? { readingError ?? startError }

  /// When ``advance(to:)`` is due.
  public var deadline: Instant? {
    switch state {
    case .off: nil
    case .waiting(let until), .reading(let until), .starting(let until): until
    }
  }

  private var needsScans: Bool { demand.scanInterval(isAssociated: isAssociated) != nil }

  // MARK: - Inputs

  /// Follows the manifest's interface, and what needs networks. Returns whether the interface is another one: the
  /// networks of the former one are to be forgotten.
  public mutating func follow(_ demand: NetworkDemand, on interface: String?, at now: Instant) -> Bool {
    let isOther = interface != self.interface
    if isOther {
      var fresh = NetworkScanPlan()
      // A result that is under way has another number then.
      (fresh.counters, fresh.number, fresh.interface) = (counters, number &+ 1, interface)
      self = fresh
    }
    guard demand != self.demand else { return isOther }
    let isMore = demand > self.demand
    self.demand = demand
    if !needsScans { startError = nil }
    if demand == .none || interface == nil {
      number &+= 1
      scan = nil
      readingError = nil
      state = .off
    } else if case .off = state {
      state = .waiting(until: now)
    } else if isMore, case .waiting = state, scan == nil {
      state = .waiting(until: now)
    }
    return isOther
  }

  /// Lets time pass. Returns what is to be done.
  public mutating func advance(to now: Instant) -> Action? {
    guard let deadline, deadline <= now, let interface else { return nil }
    switch state {
    case .off: return nil
    case .waiting:
      number &+= 1
      state = .reading(until: now.advanced(milliseconds: Self.workerMilliseconds))
      return .read(number, interface: interface)
    case .reading, .starting:
      number &+= 1
      fail(.noReply, at: now)
      return nil
    }
  }

  /// Receives the result of a reading. Returns the list, by the clock of `now`, a scan that has completed, and what is
  /// to be done: a scan, if one is due.
  public mutating func receive(
    _ result: Result<NetworkReading, WirelessError>, of number: UInt64, at now: Instant
  ) -> (list: NetworkList?, scan: CompletedScan?, action: Action?) {
    guard number == self.number, case .reading(let until) = state else { return (nil, nil, nil) }
    switch result {
    case .failure(let error):
      fail(error, at: now)
      return (nil, nil, nil)
    case .success(let reading):
      readingError = nil
      // What is known during a scan may come from another source than the lists between scans.
      if !reading.isScanUnderWay { source = reading.source }
      counters.readings[reading.source, default: 0] &+= 1
      guard let list = reading.list?.shifted(to: now) else {
        waitForScan(hasList: false, at: now)
        return (nil, nil, nil)
      }
      isAssociated = list.isAssociated
      counters.namesRefused &+= list.namesRefused
      counters.malformed &+= list.malformed
      if reading.isScanUnderWay {
        let hasEnded = reading.hasCompletedScan || reading.hasAbortedScan
        let completed = hasEnded ? completeScan(reading, heard: nil, at: now) : nil
        waitForScan(hasList: true, at: now)
        return (list, completed, nil)
      }
      defer { (lastReading, accessPoint) = (now, list.accessPoint) }
      // The kernel may have been read at any time since the worker was asked.
      let delay = now.milliseconds(since: until) + Self.workerMilliseconds
      let heard = reading.reportsScans ? nil : scanHeard(list, delay: delay)
      let completed = completeScan(reading, heard: heard, at: now)
      // The first list shows when another program scanned last: an interface that is not connected hears beacons only
      // then.
      if lastReading == nil, lastScan == nil, !isAssociated { lastScan = list.lastHeardByScan }
      return (list, completed, actionAfterReading(at: now))
    }
  }

  /// Starts a scan if one is due, and waits otherwise.
  private mutating func actionAfterReading(at now: Instant) -> Action? {
    guard let interface else { return nil }
    guard let interval = demand.scanInterval(isAssociated: isAssociated) else {
      state = .waiting(until: now.advanced(milliseconds: Self.knownMilliseconds))
      return nil
    }
    let due = lastScan?.advanced(milliseconds: interval) ?? now
    guard due <= now else {
      state = .waiting(until: min(due, now.advanced(milliseconds: Self.readingMilliseconds)))
      return nil
    }
    number &+= 1
    state = .starting(until: now.advanced(milliseconds: Self.workerMilliseconds))
    return .startScan(number, interface: interface)
  }

  /// Receives the result of starting a scan.
  public mutating func receive(
    _ result: Result<ScanStart, WirelessError>, of number: UInt64, at now: Instant
  ) {
    guard number == self.number, case .starting = state else { return }
    // Also after an error: the next attempt is after the same time.
    lastScan = now
    switch result {
    case .failure(let error):
      startError = needsScans ? error.ofStart : nil
      counters.errors[error.word, default: 0] &+= 1
      state = .waiting(until: now.advanced(milliseconds: Self.readingMilliseconds))
    case .success(let start):
      startError = nil
      switch start {
      case .started(let source):
        counters.started[source, default: 0] &+= 1
        scan = Scan(startedAt: now, isOwn: true)
      case .busy(let source):
        counters.busy[source, default: 0] &+= 1
        // nl80211's news say whether it is a scan of this interface; the extensions list nothing until it has ended.
        scan = source == .extensions ? Scan(startedAt: now, isOwn: false) : nil
      }
      state = .waiting(until: now.advanced(milliseconds: Self.pollMilliseconds))
    }
  }

  // MARK: - Scans

  /// A scan is under way: looks again in a second, for as long as a scan may take.
  /// Without a list there is an error afterwards; with one, programs scan without a pause.
  private mutating func waitForScan(hasList: Bool, at now: Instant) {
    let scan = scan ?? Scan(startedAt: now, isOwn: false)
    self.scan = scan
    lastScan = max(lastScan ?? scan.startedAt, scan.startedAt)
    if now.milliseconds(since: scan.startedAt) >= Self.scanMilliseconds {
      guard hasList else { return fail(.endless, at: now) }
      self.scan = Scan(startedAt: now, isOwn: false)
    }
    state = .waiting(until: now.advanced(milliseconds: Self.pollMilliseconds))
  }

  /// When a scan heard a network: one of the agent since its start, and another program's since the last reading, which
  /// could not have it. Wireless extensions report no scans.
  private func scanHeard(_ list: NetworkList, delay: Int64) -> Instant? {
    let ownStart = scan.flatMap { $0.isOwn ? $0.startedAt : nil }
    guard let before = ownStart ?? lastReading, let heard = list.lastHeardByScan,
      // What the former radio sent came without a scan.
      list.accessPoint == accessPoint,
      heard.advanced(milliseconds: -delay) > before
    else { return nil }
    return heard
  }

  /// A scan has ended, or one was never seen under way. `heard` is when it heard a network, where there are no news.
  private mutating func completeScan(
    _ reading: NetworkReading, heard: Instant?, at now: Instant
  ) -> CompletedScan? {
    let ended = scan.take()
    if reading.hasAbortedScan {
      counters.aborted &+= 1
      return nil
    }
    if !reading.hasCompletedScan {
      guard !reading.reportsScans else { return nil }
      let isCutShort =
        ended.map { now.milliseconds(since: $0.startedAt) < Self.cutShortMilliseconds } ?? false
      guard heard != nil || !isCutShort else { return nil }
    }
    // Only the times of the readings before and after such a scan are known.
    let heard = ended == nil ? heard : nil
    let isNews = reading.hasCompletedScan || heard != nil
    guard let begin = ended?.startedAt ?? (isNews ? lastReading ?? now : nil) else { return nil }
    counters.completed &+= 1
    lastScan = max(lastScan ?? begin, begin, heard ?? begin)
    return CompletedScan(startedAt: begin, completedAt: now)
  }

  private mutating func fail(_ error: WirelessError, at now: Instant) {
    readingError = error
    scan = nil
    counters.errors[error.word, default: 0] &+= 1
    state = .waiting(until: now.advanced(milliseconds: Self.retryMilliseconds))
  }
}

/// What networks are needed for, from little to much.
public enum NetworkDemand: Int, Hashable, Comparable, Sendable, CaseIterable, BitwiseCopyable {
  /// Nothing looks for a network: nothing is read, and no scan is started.
  case none
  /// Only what the kernel knows is read, which other programs' scans have found. No scan is started.
  case known
  /// An item that is set up without an operator: a scan at most every 60 s.
  case automatic
  /// An open request: a scan at most every 15 s.
  case picker

  public static func < (left: NetworkDemand, right: NetworkDemand) -> Bool { left.rawValue < right.rawValue }

  /// Milliseconds from the start of a scan to the start of the next one, or nil when no scan is started.
  ///
  /// While the interface is associated, a scan takes the radio from its connection for longer: then it is at most every
  /// 60 s.
  public func scanInterval(isAssociated: Bool) -> Int64? {
    switch self {
    case .none, .known: nil
    case .automatic: 60_000
    case .picker: isAssociated ? 60_000 : 15_000
    }
  }
}
