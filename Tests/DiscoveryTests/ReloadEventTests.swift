// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Reload: events and identities")
struct ReloadEventTests {
  private let bulb = DisplayItem.company(0x0EEE)
  private let lamp = DisplayItem.company(2, "lamp")

  // MARK: Events

  @Test("Events of before keep their numbers, payloads and names, though items moved or went")
  func names() {
    let harness = DataPathHarness(bulb, lamp)
    harness.hear(1, -60, .made(by: 2, 1), at: 0)
    harness.hear(2, -60, .made(by: 0x0EEE, 2), at: 1)
    harness.reload(.company(7, "new"), bulb, at: 10)
    harness.reload(.company(8, "newer"), .company(7, "new"), bulb, at: 20)
    harness.hear(3, -60, .made(by: 8), at: 30)
    let heard = harness.sightings()
    #expect(
      heard.map(\.line) == [
        "0 found lamp 1 matched", "1 found bulb 2 matched", "10 lost lamp 1 reload",
        "30 found newer 3 matched",
      ])
    #expect(heard[0].payload == AdvertisingPayload.made(by: 2, 1).bytes)
    #expect(harness.produced == 4)
  }

  @Test("An item that comes back is named by its new place")
  func comesBack() {
    let harness = DataPathHarness(bulb, lamp)
    harness.hear(1, -60, .made(by: 2), at: 0)
    harness.reload(bulb, at: 10)
    harness.reload(lamp, bulb, at: 20)
    let heard = harness.sightings()
    #expect(
      heard.map(\.line) == ["0 found lamp 1 matched", "10 lost lamp 1 reload", "20 found lamp 1 matched"])
    #expect(heard.map(\.sighting.item) == [0, 0, 0])
  }

  @Test("Names of items that are gone are forgotten once no event needs them")
  func forgottenNames() {
    let harness = DataPathHarness(GatewayManifest([bulb]) { $0.capacities.events = 16 })
    for round: Int64 in 0..<100 {
      // Each item is found once and lost by the next reload.
      let item = DisplayItem.company(2, "item\(round)")
      harness.reload(GatewayManifest([item]) { $0.capacities.events = 16 }, at: 100 * round)
      harness.hear(1, -60, .made(by: 2), at: 100 * round + 1)
      #expect(harness.retiredCount <= 16)
    }
    #expect(harness.retiredCount == 8)
  }

  @Test("A smaller ring forgets the oldest events, and a reader learns exactly how many", arguments: [16, 0])
  func smallerRing(events: Int32) {
    let harness = DataPathHarness(bulb)
    for number: UInt64 in 0..<40 { harness.hear(number, -60, .made(by: 0x0EEE), at: Int64(number)) }
    harness.reload(GatewayManifest([bulb]) { $0.capacities.events = events }, at: 50)
    #expect(harness.missed() == UInt64(40 - events))
    #expect(harness.sightings().map(\.line).count == Int(events))
    harness.hear(99, -60, .made(by: 0x0EEE), at: 60)
    #expect(harness.produced == 41)
  }

  @Test("A larger ring keeps all, and bytes around the old ring's end come out whole")
  func largerRing() {
    let harness = DataPathHarness(GatewayManifest([bulb]) { $0.capacities.eventBytes = 33 })
    for number: UInt64 in 0..<40 {
      harness.hear(number, -60, .made(by: 0x0EEE, UInt8(number)), at: Int64(number))
    }
    harness.reload(GatewayManifest([bulb]) { $0.capacities.eventBytes = 1000 }, at: 50)
    #expect(harness.missed() == 34)
    let heard = harness.sightings()
    #expect(heard.map(\.payload) == (34..<40).map { AdvertisingPayload.made(by: 0x0EEE, UInt8($0)).bytes })
  }

  // MARK: Levels

  @Test("An immediate item that is new starts from the level that is known, and dwells from the reload on")
  func newImmediateItem() {
    let harness = DataPathHarness(lamp)
    for step: Int64 in 0..<20 { harness.hear(1, -40, .made(by: 0x0EEE), at: 100 * step) }
    harness.reload(lamp, .immediate(0x0EEE), at: 1950)
    #expect(harness.lines() == [])
    for step: Int64 in 20..<30 { harness.hear(1, -40, .made(by: 0x0EEE), at: 100 * step) }
    #expect(harness.lines() == ["2400 found bulb 1 entered"])
  }

  @Test("A level from before a silence starts no dwell")
  func staleLevel() {
    let slow = DisplayItem.immediate(0x0EEE) { $0.enterDwellMilliseconds = 0 }
    let harness = DataPathHarness(lamp)
    for step: Int64 in 0..<20 { harness.hear(1, -40, .made(by: 0x0EEE), at: 100 * step) }
    harness.reload(lamp, slow, at: 8000)
    #expect(harness.lines() == [])
  }

  @Test("An approach continues through a reload")
  func approach() {
    let touch = DisplayItem.immediate(0x0EEE)
    let harness = DataPathHarness(touch)
    for step: Int64 in 0..<4 { harness.hear(1, -40, .made(by: 0x0EEE), at: 100 * step) }
    harness.reload(lamp, touch, at: 350)
    for step: Int64 in 4..<8 { harness.hear(1, -40, .made(by: 0x0EEE), at: 100 * step) }
    #expect(harness.lines() == ["400 found bulb 1 entered"])
  }

  @Test("Levels follow a new adapter offset as though it had always been")
  func adapterOffset() {
    let twin = DataPathHarness(GatewayManifest([bulb]), adapterOffset: 7)
    let harness = DataPathHarness(GatewayManifest([bulb]), adapterOffset: -3)
    for step: Int64 in 0..<60 {
      let level = Int8(-60 - (step * 7) % 11)
      if step == 30 { harness.reload(GatewayManifest([bulb]), adapterOffset: 7, at: 100 * step - 50) }
      for each in [twin, harness] { each.hear(1, level, .made(by: 0x0EEE), at: 100 * step) }
      guard step >= 30 else { continue }
      #expect(harness.device(1)?.signal.level == twin.device(1)?.signal.level)
    }
    #expect(harness.lines().count == 1)
  }

  // MARK: Identities

  private static let key = Block128(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  private let identity = IdentityKey(key: key, identity: DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random))
  private let other = IdentityKey(
    key: Block128(high: 1, low: 2), identity: DeviceAddress(bits: 0xC0FF_EE00_0002, type: .random))

  private func address(_ minute: Int64) -> DeviceAddress {
    AddressPlan.resolvable(key: Self.key, rotationSeconds: 60).address(
      at: .milliseconds(60_000 * minute), seed: 7)
  }

  private func hear(_ harness: DataPathHarness, _ minute: Int64, at milliseconds: Int64) {
    harness.hear(
      AirReport(.connectable, from: address(minute), rssi: -60, .made(by: 0x0EEE)), at: milliseconds)
  }

  @Test("A new key identifies a known device: lost under its private address, found under its own")
  func newKey() {
    let harness = DataPathHarness(bulb)
    hear(harness, 0, at: 0)
    harness.reload(GatewayManifest([bulb]), identities: [other, identity], at: 10)
    let heard = harness.sightings()
    #expect(heard.map(\.sighting.event) == [.found, .lost, .found])
    #expect(heard.map(\.sighting.reason) == [.matched, .reload, .matched])
    let own = DeviceAddress(bits: identity.identity.bits, type: .randomIdentity)
    #expect(heard.map(\.sighting.address) == [address(0), address(0), own])
    hear(harness, 1, at: 20)
    #expect(harness.lines() == [])
    #expect(harness.counters.addressesFollowed == 1)
  }

  @Test("Without its key a device goes by its private address again")
  func removedKey() {
    let harness = DataPathHarness(GatewayManifest([bulb]), identities: [identity])
    hear(harness, 0, at: 0)
    _ = harness.lines()
    harness.reload(GatewayManifest([bulb]), identities: [other], at: 10)
    let heard = harness.sightings()
    #expect(heard.map(\.sighting.reason) == [.reload, .matched])
    #expect(
      heard.map(\.sighting.address) == [
        DeviceAddress(bits: identity.identity.bits, type: .randomIdentity), address(0),
      ])
    hear(harness, 1, at: 20)
    #expect(harness.deviceCount == 2)
  }

  @Test("A key that stays keeps its device, wherever it is in the file")
  func keptKey() {
    let harness = DataPathHarness(GatewayManifest([bulb]), identities: [identity])
    hear(harness, 0, at: 0)
    _ = harness.lines()
    harness.reload(GatewayManifest([bulb]), identities: [other, identity], at: 10)
    hear(harness, 1, at: 20)
    #expect(harness.lines() == [])
    #expect(harness.deviceCount == 1)
  }

  @Test("Two private addresses of one device by a new key become one, the one heard last")
  func merged() {
    let harness = DataPathHarness(bulb)
    hear(harness, 0, at: 0)
    hear(harness, 1, at: 5)
    _ = harness.lines()
    harness.reload(GatewayManifest([bulb]), identities: [identity], at: 10)
    #expect(harness.sightings().map(\.sighting.reason) == [.reload, .reload, .matched])
    #expect(harness.deviceCount == 1)
    #expect(harness.device(at: address(1))?.identity == 0)
  }
}
