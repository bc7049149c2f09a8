// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("How many items match")
struct MatchCountTests {
  @Test("Every matching item counts, and the first eight are kept in manifest order")
  func firstEight() {
    var matcher = CompiledMatcher(items: (0..<20).map { _ in [.company(Sample.company)] })
    #expect(matcher.find(AdvertisingPayload.testCompany([]).bytes) == Found(items: Array(0..<8), total: 20))
  }

  @Test("Exactly eight fit, the ninth is counted")
  func aroundTheCapacity() {
    for count in 7...9 {
      var matcher = CompiledMatcher(items: (0..<count).map { _ in [.company(Sample.company)] })
      let found = matcher.find(AdvertisingPayload.testCompany([]).bytes)
      #expect(found == Found(items: Array(0..<min(8, count)), total: count))
    }
  }

  @Test("Manifest order holds across keys, masks and values, whatever the payload's order")
  func order() {
    let kinds: [DiscoveryDescriptor] = [
      .company(Sample.company).manufacturerData([1, 2]), .service(Sample.service), .company(Sample.company),
      .company(Sample.company).manufacturerData([1, 0], mask: [0xFF, 0]),
      .service(Sample.service).serviceData([3]), .company(Sample.company).named("Lumo"),
    ]
    var matcher = CompiledMatcher(items: (0..<18).map { [kinds[$0 % 6]] })
    let parts = [
      AdvertisingPayload.testCompany([1, 2]).bytes,
      AdvertisingPayload().serviceData(Sample.service, [3]).bytes,
      AdvertisingPayload().name("Lumo").bytes,
    ]
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let found = matcher.find(order.flatMap { parts[$0] })
      #expect(found == Found(items: Array(0..<8), total: 18))
    }
  }
}
