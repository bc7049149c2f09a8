// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing

@Suite("Packets in an H4 stream")
struct StreamFrameTests {
  @Test("A whole packet is measured, whatever follows it", arguments: Packets.all)
  func whole(fixture: Fixture) throws {
    let whole = fixture.bytes
    #expect(try StreamFrame(measuring: whole.rawSpan) == .packet(byteCount: whole.count))
    let followed = whole + Packets.acl.bytes
    #expect(try StreamFrame(measuring: followed.rawSpan) == .packet(byteCount: whole.count))
  }

  @Test("A prefix asks for bytes, never for more than the packet has", arguments: Packets.all)
  func prefixes(fixture: Fixture) throws {
    try withEveryPrefix(of: fixture.bytes) { prefix, damage in
      guard case .needs(let count) = try StreamFrame(measuring: prefix.rawSpan) else {
        Issue.record("\(damage) was taken for a packet")
        return
      }
      #expect(count > 0 && prefix.count + count <= fixture.bytes.count, "\(damage)")
    }
  }

  @Test("Reading what is asked for reaches the packet in three steps", arguments: Packets.all)
  func convergence(fixture: Fixture) throws {
    var have = 0
    for _ in 0..<3 {
      guard case .needs(let count) = try StreamFrame(measuring: Array(fixture.bytes[..<have]).rawSpan) else {
        break
      }
      have += count
    }
    #expect(have == fixture.bytes.count)
  }

  @Test("An unknown indicator means that the stream is out of step")
  func outOfStep() {
    for indicator in UInt8.min...UInt8.max where !(1...5).contains(indicator) {
      let bytes: [UInt8] = [indicator, 0, 0, 0, 0]
      #expect(throws: PacketError.unknownKind(indicator)) { try StreamFrame(measuring: bytes.rawSpan) }
    }
  }

  @Test("A flipped bit costs at most what its kind's length can claim", arguments: Packets.all)
  func bitFlips(fixture: Fixture) {
    withEveryBitFlip(of: fixture.bytes) { bytes, damage in
      do throws(PacketError) {
        switch try StreamFrame(measuring: bytes.rawSpan) {
        case .packet(let byteCount): #expect(byteCount <= bytes.count, "\(damage)")
        case .needs(let count): #expect(bytes.count + count <= 5 + 65_535, "\(damage)")
        }
      } catch {
        #expect(damage.offset == 0, "\(damage)")
      }
    }
  }

  @Test("A stream of packets is cut at every border")
  func stream() throws {
    var stream = Packets.all.flatMap(\.bytes)
    for fixture in Packets.all {
      let frame = try StreamFrame(measuring: stream.rawSpan)
      #expect(frame == .packet(byteCount: fixture.bytes.count), "\(fixture)")
      stream.removeFirst(fixture.bytes.count)
    }
    #expect(try StreamFrame(measuring: stream.rawSpan) == .needs(1))
  }

  @Test("ACL and isochronous data have lengths of two bytes, the latter without its top bits")
  func wideLengths() throws {
    let acl = hex("02 00 00 FF FF")
    #expect(try StreamFrame(measuring: acl.rawSpan) == .needs(65_535))
    let isochronous = hex("05 00 00 FF FF")
    #expect(try StreamFrame(measuring: isochronous.rawSpan) == .needs(16_383))
  }
}
