// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("H4 packets")
struct PacketTests {
  @Test("The indicator gives the kind")
  func kinds() throws {
    for kind in [PacketKind.command, .acl, .sco, .event, .iso] {
      let bytes = [kind.rawValue, 1, 2, 3]
      let packet = try Packet(parsing: bytes.rawSpan)
      #expect(packet.kind == kind)
      #expect(packet.body.bytes == [1, 2, 3])
    }
  }

  @Test("An indicator alone is a packet with an empty body")
  func indicatorAlone() throws {
    let bytes: [UInt8] = [4]
    let body = try Packet(parsing: bytes.rawSpan).body.bytes
    #expect(body == [])
  }

  @Test("No bytes are not a packet")
  func empty() {
    #expect(EventReading([]).packetError == .empty)
  }

  @Test("Any other indicator is refused and named")
  func unknownKinds() {
    for indicator in UInt8.min...UInt8.max where !(1...5).contains(indicator) {
      #expect(EventReading([indicator, 0, 0]).packetError == .unknownKind(indicator))
    }
  }
}
