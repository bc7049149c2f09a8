// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// How the host's settings decide what is received and reported.
extension LinkLayer {
  /// How the controller scans the scene from `start` on.
  func settings(from start: Instant, batchPerMille: Int) -> ScanSettings {
    var settings = ScanSettings.off
    settings.holdsEvents = true
    settings.batchPerMille = batchPerMille
    guard enabled != nil else { return settings }
    let le1M = scan.le1M.map { PHYScan($0, from: start) } ?? .off
    settings.isExtended = commandSet == .extended
    settings.isActive = le1M.isActive
    settings.schedule = le1M.schedule
    settings.coded = scan.coded.map { PHYScan($0, from: codedStart(start, $0)) } ?? .off
    return settings
  }

  /// Two windows that fit into one interval together lie side by side in it.
  private func codedStart(_ start: Instant, _ coded: ScanParameters) -> Instant {
    guard let le1M = scan.le1M, le1M.interval == coded.interval, le1M.window <= coded.interval - coded.window
    else { return start }
    return Instant(microseconds: start.microseconds + Int64(le1M.window) * 625)
  }

  /// `address` is the controller's public one.
  func filter(address: UInt64) -> ReportFilter {
    var filter = ReportFilter()
    let own = [DeviceAddress(bits: address, type: .public)] + (randomAddress.map { [$0] } ?? [])
    let usesList = scan.filter == .acceptList || scan.filter == .acceptListAndUnresolved
    let unresolved = scan.filter == .allAndUnresolved || scan.filter == .acceptListAndUnresolved
    filter.directed = .meant(for: own, unresolved: unresolved)
    filter.acceptList = usesList ? acceptList : nil
    filter.formats = formats
    filter.duplicates = enabled?.duplicates ?? .off == .off ? nil : DuplicateCache()
    return filter
  }

  private var formats: Set<ReportFormat> {
    guard eventMask.contains(.leMeta) else { return [] }
    let bits: [(ReportFormat, LEEventMask)] = [
      (.legacy, .advertisingReport), (.directed, .directedAdvertisingReport),
      (.extended, .extendedAdvertisingReport),
    ]
    return Set(bits.filter { leEventMask.contains($0.1) }.map(\.0))
  }
}

extension PHYScan {
  /// Interval and window are in units of 625 µs.
  fileprivate init(_ parameters: ScanParameters, from start: Instant) {
    self.init(
      isActive: parameters.kind == .active,
      schedule: ScanSchedule(
        intervalMicroseconds: Int64(parameters.interval) * 625,
        windowMicroseconds: Int64(parameters.window) * 625, startMicroseconds: start.microseconds))
  }
}
