// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Extended advertising reports")
struct ExtendedReportTests {
  func outcome(_ change: (inout ExtendedReportLayout) -> Void) -> ReportOutcome? {
    var layout = ExtendedReportLayout()
    change(&layout)
    return EventReading(reportEvent(0x0D, [layout.bytes])).outcomes.first
  }

  @Test("A report gives every field of its header")
  func whole() throws {
    let report = try #require(EventReading(Packets.extended.bytes).reports.first)
    #expect(report.header.address == DeviceAddress(bits: 0xC122_3344_5566, type: .random))
    #expect(report.header.pdu == .extended)
    #expect(report.header.properties == .extendedEvent.union(.connectable))
    #expect(report.header.primaryPHY == .le1M && report.header.secondaryPHY == .le2M)
    #expect(report.header.advertisingSID == 5 && report.header.txPower == -8 && report.header.rssi == -60)
    #expect(report.header.directAddress == nil)
    #expect(report.data == hex("020106 06160FFE010203"))
  }

  @Test("The interval of periodic advertising is carried")
  func periodicInterval() {
    #expect(outcome { $0.periodicInterval = 0x1234 }?.report?.header.periodicInterval == 0x1234)
  }

  @Test(
    "Each legacy PDU in an extended event keeps its name",
    arguments: [
      (0b10011, AdvertisingPDU.connectable), (0b10101, .directed), (0b10010, .scannable),
      (0b10000, .nonConnectable), (0b11011, .scanResponse), (0b11010, .scanResponse),
    ] as [(UInt16, AdvertisingPDU)])
  func legacyPDUs(eventType: UInt16, pdu: AdvertisingPDU) throws {
    let header = try #require(outcome { $0.eventType = eventType }?.report).header
    #expect(header.pdu == pdu)
    #expect(header.properties.contains(.legacyPDU.union(.extendedEvent)))
    #expect(header.properties.contains(.connectable) == (eventType & 1 != 0))
    #expect(header.properties.contains(.scannable) == (eventType & 2 != 0))
    #expect(header.properties.contains(.directed) == (eventType & 4 != 0))
    #expect(header.properties.contains(.scanResponse) == (eventType & 8 != 0))
  }

  @Test("A legacy bit with any other combination is reserved and costs the report")
  func reservedLegacyPDUs() {
    let known: Set<UInt16> = [0b10011, 0b10101, 0b10010, 0b10000, 0b11011, 0b11010]
    for eventType: UInt16 in 0b10000...0b11111 where !known.contains(eventType) {
      #expect(outcome { $0.eventType = eventType }?.error == .reserved(index: 0, field: .eventType))
    }
  }

  @Test("Without the legacy bit every combination of properties is carried")
  func properties() {
    for eventType: UInt16 in 0...0b1111 {
      let header = outcome { $0.eventType = eventType }?.report?.header
      #expect(header?.pdu == .extended)
      #expect(header.map { $0.properties.rawValue & 0b11111 } == UInt8(eventType))
    }
  }

  @Test("Bits of the event type that are reserved for the future are ignored")
  func futureBits() {
    let header = outcome { $0.eventType = 0xFF81 }?.report?.header
    #expect(header?.properties == .extendedEvent.union(.connectable))
  }

  @Test("Data is complete, to be continued or truncated; the fourth value costs the report")
  func dataStatus() {
    #expect(outcome { $0.eventType = 0 << 5 }?.report?.header.dataStatus == .complete)
    #expect(outcome { $0.eventType = 1 << 5 }?.report?.header.dataStatus == .incomplete)
    #expect(outcome { $0.eventType = 2 << 5 }?.report?.header.dataStatus == .truncated)
    #expect(outcome { $0.eventType = 3 << 5 }?.error == .reserved(index: 0, field: .dataStatus))
  }

  @Test("Advertising begins on 1M or coded; any other primary PHY costs the report")
  func primaryPHYs() {
    for phy in UInt8.min...UInt8.max {
      let outcome = outcome { $0.primaryPHY = phy }
      switch phy {
      case 1: #expect(outcome?.report?.header.primaryPHY == .le1M)
      case 3: #expect(outcome?.report?.header.primaryPHY == .coded)
      default: #expect(outcome?.error == .reserved(index: 0, field: .primaryPHY))
      }
    }
  }

  @Test("The secondary PHY is absent or one of three; any other costs the report")
  func secondaryPHYs() throws {
    #expect(try #require(outcome { $0.secondaryPHY = 0 }?.report).header.secondaryPHY == nil)
    #expect(outcome { $0.secondaryPHY = 1 }?.report?.header.secondaryPHY == .le1M)
    #expect(outcome { $0.secondaryPHY = 2 }?.report?.header.secondaryPHY == .le2M)
    #expect(outcome { $0.secondaryPHY = 3 }?.report?.header.secondaryPHY == .coded)
    for phy: UInt8 in 4...255 {
      #expect(outcome { $0.secondaryPHY = phy }?.error == .reserved(index: 0, field: .secondaryPHY))
    }
  }

  @Test("A set is one of sixteen or absent; any other costs the report")
  func sets() {
    for advertisingSID in UInt8.min...UInt8.max {
      let outcome = outcome { $0.advertisingSID = advertisingSID }
      if advertisingSID < 16 || advertisingSID == 0xFF {
        #expect(outcome?.report?.header.advertisingSID == advertisingSID)
      } else {
        #expect(outcome?.error == .reserved(index: 0, field: .advertisingSID))
      }
    }
  }

  @Test("Address types are four and none; any other costs the report")
  func addressTypes() {
    for type in UInt8.min...UInt8.max {
      let outcome = outcome { $0.addressType = type }
      if let known = AddressType(rawValue: type) {
        #expect(outcome?.report?.header.address.type == known)
      } else {
        #expect(outcome?.error == .reserved(index: 0, field: .addressType))
      }
    }
  }

  @Test("An anonymous report has no address, whatever stands in its place")
  func anonymous() {
    let address = outcome { $0.addressType = 0xFF }?.report?.header.address
    #expect(address == DeviceAddress(bits: 0, type: .anonymous))
    #expect(address?.lifetime == .nonResolvablePrivate)
  }

  @Test("A directed report names its target, resolved or not")
  func targets() {
    func header(_ type: UInt8) -> ReportHeader? {
      outcome {
        $0.eventType = 0b00101
        $0.directAddressType = type
        $0.directAddress = hex("0D 0C 0B 0A 09 48")
      }?.report?.header
    }
    for type: UInt8 in 0...3 {
      #expect(
        header(type)?.directAddress
          == AddressType(rawValue: type).map { DeviceAddress(bits: 0x4809_0A0B_0C0D, type: $0) })
      #expect(header(type)?.properties.contains(.unresolvedTarget) == false)
    }
    #expect(header(0xFE)?.directAddress == DeviceAddress(bits: 0x4809_0A0B_0C0D, type: .random))
    #expect(header(0xFE)?.properties.contains(.unresolvedTarget) == true)
  }

  @Test("A target's type is not read unless the report is directed")
  func undirectedTargets() {
    for type in UInt8.min...UInt8.max {
      let undirected = outcome { $0.directAddressType = type }
      #expect(undirected?.report != nil && undirected?.report?.header.directAddress == nil)
      let directed = outcome {
        $0.eventType = 0b00100
        $0.directAddressType = type
      }
      #expect((directed?.report != nil) == (type < 4 || type == 0xFE))
    }
  }

  @Test("The longest data that one report can carry is carried")
  func longData() {
    let data = (0..<229).map(UInt8.init)
    #expect(outcome { $0.data = data }?.report?.data == data)
  }
}
