// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Losses of a payload")
struct LossTests {
  @Test("However many values are too short, they are a loss", arguments: [1, 255, 256, 257, 512, 825])
  func manyShortValues(count: Int) {
    var matcher = CompiledMatcher(.company(Sample.company))
    let payload = (0..<count).flatMap { _ in AdvertisingPayload().structure(.txPowerLevel, []).bytes }
    let lists = (0..<count).flatMap { _ in AdvertisingPayload().structure(.solicitation16, [1, 2, 3]).bytes }
    #expect(matcher.remarks(payload) == Remarks(wrongSize: min(count, 255)))
    #expect(matcher.remarks(lists) == Remarks(wrongSize: min(count, 255)))
  }
}
