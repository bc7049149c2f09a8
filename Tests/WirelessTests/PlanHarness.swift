// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import Wireless

/// A plan with a worker that a test plays; times in milliseconds.
final class PlanHarness {
  enum Action: Equatable { case read, start }

  enum Delivery {
    case list(
      ages: [Int64], others: [Int64] = [], isAssociated: Bool = false, accessPoint: UInt64? = nil,
      hasCompletedScan: Bool = false, hasAbortedScan: Bool = false,
      isScanUnderWay: Bool = false, reportsScans: Bool = false)
    case underWay
    case failure(WirelessError)
  }

  private var plan = NetworkScanPlan()
  var now: Int64 = 0
  private(set) var number: UInt64 = 0
  private(set) var completed: [CompletedScan] = []
  private(set) var lists = 0
  private var pending: NetworkScanPlan.Action?

  var deadline: Instant? { plan.deadline }
  var error: WirelessError? { plan.error }
  var readingError: WirelessError? { plan.readingError }
  var counters: NetworkScanPlan.Counters { plan.counters }
  private var time: Instant { Instant(microseconds: now * 1000) }

  @discardableResult
  func follow(_ demand: NetworkDemand, interface: String? = "wlan0") -> Bool {
    plan.follow(demand, on: interface, at: time)
  }

  /// Lets time pass until there is something to do.
  func next() -> Action? {
    var action = pending.take()
    while action == nil, let deadline = plan.deadline {
      now = max(now, deadline.microseconds / 1000)
      action = plan.advance(to: time)
    }
    switch action {
    case .read(let number, _):
      self.number = number
      return .read
    case .startScan(let number, _):
      self.number = number
      return .start
    case nil: return nil
    }
  }

  func deliver(_ delivery: Delivery, of number: UInt64? = nil) {
    let result: Result<NetworkReading, WirelessError> =
      switch delivery {
      case .underWay: .success(NetworkReading(.extensions, nil))
      case .failure(let error): .failure(error)
      case .list(
        let ages, let others, let isAssociated, let accessPoint, let hasCompletedScan, let hasAbortedScan,
        let isScanUnderWay, let reportsScans):
        .success(
          NetworkReading(
            .extensions, Self.list(ages, others, isAssociated, accessPoint),
            isScanUnderWay: isScanUnderWay, reportsScans: reportsScans, hasCompletedScan: hasCompletedScan,
            hasAbortedScan: hasAbortedScan))
      }
    let (list, scan, action) = plan.receive(result, of: number ?? self.number, at: time)
    if list != nil { lists += 1 }
    if let scan { completed.append(scan) }
    pending = action
  }

  func start(_ result: Result<ScanStart, WirelessError>) {
    plan.receive(result, of: number, at: time)
  }

  /// The first reading finds no network, and a scan is asked for, with this result.
  func startFirstScan(
    _ demand: NetworkDemand, _ result: ScanStart, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    follow(demand)
    #expect(next() == .read, sourceLocation: sourceLocation)
    deliver(.list(ages: []))
    #expect(next() == .start, sourceLocation: sourceLocation)
    start(.success(result))
  }

  /// `others` are the ages of networks of radios with other addresses.
  private static func list(
    _ ages: [Int64], _ others: [Int64], _ isAssociated: Bool, _ accessPoint: UInt64?
  ) -> NetworkList {
    var list = NetworkList()
    list.isAssociated = isAssociated || accessPoint != nil
    list.accessPoint = accessPoint.map(BSSID.init(bits:))
    for (index, age) in others.enumerated() {
      list.append(.named("O", bssid: UInt64(index + 1) << 8, signal: -50, lastSeen: -age))
    }
    for (bssid, age) in ages.enumerated() {
      list.append(.named("N", bssid: UInt64(bssid), signal: -50, lastSeen: -age))
    }
    return list
  }
}
