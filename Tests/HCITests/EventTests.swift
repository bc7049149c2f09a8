// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("HCI events")
struct EventTests {
  @Test("An event has a code and as many parameters as its header says")
  func whole() throws {
    let body = hex("0E 04 01 0C 20 00")
    let event = try Event(parsing: body.rawSpan)
    #expect(event.code == 0x0E)
    #expect(event.parameters.bytes == hex("01 0C 20 00"))
    #expect(event.trailingByteCount == 0)
  }

  @Test("Bytes after the parameters are left out and counted")
  func trailingBytes() throws {
    let body = hex("0E 02 01 0C 20 00")
    let event = try Event(parsing: body.rawSpan)
    #expect(event.parameters.bytes == hex("01 0C"))
    #expect(event.trailingByteCount == 2)
  }

  @Test("A cut event keeps the parameters that are there")
  func cut() throws {
    let body = hex("0E 09 01 0C 20 00")
    let event = try Event(parsing: body.rawSpan)
    #expect(event.parameters.bytes == hex("01 0C 20 00"))
    #expect(event.trailingByteCount == -5)
  }

  @Test("Fewer than two bytes are no event", arguments: 0..<2)
  func headerTruncated(byteCount: Int) {
    let reading = EventReading([4] + [UInt8](repeating: 0x3E, count: byteCount))
    #expect(reading.eventError == .headerTruncated(byteCount: byteCount))
  }

  @Test("Every prefix is an event that lacks bytes, or has a cut header", arguments: Packets.reports)
  func prefixes(fixture: Fixture) {
    withEveryPrefix(of: fixture.bytes) { packet, damage in
      let reading = EventReading(packet)
      switch packet.count {
      case 0: #expect(reading.packetError == .empty)
      case 1...2: #expect(reading.eventError == .headerTruncated(byteCount: packet.count - 1))
      default: #expect(reading.eventTrailingByteCount == packet.count - fixture.bytes.count, "\(damage)")
      }
    }
  }

  @Test("Every flipped bit gives an event or a refused packet", arguments: Packets.all)
  func bitFlips(fixture: Fixture) {
    withEveryBitFlip(of: fixture.bytes) { packet, damage in
      let reading = EventReading(packet)
      if damage.offset == 0 { return }
      #expect(reading.packetError == nil && reading.eventError == nil, "\(damage)")
    }
  }

  @Test("Only three subevents of LE Meta carry reports")
  func subevents() {
    for subevent in UInt8.min...UInt8.max {
      let reading = EventReading([0x04, 0x3E, 0x02, subevent, 0x00])
      #expect(reading.format == ReportFormat(rawValue: subevent))
      #expect((reading.format != nil) == [0x02, 0x0B, 0x0D].contains(subevent))
    }
    for code in UInt8.min...UInt8.max where code != 0x3E {
      #expect(EventReading([0x04, code, 0x02, 0x02, 0x00]).format == nil)
    }
  }
}
