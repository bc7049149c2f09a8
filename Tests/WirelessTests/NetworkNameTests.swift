// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import Wireless

@Suite("Network names")
struct NetworkNameTests {
  @Test("A name has up to 32 bytes of any value, and gives them back", arguments: 0...32)
  func roundTrip(byteCount: Int) throws {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 129) }
    let name = try #require(NetworkName(bytes))
    #expect(name.bytes == bytes)
    #expect(name.byteCount == byteCount)
    let borrowed = NetworkName(bytes.span.rawBytes)
    #expect(borrowed == name)
  }

  @Test("33 bytes are no name")
  func tooLong() {
    let bytes = [UInt8](repeating: 0x78, count: 33)
    #expect(NetworkName(bytes) == nil)
    let borrowed = NetworkName(bytes.span.rawBytes)
    #expect(borrowed == nil)
  }

  @Test("NUL bytes count: at the end and in the middle they make another name")
  func embeddedNULs() throws {
    let names = try [[0x61], [0x61, 0], [0x61, 0, 0], [0x61, 0, 0x62], [0, 0x61]].map {
      try #require(NetworkName($0))
    }
    #expect(Set(names).count == 5)
    #expect(names[3].bytes == [0x61, 0, 0x62])
  }

  @Test("A name of no bytes, or of NUL bytes only, is hidden", arguments: [0, 1, 10, 32])
  func hidden(byteCount: Int) throws {
    #expect(try #require(NetworkName([UInt8](repeating: 0, count: byteCount))).isHidden)
  }

  @Test("A name with one other byte is not hidden", arguments: 0..<32)
  func visible(index: Int) throws {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes[index] = 1
    #expect(try !#require(NetworkName(bytes)).isHidden)
  }
}
