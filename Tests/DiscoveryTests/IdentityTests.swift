// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Identities: keys that come and go with bonds")
struct IdentityTests {
  private static let key = Block128(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  private let company: UInt16 = 0x0EEE
  private let bulb = DisplayItem.company(0x0EEE)
  private let identity = IdentityKey(key: key, identity: DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random))
  private let own = DeviceAddress(bits: 0xC0FF_EE00_0001, type: .randomIdentity)

  private func address(_ minute: Int64) -> DeviceAddress {
    AddressPlan.resolvable(key: Self.key, rotationSeconds: 60).address(
      at: .milliseconds(60_000 * minute), seed: 7)
  }

  private func hear(
    _ harness: DataPathHarness, _ address: DeviceAddress, _ rssi: Int8 = -60,
    _ payload: AdvertisingPayload = .made(by: 0x0EEE), at milliseconds: Int64
  ) {
    harness.hear(AirReport(.connectable, from: address, rssi: rssi, payload), at: milliseconds)
  }

  private func other(_ number: UInt64) -> IdentityKey {
    IdentityKey(
      key: Block128(high: 9, low: number), identity: DeviceAddress(bits: 0xC1 << 40 | number, type: .random))
  }

  @Test(
    "A device whose key comes goes on in its row, without events, and stays there when its address changes")
  func newKey() throws {
    let harness = DataPathHarness(bulb)
    hear(harness, address(0), at: 0)
    #expect(harness.sightings().map(\.sighting.address) == [address(0)])
    #expect(harness.addIdentity(identity, at: 10))
    for minute: Int64 in 0..<4 { hear(harness, address(minute), at: 20 + 1000 * minute) }
    #expect(harness.lines() == [])
    #expect(harness.deviceCount == 1)
    #expect(harness.counters.addressesFollowed == 3)
    #expect(harness.device(at: own)?.reportCount == 5)
    harness.wait(until: 30_000)
    #expect(harness.sightings().map(\.sighting.address) == [own])
  }

  @Test("A device that has passed the gate when its key comes stays there when its address changes")
  func gate() {
    let harness = DataPathHarness(.immediate(company))
    for step: Int64 in 0..<20 { hear(harness, address(0), -35, at: 100 * step) }
    #expect(harness.sightings().map(\.sighting.event) == [.found])
    harness.addIdentity(identity, at: 2000)
    for step: Int64 in 20..<60 { hear(harness, address(step / 10), -35, at: 100 * step) }
    #expect(harness.lines() == [])
    for step: Int64 in 60..<120 { hear(harness, address(6), -90, at: 100 * step) }
    #expect(harness.sightings().map(\.sighting.event) == [.lost])
  }

  @Test(
    "What a controller resolved, the identity address itself and private addresses meet in one row",
    arguments: [DeviceAddress(bits: 0xC0FF_EE00_0001, type: .randomIdentity)], [true, false])
  func resolved(by controller: DeviceAddress, isKeyFirst: Bool) {
    let harness = DataPathHarness(bulb)
    if isKeyFirst { harness.addIdentity(identity, at: 0) }
    hear(harness, controller, at: 1)
    if !isKeyFirst { harness.addIdentity(identity, at: 2) }
    hear(harness, address(0), at: 3)
    hear(harness, controller.settled, at: 4)
    hear(harness, controller, at: 5)
    #expect(harness.sightings().map(\.sighting.address) == [own])
    #expect(harness.deviceCount == 1)
    #expect(harness.device(at: own)?.reportCount == 4)
  }

  @Test("A public identity is not a random one with the same bits")
  func addressType() {
    let harness = DataPathHarness(bulb)
    harness.addIdentity(identity, at: 0)
    hear(harness, DeviceAddress(bits: own.bits, type: .publicIdentity), at: 1)
    hear(harness, own, at: 2)
    #expect(harness.deviceCount == 2)
  }

  @Test("Of two private addresses the one heard last stays; what both were found as is lost once")
  func merged() {
    let harness = DataPathHarness(bulb)
    hear(harness, address(0), at: 0)
    hear(harness, address(1), at: 5)
    _ = harness.lines()
    harness.addIdentity(identity, at: 10)
    let heard = harness.sightings()
    #expect(heard.map(\.sighting.event) == [.lost])
    #expect(heard.map(\.sighting.address) == [address(0)])
    #expect(harness.deviceCount == 1)
    #expect(harness.device(at: address(1))?.identity == 0)
    #expect(harness.lines(until: 30_000) == ["10005 lost bulb 1 silence"])
  }

  @Test("What only the address that is heard no more was found as holds on, for its silence time")
  func mergedMatch() {
    let harness = DataPathHarness(bulb, .company(2, "lamp"))
    hear(harness, address(0), -60, .made(by: 2), at: 0)
    hear(harness, address(1), at: 5000)
    #expect(harness.lines().count == 2)
    harness.addIdentity(identity, at: 5001)
    #expect(harness.deviceCount == 1)
    #expect(harness.lines(until: 9999) == [])
    harness.wait(until: 30_000)
    #expect(harness.lines() == ["10000 lost lamp 1 noLongerMatches", "15000 lost bulb 1 silence"])
  }

  @Test(
    "An item that has found the earlier address keeps the device when the new one has not passed its gate")
  func mergedGate() {
    let harness = DataPathHarness(.immediate(company))
    for step: Int64 in 0..<20 { hear(harness, address(0), -35, at: 100 * step) }
    hear(harness, address(1), -35, at: 2000)
    #expect(harness.lines().count == 1)
    harness.addIdentity(identity, at: 2001)
    for step: Int64 in 21..<60 { hear(harness, address(1), -35, at: 100 * step) }
    #expect(harness.lines() == [])
    #expect(harness.deviceCount == 1)
  }

  @Test("Without its key a device goes by the address that it has on the air; its matches hold on")
  func removedKey() {
    let harness = DataPathHarness(bulb)
    harness.addIdentity(other(1), at: 0)
    harness.addIdentity(identity, at: 0)
    hear(harness, address(0), at: 1)
    _ = harness.lines()
    harness.removeIdentity(other(1), at: 2)
    hear(harness, address(1), at: 3)
    #expect(harness.deviceCount == 1)
    #expect(harness.device(at: own)?.identity == 0)
    harness.removeIdentity(identity, at: 4)
    #expect(harness.identityCount == 0)
    #expect(harness.lines() == [])
    #expect(harness.device(at: own) == nil)
    hear(harness, address(2), at: 5)
    #expect(harness.deviceCount == 2)
    // A key that comes back finds the device again.
    harness.addIdentity(identity, at: 6)
    #expect(harness.deviceCount == 1)
  }

  @Test("The last key takes the place of one that is removed, with its device")
  func movedKey() {
    let harness = DataPathHarness(bulb)
    let plan = AddressPlan.resolvable(key: other(1).key, rotationSeconds: 60)
    harness.addIdentity(other(1), at: 0)
    harness.addIdentity(identity, at: 0)
    hear(harness, plan.address(at: .milliseconds(0), seed: 3), at: 1)
    hear(harness, address(0), at: 1)
    harness.removeIdentity(other(1), at: 2)
    hear(harness, address(1), at: 3)
    #expect(harness.deviceCount == 2)
    #expect(harness.device(at: own)?.reportCount == 2)
  }

  @Test("An accessory is one by its identity: its row keeps it from eviction as soon as the key is there")
  func accessory() throws {
    let harness = DataPathHarness(bulb)
    harness.setAccessory(own.settled)
    hear(harness, address(0), at: 0)
    #expect(harness.device(at: address(0))?.isAccessory == false)
    harness.addIdentity(identity, at: 1)
    #expect(harness.device(at: own)?.isAccessory == true)
    hear(harness, address(1), at: 2)
    #expect(harness.device(at: own)?.isAccessory == true)
    harness.removeIdentity(identity, at: 3)
    #expect(harness.device(at: address(1))?.isAccessory == false)
  }

  @Test("The prefix of an address is compared with the identity as soon as the key is there")
  func prefix() {
    var item = DisplayItem(id: "own", name: "own")
    item.descriptor.addressPrefix = AddressPrefix(of: own.bits, byteCount: 3)
    let harness = DataPathHarness(GatewayManifest([item]))
    hear(harness, address(0), at: 0)
    harness.addIdentity(identity, at: 1)
    hear(harness, address(0), at: 2)
    #expect(harness.sightings().map(\.sighting.address) == [own])
  }

  @Test("There is room for a number of keys; one more is refused until a reload makes room")
  func full() {
    let harness = DataPathHarness(bulb)
    for number in 0..<UInt64(DataPath.spareIdentities) {
      #expect(harness.addIdentity(other(number), at: 0))
    }
    #expect(!harness.addIdentity(identity, at: 1))
    let keys = (0..<UInt64(DataPath.spareIdentities)).map(other)
    hear(harness, address(0), at: 2)
    harness.reload(GatewayManifest([bulb]), identities: keys, at: 3)
    #expect(harness.addIdentity(identity, at: 4))
    #expect(harness.sightings().map(\.sighting.event) == [.found])
    hear(harness, address(1), at: 5)
    #expect(harness.lines() == [])
    #expect(harness.deviceCount == 1)
  }
}
