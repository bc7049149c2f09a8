// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport
import Testing
import Wireless

@Suite("Information elements")
struct InformationElementsTests {
  @Test("Name and security are read from the elements around them")
  func beacons() {
    let wpa2 = InformationElements(reading: NetworkElements.wpa2.bytes)
    #expect(wpa2.name == .text("Cam-1"))
    #expect(wpa2.security(isPrivate: true) == .wpa2)
    #expect(!wpa2.isTruncated)
    let wpa = InformationElements(reading: NetworkElements.wpa.bytes)
    #expect(wpa.name?.bytes == [0x61, 0, 0x62])
    #expect(wpa.security(isPrivate: true) == .wpa)
  }

  @Test(
    "The suites tell how stations join",
    arguments: [
      (UInt8(1), WirelessSecurity.enterprise), (2, .wpa2), (5, .enterprise), (6, .wpa2), (8, .wpa3),
      (12, .enterprise),
      (18, .owe), (24, .wpa3), (99, .other),
    ])
  func suites(suite: UInt8, security: WirelessSecurity) {
    #expect(
      InformationElements(reading: NetworkElements.rsn(suite: suite)).security(isPrivate: true) == security)
  }

  @Test("Without suites the privacy bit decides between WEP and open")
  func privacy() {
    let elements = InformationElements(reading: hex("00 01 41"))
    #expect(elements.security(isPrivate: true) == .wep)
    #expect(elements.security(isPrivate: false) == .open)
  }

  @Test("A name of 33 bytes is refused, and a later name does not stand in for it")
  func longName() {
    let long = [0, 33] + [UInt8](repeating: 0x78, count: 33)
    let elements = InformationElements(reading: (long + NetworkElements.wpa2.bytes))
    #expect(elements.name == nil)
    #expect(elements.isNameTooLong)
    #expect(elements.security(isPrivate: true) == .wpa2)
    let whole = InformationElements(reading: ([0, 32] + [UInt8](repeating: 0x78, count: 32)))
    #expect(whole.name?.byteCount == 32)
  }

  @Test("Elements that come in pieces are read as one")
  func pieces() {
    var elements = InformationElements()
    elements.append(reading: Array(NetworkElements.wpa2.bytes[..<13]))
    elements.append(reading: Array(NetworkElements.wpa2.bytes[13...]))
    #expect(elements == InformationElements(reading: NetworkElements.wpa2.bytes))
  }

  @Test("A cut loses the element that is cut, and nothing before it", arguments: NetworkElements.all)
  func prefixes(fixture: Fixture) {
    let whole = InformationElements(reading: fixture.bytes)
    let nameEnd = 2 + Int(fixture.bytes[1])
    withEveryPrefix(of: fixture.bytes) { bytes, damage in
      let elements = InformationElements(reading: bytes)
      #expect(elements.name == (bytes.count >= nameEnd ? whole.name : nil), "\(damage)")
    }
  }

  @Test("A flipped bit is read or refused", arguments: NetworkElements.all)
  func bitFlips(fixture: Fixture) {
    withEveryBitFlip(of: fixture.bytes) { bytes, damage in
      let elements = InformationElements(reading: bytes)
      #expect(elements.name == nil || !elements.isNameTooLong, "\(damage)")
      #expect(elements == InformationElements(reading: bytes), "\(damage)")
    }
  }
}

extension InformationElements {
  init(reading bytes: [UInt8]) { self.init(bytes.rawSpan) }

  mutating func append(reading bytes: [UInt8]) { append(bytes.rawSpan) }
}
