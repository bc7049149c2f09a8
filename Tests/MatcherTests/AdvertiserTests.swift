// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("What belongs to one advertiser")
struct AdvertiserTests {
  private static let address = DeviceAddress(bits: 0xC122_3344_5566, type: .random)
  private static let both = DiscoveryDescriptor.company(Sample.company).named("Lumo")
  private static let data = AdvertisingPayload.testCompany([1])
  private static let name = AdvertisingPayload().name("Lumo")

  private func advertisement(_ payload: AdvertisingPayload, from address: DeviceAddress = address)
    -> AirReport
  {
    AirReport(.scannable, from: address, rssi: -60, payload)
  }

  private func response(_ payload: AdvertisingPayload, from address: DeviceAddress = address) -> AirReport {
    AirReport(.scanResponse, from: address, rssi: -60, payload)
  }

  @Test("Advertising data and scan response of one address meet a descriptor together, in any order")
  func merge() {
    var harness = MatcherHarness(Self.both)
    harness.hear(advertisement(Self.data))
    #expect(harness.matches(at: Self.address) == [])
    harness.hear(response(Self.name))
    #expect(harness.matches(at: Self.address) == [0])
    var reversed = MatcherHarness(Self.both)
    reversed.hear(response(Self.name), advertisement(Self.data))
    #expect(reversed.matches(at: Self.address) == [0])
  }

  @Test("Only the latest payload of each part counts")
  func latest() {
    var harness = MatcherHarness(Self.both)
    harness.hear(advertisement(Self.data), response(Self.name), advertisement(Self.name))
    #expect(harness.matches(at: Self.address) == [])
    harness.hear(advertisement(Self.data))
    #expect(harness.matches(at: Self.address) == [0])
    harness.hear(response(AdvertisingPayload()))
    #expect(harness.matches(at: Self.address) == [])
  }

  @Test("An address of another type is another advertiser")
  func addressType() {
    let other = DeviceAddress(bits: Self.address.bits, type: .public)
    var harness = MatcherHarness(Self.both)
    harness.hear(advertisement(Self.data), response(Self.name, from: other))
    #expect(harness.matches(at: Self.address) == [])
    #expect(harness.matches(at: other) == [])
  }

  @Test("Two advertising sets of one address do not meet a descriptor together, and each may alone")
  func setsApart() {
    var harness = MatcherHarness(Self.both, .company(Sample.company))
    harness.hear(set: 1, from: Self.address, Self.data)
    harness.hear(set: 2, from: Self.address, Self.name)
    #expect(harness.matches(at: Self.address) == [1])
    harness.hear(set: 1, from: Self.address, Self.name, isResponse: true)
    #expect(harness.matches(at: Self.address) == [0, 1])
  }

  @Test("A report without a set id belongs to the address's newest set")
  func withoutSet() {
    var harness = MatcherHarness(Self.both)
    harness.hear(set: 1, from: Self.address, AdvertisingPayload().flags(6))
    harness.hear(set: 2, from: Self.address, Self.data)
    harness.hear(set: 0xFF, from: Self.address, Self.name, isResponse: true)
    #expect(harness.matches(at: Self.address) == [0])
  }

  @Test("A set matches on while another set of the address does not")
  func setsBearMatches() {
    var harness = MatcherHarness(.company(Sample.company))
    harness.hear(set: 1, from: Self.address, Self.data)
    harness.hear(set: 2, from: Self.address, Self.name)
    #expect(harness.matches(at: Self.address) == [0])
    harness.hear(set: 1, from: Self.address, Self.name)
    #expect(harness.matches(at: Self.address) == [])
  }

  @Test("The default range lets every level in, the immediate one waits at its gate")
  func range() {
    var immediate = DiscoveryDescriptor.company(Sample.company)
    immediate.range = .immediate
    var harness = MatcherHarness(immediate, .company(Sample.company))
    harness.hear(AirReport(.nonConnectable, from: Self.address, rssi: -99, Self.data))
    #expect(harness.matches(at: Self.address) == [0, 1])
    #expect(harness.path.pipeline.counters.found == 1)
    for _ in 0..<10 { harness.hear(AirReport(.nonConnectable, from: Self.address, rssi: -30, Self.data)) }
    #expect(harness.path.pipeline.counters.found == 2)
  }
}
