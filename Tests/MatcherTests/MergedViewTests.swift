// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Clauses over advertising data and scan response")
struct MergedViewTests {
  private static let all = DiscoveryDescriptor.company(Sample.company).manufacturerData([1])
    .service(Sample.service).serviceData([2]).named("Lumo")
  private static let parts = [
    AdvertisingPayload.testCompany([1]), AdvertisingPayload().serviceData(Sample.service, [2]),
    AdvertisingPayload().name("Lumo"),
  ]

  @Test("Each clause may be met by either part", arguments: 0..<8)
  func everySplit(split: Int) {
    var matcher = CompiledMatcher(Self.all)
    var data = AdvertisingPayload()
    var response = AdvertisingPayload()
    for (index, part) in Self.parts.enumerated() {
      if split >> index & 1 == 0 { data = data.raw(part.bytes) } else { response = response.raw(part.bytes) }
    }
    #expect(matcher.find(data.bytes, response: response.bytes) == .items(0))
  }

  @Test("All clauses must be met", arguments: 0..<3)
  func oneMissing(missing: Int) {
    var matcher = CompiledMatcher(Self.all)
    var data = AdvertisingPayload()
    for (index, part) in Self.parts.enumerated() where index != missing { data = data.raw(part.bytes) }
    #expect(matcher.find(data.bytes) == .nothing)
    #expect(matcher.find([], response: data.bytes) == .nothing)
  }

  @Test("The same structures in both parts make one match")
  func bothParts() {
    var matcher = CompiledMatcher(Self.all, .service(Sample.service))
    let whole = Self.parts[0].raw(Self.parts[1].bytes).raw(Self.parts[2].bytes).bytes
    #expect(matcher.find(whole, response: whole) == .items(0, 1))
  }

  @Test("An item whose two descriptors both hold matches once")
  func twoDescriptors() {
    var matcher = CompiledMatcher(items: [
      [.company(Sample.company), .service(Sample.service)], [.service(Sample.otherService)],
    ])
    #expect(matcher.find(AdvertisingPayload.testCompany([]).services(Sample.service).bytes) == .items(0))
    #expect(matcher.find(AdvertisingPayload().services(Sample.service).bytes) == .items(0))
    #expect(matcher.find(AdvertisingPayload.testCompany([]).bytes) == .items(0))
  }

  @Test("A length past the end loses the rest of its part and nothing of the other")
  func damage() {
    var matcher = CompiledMatcher(.company(Sample.company).service(Sample.service))
    let torn = AdvertisingPayload.testCompany([]).raw([9, 0x03, 0x0F, 0xFE]).bytes
    #expect(matcher.find(torn) == .nothing)
    #expect(matcher.find(torn, response: AdvertisingPayload().services(Sample.service).bytes) == .items(0))
  }

  @Test("What follows a zero length is not read")
  func padding() {
    var matcher = CompiledMatcher(.company(Sample.company))
    #expect(matcher.find([0, 0] + AdvertisingPayload.testCompany([]).bytes) == .nothing)
    #expect(matcher.find(AdvertisingPayload.testCompany([]).bytes + [0, 0]) == .items(0))
  }

  @Test("An empty payload matches nothing")
  func empty() {
    var matcher = CompiledMatcher(.company(0), Self.all)
    #expect(matcher.find([]) == .nothing)
  }
}
