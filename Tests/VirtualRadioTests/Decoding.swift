// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

/// The reports in one H4 packet as the product's own parser reads them; none when it is no report event.
func reports(in packet: [UInt8]) throws -> (format: ReportFormat, reports: [AirReport])? {
  let event = try Event(parsing: Packet(parsing: packet.raw).body)
  #expect(event.surplus == 0)
  guard var reader = AdvertisingReports(event) else { return nil }
  let format = reader.format
  var reports: [AirReport] = []
  while let report = try reader.next() {
    reports.append(AirReport(header: report.header, data: octets(report.data)))
  }
  #expect(reader.trailingByteCount == 0)
  return (format, reports)
}

func octets(_ span: RawSpan) -> [UInt8] {
  (0..<span.byteCount).map { span.uint8(at: $0) }
}

extension DeviceAddress {
  static var bulb: Self { Self(bits: 0xC412_3456_789A, type: .random) }
  static var phone: Self { Self(bits: 0x4A11_2233_4455, type: .random) }
}

extension [UInt8] {
  /// The octets, borrowed.
  var raw: RawSpan {
    @_lifetime(borrow self)
    get {
      // Holds: every octet of an array is initialised, and the view cannot outlive the array.
      unsafe span.bytes
    }
  }
}
