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
  private static let data = AdvertisingPayload.ours([1])
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
    var listener = Listener(Self.both)
    listener.hear(advertisement(Self.data))
    #expect(listener.matches(at: Self.address) == [])
    listener.hear(response(Self.name))
    #expect(listener.matches(at: Self.address) == [0])
    var reversed = Listener(Self.both)
    reversed.hear(response(Self.name), advertisement(Self.data))
    #expect(reversed.matches(at: Self.address) == [0])
  }

  @Test("Only the latest payload of each part counts")
  func latest() {
    var listener = Listener(Self.both)
    listener.hear(advertisement(Self.data), response(Self.name), advertisement(Self.name))
    #expect(listener.matches(at: Self.address) == [])
    listener.hear(advertisement(Self.data))
    #expect(listener.matches(at: Self.address) == [0])
    listener.hear(response(AdvertisingPayload()))
    #expect(listener.matches(at: Self.address) == [])
  }

  @Test("An address of another type is another advertiser")
  func addressType() {
    let other = DeviceAddress(bits: Self.address.bits, type: .public)
    var listener = Listener(Self.both)
    listener.hear(advertisement(Self.data), response(Self.name, from: other))
    #expect(listener.matches(at: Self.address) == [])
    #expect(listener.matches(at: other) == [])
  }

  @Test("Two advertising sets of one address do not meet a descriptor together, and each may alone")
  func setsApart() {
    var listener = Listener(Self.both, .company(Sample.company))
    listener.hear(set: 1, from: Self.address, Self.data)
    listener.hear(set: 2, from: Self.address, Self.name)
    #expect(listener.matches(at: Self.address) == [1])
    listener.hear(set: 1, from: Self.address, Self.name, isResponse: true)
    #expect(listener.matches(at: Self.address) == [0, 1])
  }

  @Test("A report without a set id belongs to the address's newest set")
  func withoutSet() {
    var listener = Listener(Self.both)
    listener.hear(set: 1, from: Self.address, AdvertisingPayload().flags(6))
    listener.hear(set: 2, from: Self.address, Self.data)
    listener.hear(set: 0xFF, from: Self.address, Self.name, isResponse: true)
    #expect(listener.matches(at: Self.address) == [0])
  }

  @Test("A set matches on while another set of the address does not")
  func setsBearMatches() {
    var listener = Listener(.company(Sample.company))
    listener.hear(set: 1, from: Self.address, Self.data)
    listener.hear(set: 2, from: Self.address, Self.name)
    #expect(listener.matches(at: Self.address) == [0])
    listener.hear(set: 1, from: Self.address, Self.name)
    #expect(listener.matches(at: Self.address) == [])
  }

  @Test("The default range lets every level in, the immediate one waits at its gate")
  func range() {
    var immediate = DiscoveryDescriptor.company(Sample.company)
    immediate.range = .immediate
    var listener = Listener(immediate, .company(Sample.company))
    listener.hear(AirReport(.nonConnectable, from: Self.address, rssi: -99, Self.data))
    #expect(listener.matches(at: Self.address) == [0, 1])
    #expect(listener.path.pipeline.counters.found == 1)
    for _ in 0..<10 { listener.hear(AirReport(.nonConnectable, from: Self.address, rssi: -30, Self.data)) }
    #expect(listener.path.pipeline.counters.found == 2)
  }
}
