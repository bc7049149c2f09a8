// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// A report on its way to the host.
struct HeardReport: Sendable {
  var time: Instant
  var format: ReportFormat
  var report: AirReport
}

extension ScanSettings {
  /// The form in which this controller reports a legacy PDU; `parent` is the PDU a scan response belongs to.
  func heard(
    _ report: AirReport, of parent: AdvertisingPDU? = nil, at time: Instant
  ) -> HeardReport {
    let isUnresolved = report.header.directAddress?.lifetime == .resolvablePrivate
    guard isExtended else {
      return HeardReport(time: time, format: isUnresolved ? .directed : .legacy, report: report)
    }
    var extended = report.asExtended
    if parent == .connectable { extended.header.properties.insert(.connectable) }
    if isUnresolved { extended.header.properties.insert(.unresolvedTarget) }
    return HeardReport(time: time, format: .extended, report: extended)
  }
}

extension [HeardReport] {
  /// Marks the last fragment heard as all there will be.
  mutating func truncate() {
    guard !isEmpty else { return }
    self[count - 1].report.header.dataStatus = .truncated
  }
}
