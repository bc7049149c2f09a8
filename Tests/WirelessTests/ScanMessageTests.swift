// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import Wireless

@Suite("Messages of nl80211")
struct ScanMessageTests {
  @Test("The family's number and its group for scans are read")
  func family() {
    #expect(messages(NetlinkDatagrams.family.bytes) == [.family(0x1C, scanGroup: 4)])
  }

  @Test("Replies say whether a request was carried out")
  func replies() {
    #expect(messages(NetlinkDatagrams.acknowledged.bytes) == [.replied(errno: 0)])
    #expect(messages(NetlinkDatagrams.busy.bytes) == [.replied(errno: 16)])
  }

  @Test("News name the interface, and whether its scan began or has ended")
  func news() {
    #expect(messages(NetlinkDatagrams.news(33)) == [.scan(.started, interface: 3)])
    #expect(messages(NetlinkDatagrams.news(34)) == [.scan(.completed, interface: 3)])
    #expect(messages(NetlinkDatagrams.news(35)) == [.scan(.aborted, interface: 3)])
    #expect(messages(NetlinkDatagrams.news(90)) == [.other])
  }

  @Test("A list has networks with every value, and an end")
  func list() {
    let first = WirelessNetwork(
      bssid: BSSID(bits: 0x0242_0000_0001), name: .text("Cam-1"), frequencyMegahertz: 2437, signal: -57,
      security: .wpa2, lastSeen: Instant(microseconds: -1_500_000))
    let second = WirelessNetwork(
      bssid: BSSID(bits: 0x0242_0000_0002), name: .text("a\0b"), frequencyMegahertz: 2437, signal: -57,
      security: .wpa, lastSeen: Instant(microseconds: -20_000))
    #expect(
      messages(NetlinkDatagrams.list.bytes) == [
        .network(first, isAssociated: true), .network(second, isAssociated: false), .listEnded(errno: 0),
      ])
  }

  @Test("A name of 33 bytes makes an entry without a network")
  func longName() {
    let elements = [0, 33] + [UInt8](repeating: 0x78, count: 33)
    let bytes = NetlinkDatagrams.network(1, elements, ageMilliseconds: 0, isJoined: false)
    #expect(messages(bytes) == [.network(nil, isAssociated: false)])
  }

  @Test("Messages of other families, and of nl80211 before its number is known, concern nothing")
  func others() {
    #expect(messages(NetlinkDatagrams.news(34), family: 0) == [.other])
    #expect(messages(NetlinkDatagrams.news(34), family: 0x1D) == [.other])
  }

  @Test(
    "A cut datagram gives the messages before the cut, and says that it is cut",
    arguments: NetlinkDatagrams.all)
  func prefixes(fixture: Fixture) {
    let whole = messages(fixture.bytes)
    withEveryPrefix(of: fixture.bytes) { bytes, damage in
      let read = messages(bytes)
      let isBoundary = bytes.isEmpty || read.last != .malformed
      #expect(whole.starts(with: isBoundary ? read[...] : read.dropLast()), "\(damage)")
    }
  }

  @Test("A flipped bit is read or refused", arguments: NetlinkDatagrams.all)
  func bitFlips(fixture: Fixture) {
    withEveryBitFlip(of: fixture.bytes) { bytes, damage in
      // A message has at least 16 bytes.
      #expect(messages(bytes).count <= bytes.count / 16 + 1, "\(damage)")
    }
  }

  @Test("A request for the family is these bytes")
  func findFamily() {
    #expect(
      hexText(ScanRequest.findFamily.bytes(sequence: 7))
        == hexText(
          hex(
            """
            20 00 00 00 10 00 01 00 07 00 00 00 00 00 00 00  // 32 bytes, controller, request, sequence 7
            03 01 00 00                                      // get family
            0C 00 02 00 6E 6C 38 30 32 31 31 00              // its name
            """)))
  }

  @Test("A request for a scan is these bytes")
  func startScan() {
    #expect(
      hexText(ScanRequest.startScan(family: 0x1C, interface: 3).bytes(sequence: 8))
        == hexText(
          hex(
            """
            24 00 00 00 1C 00 05 00 08 00 00 00 00 00 00 00  // 36 bytes, request with acknowledgement
            21 01 00 00                                      // trigger scan
            08 00 03 00 03 00 00 00                          // interface 3
            08 00 2D 80 04 00 01 00                          // names, nested: an empty one
            """)))
  }

  @Test("A request for the list is these bytes, and reads back as one message")
  func list80211() {
    let bytes = ScanRequest.list(family: 0x1C, interface: 3).bytes(sequence: 9)
    #expect(
      hexText(bytes)
        == hexText(
          hex(
            """
            1C 00 00 00 1C 00 01 03 09 00 00 00 00 00 00 00  // 28 bytes, request for a dump
            20 01 00 00                                      // get scan
            08 00 03 00 03 00 00 00                          // interface 3
            """)))
    var reader = NetlinkMessages(bytes.rawSpan)
    let kind = reader.next()?.kind
    #expect(kind == 0x1C)
    let second = reader.next()?.kind
    #expect(second == nil && !reader.isMalformed)
  }

  private func messages(_ bytes: [UInt8], family: UInt16 = 0x1C) -> [ScanMessage] {
    var messages: [ScanMessage] = []
    var reader = NetlinkMessages(bytes.rawSpan)
    while let message = reader.next() { messages.append(ScanMessage(message, family: family)) }
    if reader.isMalformed { messages.append(.malformed) }
    return messages
  }
}
