// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import KernelNetworks
import TestSupport
import Testing
import Wireless

@Suite("The kernel's networks")
struct ExtensionsSourceTests {
  /// What a kernel of 64 bits delivers for a network: events of a length, a number, and four bytes of padding.
  private static let stream =
    hex(
      """
      18 00 15 8B 00 00 00 00  01 00 02 42 00 00 00 01 00 00 00 00 00 00 00 00  // SIOCGIWAP: 02:42:00:00:00:01
      13 00 1B 8B 00 00 00 00  03 00 01 00 00 00 00 00 61 00 62                 // SIOCGIWESSID: a, NUL, b
      10 00 05 8B 00 00 00 00  06 00 00 00 00 00 00 00                          // SIOCGIWFREQ: channel 6
      10 00 05 8B 00 00 00 00  85 09 00 00 06 00 00 00                          // SIOCGIWFREQ: 2437 MHz
      0C 00 01 8C 00 00 00 00  46 CE A0 4B                                      // IWEVQUAL: -50 dBm
      10 00 2B 8B 00 00 00 00  00 00 00 08 00 00 00 00                          // SIOCGIWENCODE: privacy
      """) + point([0x05, 0x8C], NetworkElements.wpa2.bytes)
    + point([0x02, 0x8C], Array(" Last beacon: 1500ms ago".utf8))

  /// An event with bytes: their count, flags and padding come first.
  private static func point(_ command: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count + 16), 0] + command + [0, 0, 0, 0, UInt8(bytes.count), 0, 0, 0, 0, 0, 0, 0] + bytes
  }

  @Test("libiw's events become a network, with its name as bytes, frequency, signal, security and age")
  func network() throws {
    let list = ExtensionsSource.networks(in: Self.stream, byteCount: Self.stream.count, version: 22)
    #expect(
      list.networks == [
        WirelessNetwork(
          bssid: BSSID(bits: 0x0242_0000_0001), name: try #require(NetworkName([0x61, 0, 0x62] as [UInt8])),
          frequencyMegahertz: 2437, signal: -50, security: .wpa2, lastSeen: Instant(microseconds: -1_500_000))
      ])
    #expect(list.malformed == 0)
  }

  @Test("A cut stream gives no other network, and every flipped bit is read or refused")
  func damage() {
    withEveryDamage(of: Self.stream + Self.stream) { bytes, damage in
      let list = ExtensionsSource.networks(in: bytes, byteCount: bytes.count, version: 22)
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
  }
}
