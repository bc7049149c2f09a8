// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// A report on its way to the host.
struct TimedReport: Sendable {
  var time: Instant
  var format: ReportFormat
  var report: AirReport
}

extension ScanSettings {
  /// The form in which this controller reports a legacy PDU; `parent` is the PDU a scan response belongs to.
  func heard(
    _ report: AirReport, of parent: AdvertisingPDU? = nil, at time: Instant
  ) -> TimedReport {
    let isUnresolved = report.header.directAddress?.lifetime == .resolvablePrivate
    guard isExtended else {
      return TimedReport(time: time, format: isUnresolved ? .directed : .legacy, report: report)
    }
    var extended = report.asExtended
    if parent == .connectable { extended.header.properties.insert(.connectable) }
    if isUnresolved { extended.header.properties.insert(.unresolvedTarget) }
    return TimedReport(time: time, format: .extended, report: extended)
  }
}

extension [TimedReport] {
  /// Marks the last fragment received as the end of a truncated report.
  mutating func markTruncated() {
    guard !isEmpty else { return }
    self[count - 1].report.header.dataStatus = .truncated
  }
}
