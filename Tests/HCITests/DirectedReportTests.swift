// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Directed advertising reports")
struct DirectedReportTests {
  func outcome(_ change: (inout DirectedReportLayout) -> Void) -> ReportOutcome? {
    var layout = DirectedReportLayout()
    change(&layout)
    return EventReading(reportEvent(0x0B, [layout.bytes])).outcomes.first
  }

  @Test("A report gives advertiser, target and strength, and no data")
  func whole() throws {
    let reading = EventReading(Packets.directed.bytes)
    try #require(reading.reports.count == 2)
    let first = reading.reports[0]
    #expect(first.header.pdu == .directed && first.data == [])
    #expect(first.header.properties == .connectable.union(.directed).union(.unresolvedTarget))
    #expect(first.header.address == DeviceAddress(bits: 0xC122_3344_5566, type: .random))
    #expect(first.header.directAddress == DeviceAddress(bits: 0x4809_0A0B_0C0D, type: .random))
    #expect(first.header.rssi == -60)
    let second = reading.reports[1]
    #expect(second.header.directAddress == DeviceAddress(bits: 0x2122_2324_2526, type: .public))
    #expect(second.header.properties == .connectable.union(.directed))
    #expect(second.header.rssi == -80)
  }

  @Test("Its event type is always that of directed advertising")
  func eventTypes() {
    for eventType in UInt8.min...UInt8.max where eventType != 1 {
      #expect(outcome { $0.eventType = eventType }?.error == .reserved(index: 0, field: .eventType))
    }
  }

  @Test("Reserved address types of either side cost the report")
  func addressTypes() {
    for type in UInt8.min...UInt8.max {
      let advertiser = outcome { $0.addressType = type }
      #expect((advertiser?.report != nil) == (type < 4))
      #expect(type < 4 || advertiser?.error == .reserved(index: 0, field: .addressType))
      let target = outcome { $0.directAddressType = type }
      #expect((target?.report != nil) == (type < 4 || type == 0xFE))
    }
  }
}
