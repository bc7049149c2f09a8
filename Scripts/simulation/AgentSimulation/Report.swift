// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport

/// An advertising report with a copy of its data.
struct Report {
  var header: ReportHeader
  var data: [UInt8]

  init(header: ReportHeader, data: [UInt8]) {
    self.header = header
    self.data = data
  }

  /// The valid reports in an H4 packet.
  static func all(in packet: [UInt8]) -> [Report] {
    EventReading(packet).reports.map { Report(header: $0.header, data: $0.data) }
  }
}
