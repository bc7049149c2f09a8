// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import KernelNetworks
import TestSupport
import Testing
import Wireless

@Suite("The kernel's networks")
struct ExtensionsSourceTests {
  @Test("libiw's events become a network, with its name as bytes, frequency, signal, security and age")
  func network() throws {
    let list = ExtensionsSource.networks(in: WirelessResults.stream, version: 22)
    #expect(
      list.networks == [
        WirelessNetwork(
          bssid: BSSID(bits: 0x0242_0000_0001), name: try #require(NetworkName([0x61, 0, 0x62] as [UInt8])),
          frequencyMegahertz: 2437, signal: -50, security: .wpa2, lastSeen: Instant(microseconds: -1_500_000))
      ])
    #expect(list.malformed == 0)
  }

  @Test("A version before 19, which a driver did not fill in, is read as 19")
  func versions() {
    let stream = WirelessResults.stream
    let expected = ExtensionsSource.networks(in: stream, version: 22)
    for version: Int32 in [0, 18, 19] {
      #expect(ExtensionsSource.networks(in: stream, version: version) == expected)
    }
    // In the layout of version 18, libiw writes four bytes beyond its event for this one (found by fuzzing).
    let torn: [UInt8] = [0x18, 0, 0x1B, 0x8B] + [UInt8](repeating: 0, count: 20)
    #expect(ExtensionsSource.networks(in: torn, version: 18).networks.isEmpty)
  }

  @Test("A value that is longer than its event, at the end of the stream, is read within the padding")
  func lengths() {
    // SIOCGIWAP: libiw reads the 16 bytes of its value again, four bytes later (found by fuzzing).
    let torn: [UInt8] = [0x08, 0, 0x15, 0x8B] + [UInt8](repeating: 0, count: 18)
    #expect(ExtensionsSource.networks(in: torn, version: 22).networks.count == 1)
  }

  @Test("A cut stream gives no other network, and every flipped bit is read or refused")
  func damage() {
    withEveryDamage(of: WirelessResults.stream + WirelessResults.stream) { bytes, damage in
      let list = ExtensionsSource.networks(in: bytes, version: 22)
      // An event may have several values of 16 bytes.
      #expect(list.networks.count <= bytes.count / 16, "\(damage)")
    }
  }

  @Test("The error for an interface that does not exist differs from that for one that is no radio")
  func interfaces() throws {
    let source = try ExtensionsSource()
    #expect(throws: WirelessError.interfaceMissing) { try source.readNetworks(of: "no-such-one") }
    #expect(throws: WirelessError.interfaceMissing) {
      try source.readNetworks(of: "a-name-of-more-than-16-bytes")
    }
    #expect(throws: WirelessError.notWireless) { try source.readNetworks(of: "lo") }
    #expect(throws: WirelessError.interfaceMissing) { try NetlinkSource().readNetworks(of: "no-such-one") }
    #expect(NetlinkSource().takeNews(of: "no-such-one") == nil)
    #expect(NetlinkSource().takeNews(of: "lo") == nil)
  }
}
