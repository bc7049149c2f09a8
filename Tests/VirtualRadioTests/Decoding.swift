// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import VirtualRadio

/// The reports in one H4 packet, read by the agent's own parser; nil when it is no report event.
func reports(in packet: [UInt8]) -> (format: ReportFormat, reports: [AirReport])? {
  let reading = EventReading(packet)
  guard let format = reading.format else { return nil }
  #expect(reading.errors.isEmpty && reading.eventTrailingByteCount == 0 && reading.trailingByteCount == 0)
  return (format, reading.reports.map { AirReport(header: $0.header, data: $0.data) })
}

extension DeviceAddress {
  static var bulb: Self { Self(bits: 0xC412_3456_789A, type: .random) }
  static var phone: Self { Self(bits: 0x4A11_2233_4455, type: .random) }
}
