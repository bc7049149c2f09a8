// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import Testing

@testable import DeviceLines
@testable import ToolText

@Suite struct AdvertisementFieldsTests {
  private func fields(_ payload: [UInt8]) -> AdvertisementFields {
    AdvertisementFields(payload.span.rawBytes)
  }

  @Test func aCompleteNameComesBeforeAShortenedOne() {
    let short: [UInt8] = [0x03, 0x08, 0x42, 0x61]
    let complete: [UInt8] = [0x03, 0x09, 0x46, 0x6F]
    for payload in [short + complete, complete + short] {
      let fields = fields(payload)
      #expect(fields.name?.text.bytes == [0x46, 0x6F])
      #expect(fields.name?.isComplete == true)
      #expect(fields.other == [.init(type: 0x08, value: [0x42, 0x61])])
    }
  }

  @Test func whatCanBeSaidOnceCountsTheFirstTime() {
    let fields = fields([0x02, 0x01, 0x06, 0x02, 0x01, 0x04, 0x02, 0x0A, 0x08, 0x02, 0x0A, 0xF8])
    #expect(fields.flags == 6)
    #expect(fields.txPowerLevel == 8)
    #expect(fields.other == [.init(type: 0x01, value: [4]), .init(type: 0x0A, value: [0xF8])])
  }

  @Test func whatIsMalformedLosesOnlyItself() {
    // An appearance of one byte, flags, a length past the end.
    let fields = fields([0x02, 0x19, 0x01, 0x02, 0x01, 0x06, 0x05, 0x09, 0x41])
    #expect(fields.flags == 6)
    #expect(fields.appearance == nil)
    #expect(fields.name == nil)
    #expect(
      fields.malformations == [
        MalformedStructureError(offset: 0, kind: .wrongSize),
        MalformedStructureError(offset: 6, kind: .lengthPastEnd),
      ])
  }

  @Test func listsOfAllSizesAreOneList() {
    let fields = fields([
      0x03, 0x02, 0x0F, 0x18,  // 180f
      0x05, 0x05, 0x78, 0x56, 0x34, 0x12,  // 12345678
      0x03, 0x14, 0x01, 0xFE,  // solicits fe01
    ])
    #expect(fields.services.map(\.text) == ["180f", "12345678"])
    #expect(fields.solicitations.map(\.text) == ["fe01"])
  }

  @Test func everyPrefixAndEveryFlippedBitGivesFields() {
    let payload: [UInt8] = [
      0x02, 0x01, 0x06,  // flags
      0x05, 0xFF, 0xEE, 0x0E, 0xA5, 0x5A,  // manufacturer data
      0x04, 0x16, 0x0F, 0x18, 0x64,  // service data
      0x05, 0x09, 0x4C, 0x75, 0x6D, 0x6F,  // name
    ]
    for end in 0...payload.count { _ = fields(Array(payload[..<end])) }
    for bit in 0..<(8 * payload.count) {
      var damaged = payload
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      var json = JSONWriter()
      json.line { fields(damaged).write(to: &$0) }
      #expect(json.takeBytes().last == UInt8(ascii: "\n"))
    }
  }
}
