// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport
import Testing
import Wireless

@Suite("Scans by wireless extensions")
struct ExtensionsReadingTests {
  @Test("Events become networks, each from its address on")
  func networks() {
    var reading = ExtensionsReading()
    reading.receive(address: hex("02 42 00 00 00 01"))
    reading.receive(mantissa: 6, exponent: 0)
    reading.receive(mantissa: 2437, exponent: 6)
    reading.receive(signal: -57)
    reading.receive(encoding: 0x0800)
    reading.receive(name: Array("Cam-1".utf8))
    reading.receive(text: Array(" Last beacon: 1500ms ago".utf8))
    reading.receive(elements: NetworkElements.wpa2.bytes)
    reading.receive(address: hex("02 42 00 00 00 02"))
    reading.receive(name: hex("61 00 62"))
    reading.receive(encoding: 0x8000)
    let list = reading.finish()
    #expect(
      list.networks == [
        WirelessNetwork(
          bssid: BSSID(bits: 0x0242_0000_0001), name: .text("Cam-1"), frequencyMegahertz: 2437, signal: -57,
          security: .wpa2, lastSeen: Instant(microseconds: -1_500_000)),
        WirelessNetwork(
          bssid: BSSID(bits: 0x0242_0000_0002), name: .text("a\0b"), frequencyMegahertz: nil, signal: nil,
          security: .open, lastSeen: Instant(microseconds: 0)),
      ])
  }

  @Test("A name of 33 bytes is refused and counted, whether the event or the elements carry it")
  func longNames() {
    let long = [UInt8](repeating: 0x78, count: 33)
    var reading = ExtensionsReading()
    reading.receive(address: hex("02 42 00 00 00 01"))
    reading.receive(name: long)
    reading.receive(address: hex("02 42 00 00 00 02"))
    reading.receive(elements: ([0, 33] + long))
    let list = reading.finish()
    #expect(list.networks.isEmpty)
    #expect(list.namesRefused == 2)
  }

  @Test("Without a name event the elements' name counts, and without both the network is hidden")
  func missingNames() {
    var reading = ExtensionsReading()
    reading.receive(address: hex("02 42 00 00 00 01"))
    reading.receive(elements: NetworkElements.wpa2.bytes)
    reading.receive(address: hex("02 42 00 00 00 02"))
    let list = reading.finish()
    #expect(list.networks.map(\.name) == [.text("Cam-1"), .text("")])
  }

  @Test("What comes before the first address, or an address of the wrong size, makes no network")
  func orphans() {
    var reading = ExtensionsReading()
    reading.receive(name: Array("Cam-1".utf8))
    reading.receive(address: hex("02 42 00 00 00"))
    reading.receive(signal: -40)
    let list = reading.finish()
    #expect(list.networks.isEmpty)
    #expect(list.malformed == 1)
  }

  @Test(
    "Only the kernel's own text says an age",
    arguments: [
      (" Last beacon: 28000ms ago", Int64(28_000)), (" Last beacon: ms ago", 0), (" Last beacon: 12", 0),
      (" Last beacon: 99999999999999999999ms ago", 0), ("tsf=0000000000000001", 0), ("", 0),
    ])
  func ages(text: String, milliseconds: Int64) {
    var reading = ExtensionsReading()
    reading.receive(address: hex("02 42 00 00 00 01"))
    reading.receive(text: Array(text.utf8))
    #expect(reading.finish().networks.map(\.lastSeen.microseconds) == [-milliseconds * 1000])
  }

  @Test("A list says when networks were seen by the clock of its reader")
  func clocks() {
    var reading = ExtensionsReading()
    reading.receive(address: hex("02 42 00 00 00 01"))
    reading.receive(text: Array(" Last beacon: 2000ms ago".utf8))
    let list = reading.finish().shifted(to: Instant(microseconds: 5_000_000))
    #expect(list.networks.map(\.lastSeen.microseconds) == [3_000_000])
  }

  @Test("A list has at most 4,096 networks, and counts those beyond")
  func full() {
    var list = NetworkList()
    for bssid in 0..<UInt64(NetworkList.capacity + 3) { list.append(.named("N", bssid: bssid, signal: -50)) }
    #expect(list.networks.count == NetworkList.capacity)
    #expect(list.malformed == 3)
  }
}

extension ExtensionsReading {
  fileprivate mutating func receive(address: [UInt8]) { receive(address: address.rawSpan) }
  fileprivate mutating func receive(name: [UInt8]) { receive(name: name.rawSpan) }
  fileprivate mutating func receive(elements: [UInt8]) { receive(elements: elements.rawSpan) }
  fileprivate mutating func receive(text: [UInt8]) { receive(text: text.rawSpan) }
}
