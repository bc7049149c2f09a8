// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Capacities")
struct CapacityTests {
  private let company: UInt16 = 0x0EEE

  private func harness(_ items: DisplayItem..., adjust: (inout Capacities) -> Void) -> DataPathHarness {
    DataPathHarness(GatewayManifest(items.isEmpty ? [.company(company)] : items) { adjust(&$0.capacities) })
  }

  // MARK: Rows

  @Test("The unknown device heard least recently gives its row")
  func unknownDevices() {
    let harness = harness { $0.devices = 16 }
    for number: UInt64 in 0..<16 { harness.hear(number, -60, .made(by: 1), at: Int64(number)) }
    harness.hear(0, -60, .made(by: 1), at: 100)  // Heard again: 1 is now the oldest.
    harness.hear(16, -60, .made(by: 1), at: 101)
    #expect(harness.device(1) == nil)
    #expect(harness.device(0) != nil)
    #expect(harness.counters.unknownDevicesEvicted == 1)
    #expect(harness.deviceCount == 16)
  }

  @Test("Unknown devices give way before devices that match, however long those were silent")
  func unknownDevicesFirst() {
    let harness = harness(.company(company) { $0.gate.lostMilliseconds = 300_000 }) { $0.devices = 16 }
    for number: UInt64 in 0..<8 { harness.hear(number, -60, .made(by: company), at: 0) }
    for number: UInt64 in 100..<200 { harness.hear(number, -60, .made(by: 1), at: Int64(number)) }
    for number: UInt64 in 0..<8 { #expect(harness.found(number) == ["bulb"]) }
    #expect(harness.counters.matchingDevicesEvicted == 0)
    #expect(harness.counters.unknownDevicesEvicted == 92)
  }

  @Test("Without unknown devices the matching device heard least recently is lost")
  func matchingDevices() {
    let harness = harness { $0.devices = 16 }
    for number: UInt64 in 0..<16 { harness.hear(number, -60, .made(by: company), at: Int64(number)) }
    _ = harness.lines()
    harness.hear(50, -60, .made(by: 1), at: 100)
    #expect(harness.lines() == ["100 lost bulb 0 evicted"])
    #expect(harness.counters.matchingDevicesEvicted == 1)
    harness.hear(51, -60, .made(by: 1), at: 101)  // The earlier unknown device gives way.
    #expect(harness.lines() == [])
    #expect(harness.device(50) == nil)
  }

  @Test("A device that was lost is an unknown device as old as its last report")
  func lateUnknownDevices() {
    let harness = harness { $0.devices = 80 }
    harness.hear(1, -60, .made(by: company), at: 0)
    for number: UInt64 in 100..<179 { harness.hear(number, -60, .made(by: 1), at: 1000 + Int64(number)) }
    // The queue of victims is filled now, and 1 still matches.
    harness.hear(200, -60, .made(by: 1), at: 5000)
    #expect(harness.device(100) == nil)
    harness.wait(until: 10_000)
    #expect(harness.device(1)?.matchCount == 0)
    harness.hear(201, -60, .made(by: 1), at: 10_001)
    #expect(harness.device(1) == nil)
    #expect(harness.device(101) != nil)
  }

  @Test("Accessories are never evicted, and a table full of them turns others away")
  func accessories() {
    let harness = harness { $0.devices = 16 }
    for number: UInt64 in 0..<16 {
      #expect(harness.setAccessory(.device(number)))
      harness.hear(number, -60, .made(by: number < 8 ? company : 1), at: 0)
    }
    for number: UInt64 in 100..<300 { harness.hear(number, -60, .made(by: company), at: Int64(number)) }
    for number: UInt64 in 0..<16 { #expect(harness.device(number) != nil) }
    #expect(harness.counters.devicesTurnedAway == 200)
    #expect(harness.deviceCount == 16)
  }

  @Test("An accessory that is one no more gives way like others")
  func formerAccessory() {
    let harness = harness { $0.devices = 16 }
    for number: UInt64 in 0..<16 {
      harness.setAccessory(.device(number))
      harness.hear(number, -60, .made(by: 1), at: Int64(number))
    }
    #expect(harness.setAccessory(.device(7), false))
    harness.hear(100, -60, .made(by: 1), at: 100)
    #expect(harness.device(7) == nil)
    #expect(harness.counters.unknownDevicesEvicted == 1)
  }

  @Test("A former accessory that matches gives way in its turn")
  func formerMatchingAccessory() {
    let harness = harness { $0.devices = 16 }
    for number: UInt64 in 0..<16 { harness.hear(number, -60, .made(by: company), at: Int64(number)) }
    harness.setAccessory(.device(0))
    harness.hear(16, -60, .made(by: company), at: 20)
    harness.setAccessory(.device(0), false)
    _ = harness.lines()
    harness.hear(17, -60, .made(by: company), at: 21)
    #expect(harness.lines() == ["21 lost bulb 0 evicted", "21 found bulb 17 matched"])
  }

  @Test("More accessories than there are places for are refused, the same one twice is not")
  func accessoryPlaces() {
    let harness = harness { $0.accessories = 2 }
    #expect(harness.setAccessory(.device(1)))
    #expect(harness.setAccessory(.device(1)))
    #expect(harness.setAccessory(.device(2)))
    #expect(!harness.setAccessory(.device(3)))
    #expect(harness.setAccessory(.device(1), false))
    #expect(harness.setAccessory(.device(3)))
  }

  // MARK: Eight matches

  private let nineItems = (0..<9).map { DisplayItem.company(0x0EEE, "i\($0)") }

  @Test("Of nine items that match, the first eight of the manifest are found and the ninth is counted")
  func eightMatches() {
    let harness = DataPathHarness(GatewayManifest(nineItems))
    harness.hear(1, -60, .made(by: company), at: 0)
    #expect(harness.lines() == (0..<8).map { "0 found i\($0) 1 matched" })
    #expect(harness.counters.matchesBeyondCapacity == 1)
    #expect(harness.device(1)?.unkeptMatches == 1)
  }

  /// Item 0 is for company 1, items 1...8 for company 0x0EEE.
  private var lateFirst: [DisplayItem] {
    [.company(1, "i0")] + (1..<9).map { .company(0x0EEE, "i\($0)") }
  }

  private func set(_ id: UInt8, _ payload: AdvertisingPayload) -> AirReport {
    AirReport(extendedFrom: .device(1), set: id, properties: .connectable, rssi: -60, payload)
  }

  @Test(
    "An item that still matches, but after eight others now, is lost for want of room and not of a match")
  func crowdedOut() {
    let harness = DataPathHarness(GatewayManifest(lateFirst))
    harness.hear(1, -60, .made(by: company), at: 0)
    _ = harness.lines()
    let both = AdvertisingPayload().manufacturerData(1, []).manufacturerData(0x0EEE, [0xA5])
    harness.hear(1, -60, both, at: 2000)
    #expect(
      harness.lines().filter { !$0.contains("changed") } == [
        "2000 lost i8 1 evicted", "2000 found i0 1 matched",
      ])
    for step: Int64 in 4...14 { harness.hear(1, -60, .made(by: 7), at: 1000 * step) }
    let lines = harness.lines()
    #expect(lines.count == 8 && lines.allSatisfy { $0.contains("noLongerMatches") })
  }

  @Test("An item before them displaces the eighth match, which returns when the place is free again")
  func displacement() {
    let harness = DataPathHarness(GatewayManifest(lateFirst))
    harness.hear(set(1, .made(by: company)), at: 0)
    _ = harness.lines()
    harness.hear(set(2, .made(by: 1)), at: 10)
    #expect(harness.lines() == ["10 lost i8 1 evicted", "10 found i0 1 matched"])
    for step: Int64 in 0...10 {
      harness.hear(set(2, AdvertisingPayload()), at: 20 + 1000 * step)
      if step < 10 { harness.hear(set(1, .made(by: company)), at: 21 + 1000 * step) }
    }
    #expect(harness.lines() == ["10020 lost i0 1 noLongerMatches"])
    harness.hear(set(1, .made(by: company)), at: 10_030)
    #expect(harness.lines() == ["10030 found i8 1 matched"])
  }

  @Test("An item after eight that are found waits for a place and takes it")
  func waitingItem() {
    let items = (0..<8).map { DisplayItem.company(0x0EEE, "i\($0)") } + [.company(1, "last")]
    let harness = DataPathHarness(GatewayManifest(items))
    harness.hear(set(1, .made(by: company)), at: 0)
    harness.hear(set(2, .made(by: 1)), at: 10)
    #expect(harness.lines() == (0..<8).map { "0 found i\($0) 1 matched" })
    for step: Int64 in 0...10 { harness.hear(set(1, AdvertisingPayload()), at: 20 + 1000 * step) }
    _ = harness.lines()
    harness.hear(set(2, .made(by: 1)), at: 10_030)
    #expect(harness.lines() == ["10030 found last 1 matched"])
  }

  @Test("An item without room in its quota displaces nothing")
  func fullQuotaDisplacesNothing() {
    let manifest = GatewayManifest(lateFirst) { $0.capacities.matchesPerItem = 2 }
    let harness = DataPathHarness(manifest)
    for step: Int64 in 0..<4 {
      for number: UInt64 in 8...9 { harness.hear(number, -60, .made(by: 1), at: 10 * step) }
    }
    harness.hear(set(1, .made(by: company)), at: 40)
    _ = harness.lines()
    harness.hear(set(2, .made(by: 1)), at: 50)
    #expect(harness.lines() == [])
    #expect(harness.counters.matchesTurnedAway == 1)
    #expect(harness.device(1)?.matchCount == 8)
  }

  // MARK: Quotas

  @Test("Accessories do not count against the quota")
  func quotaAccessories() {
    let harness = harness { $0.matchesPerItem = 2 }
    for number: UInt64 in 1...10 {
      harness.setAccessory(.device(number))
      harness.hear(number, -60, .made(by: company), at: 0)
    }
    for number: UInt64 in 11...12 { harness.hear(number, -60, .made(by: company), at: 1) }
    #expect(harness.lines().count == 12)
  }

  @Test("A former accessory counts again, and the quota holds")
  func quotaFormerAccessory() {
    let harness = harness { $0.matchesPerItem = 2 }
    harness.setAccessory(.device(1))
    for number: UInt64 in 1...3 { harness.hear(number, -60, .made(by: company), at: Int64(number)) }
    _ = harness.lines()
    harness.setAccessory(.device(1), false)
    #expect(harness.lines() == ["3 lost bulb 1 evicted"])
  }

  // MARK: Long payloads and sets

  private func long(_ number: UInt64, _ payload: AdvertisingPayload) -> AirReport {
    AirReport(
      extendedFrom: .device(number), set: 1, properties: .connectable, rssi: -60,
      payload.structure(0x26, [UInt8](repeating: UInt8(number & 255), count: 60)))
  }

  @Test("When the pool is full the unknown device heard least recently loses its long payload")
  func longPayloads() {
    let harness = harness { $0.longPayloads = 4 }
    for number: UInt64 in 1...4 {
      harness.hear(long(number, number == 1 ? .made(by: company) : AdvertisingPayload()), at: Int64(number))
    }
    harness.hear(long(5, .made(by: company)), at: 10)
    #expect(harness.lines() == ["1 found bulb 1 matched", "10 found bulb 5 matched"])
    #expect(harness.counters.longPayloadsEvicted == 1)
    let unchanged = harness.counters.reportsUnchanged
    harness.hear(long(3, AdvertisingPayload()), at: 20)
    #expect(harness.counters.reportsUnchanged == unchanged + 1)  // 2 gave way, not 3.
  }

  @Test("A pool full of matches turns unknown devices away, and their short payloads still count")
  func fullPool() {
    let harness = harness { $0.longPayloads = 2 }
    harness.hear(long(1, .made(by: company)), at: 0)
    harness.hear(long(2, .made(by: company)), at: 0)
    harness.hear(long(3, .made(by: company)), at: 1)
    #expect(harness.counters.longPayloadsTurnedAway == 1)
    #expect(harness.found(3) == [])
    harness.hear(
      AirReport(extendedFrom: .device(3), set: 1, properties: .connectable, rssi: -60, .made(by: company)),
      at: 2)
    #expect(harness.found(3) == ["bulb"])
  }

  @Test("Devices that matched and fell silent give their long payloads back")
  func departedLongPayloads() {
    let harness = harness { $0.longPayloads = 2 }
    harness.hear(long(1, .made(by: company)), at: 0)
    harness.hear(long(2, .made(by: company)), at: 0)
    harness.hear(long(3, .made(by: company)), at: 20_000)
    #expect(harness.found(3) == ["bulb"])
    #expect(harness.counters.longPayloadsTurnedAway == 0)
  }

  @Test("A payload of 31 bytes needs no place in the pool, one of 32 does")
  func inlineBorder() {
    let harness = harness { $0.longPayloads = 0 }
    let fits = AdvertisingPayload.made(by: company).structure(0x26, [UInt8](repeating: 1, count: 24))
    #expect(fits.bytes.count == 31)
    harness.hear(1, -60, fits, at: 0)
    #expect(harness.found(1) == ["bulb"])
    let tooLong = AirReport(
      extendedFrom: .device(2), set: 1, properties: .connectable, rssi: -60,
      AdvertisingPayload.made(by: company).structure(0x26, [UInt8](repeating: 1, count: 25)))
    harness.hear(tooLong, at: 0)
    #expect(harness.found(2) == [])
    #expect(harness.counters.longPayloadsTurnedAway == 1)
  }

  @Test("A few addresses with many sets each do not make the gateway deaf")
  func manySets() {
    let harness = harness { $0.devices = 64 }  // 128 sets
    for number: UInt64 in 1...20 {
      for set: UInt8 in 0..<16 {
        harness.hear(
          AirReport(
            extendedFrom: .device(number), set: set, properties: .connectable, rssi: -60, .made(by: 1)),
          at: Int64(number))
      }
    }
    #expect(harness.counters.setsReplaced + harness.counters.unknownDevicesEvicted > 0)
    for number: UInt64 in 1000..<1010 { harness.hear(number, -60, .made(by: company), at: 100) }
    for number: UInt64 in 1000..<1010 { #expect(harness.found(number) == ["bulb"]) }
    #expect(harness.counters.setsTurnedAway == 0)
  }

  @Test("An accessory gets a second set although unknown devices hold them all")
  func accessorySets() {
    let harness = harness { $0.devices = 64 }
    harness.setAccessory(.device(1))
    harness.hear(set(1, .made(by: company)), at: 0)
    for number: UInt64 in 2...20 {
      for set: UInt8 in 0..<16 {
        harness.hear(
          AirReport(
            extendedFrom: .device(number), set: set, properties: .connectable, rssi: -60, .made(by: 1)),
          at: Int64(number))
      }
    }
    harness.hear(set(2, AdvertisingPayload().name("second")), at: 100)
    #expect(harness.found(1) == ["bulb"])
  }

  // MARK: Identity keys

  @Test("A row follows its device from one private address to the next, and events give the identity")
  func rotation() throws {
    let key = Block128(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    let identity = DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random)
    let plan = AddressPlan.resolvable(key: key, rotationSeconds: 900)
    let harness = DataPathHarness(
      GatewayManifest([.company(company)]), identities: [IdentityKey(key: key, identity: identity)])
    harness.setAccessory(DeviceAddress(bits: identity.bits, type: .randomIdentity))
    var seen: Set<DeviceAddress> = []
    for minute: Int64 in 0..<60 {
      let address = plan.address(at: .milliseconds(60_000 * minute), seed: 7)
      seen.insert(address)
      harness.hear(
        AirReport(.connectable, from: address, rssi: -60, .made(by: company)), at: 60_000 * minute)
      harness.hear(
        AirReport(.connectable, from: address, rssi: -60, .made(by: company)), at: 60_000 * minute + 100)
      #expect(harness.deviceCount == 1)
    }
    #expect(seen.count == 4)
    #expect(harness.counters.addressesFollowed == 3)
    let device = try #require(harness.device(at: DeviceAddress(bits: identity.bits, type: .randomIdentity)))
    #expect(device.isAccessory)
    #expect(device.reportCount == 120)
    for sighting in harness.sightings() {
      #expect(sighting.sighting.address == DeviceAddress(bits: identity.bits, type: .randomIdentity))
    }
  }

  @Test("A private address that no key resolves is an unknown device of its own")
  func unresolved() {
    let key = Block128(high: 1, low: 2)
    let other = AddressPlan.resolvable(key: Block128(high: 3, low: 4), rotationSeconds: 60)
    let harness = DataPathHarness(
      GatewayManifest([.company(company)]),
      identities: [IdentityKey(key: key, identity: DeviceAddress(bits: 5, type: .public))])
    for minute: Int64 in 0..<5 {
      let address = other.address(at: .milliseconds(60_000 * minute), seed: 1)
      harness.hear(
        AirReport(.connectable, from: address, rssi: -60, .made(by: company)), at: 60_000 * minute)
    }
    #expect(harness.deviceCount == 5)
    #expect(harness.counters.addressesFollowed == 0)
  }

  @Test("The prefix of an address is compared with the identity, whatever address is on the air")
  func identityPrefix() {
    let key = Block128(high: 1, low: 2)
    let identity = DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random)
    let plan = AddressPlan.resolvable(key: key, rotationSeconds: 5)
    var item = DisplayItem(id: "own", name: "own")
    item.descriptor.addressPrefix = AddressPrefix(of: identity.bits, byteCount: 3)
    let known = DataPathHarness(
      GatewayManifest([item]), identities: [IdentityKey(key: key, identity: identity)])
    let unknown = DataPathHarness(GatewayManifest([item]))
    for second: Int64 in 0..<12 {
      let address = plan.address(at: .milliseconds(1000 * second), seed: 7)
      for harness in [known, unknown] {
        harness.hear(
          AirReport(.connectable, from: address, rssi: -60, AdvertisingPayload()), at: 1000 * second)
      }
    }
    #expect(known.lines() == ["0 found own 1 matched"])
    #expect(known.counters.addressesFollowed == 2)
    #expect(unknown.lines() == [])
  }

  @Test("A company and the prefix of an address hold together")
  func companyAndPrefix() {
    let item = DisplayItem.company(company) {
      $0.descriptor.addressPrefix = AddressPrefix(of: 0xC0DE << 32, byteCount: 2)
    }
    let harness = DataPathHarness(GatewayManifest([item]))
    harness.hear(1, -60, .made(by: company), at: 0)
    let other = DeviceAddress(bits: 0xC0DF << 32, type: .random)
    harness.hear(AirReport(.connectable, from: other, rssi: -60, .made(by: company)), at: 1)
    #expect(harness.lines() == ["0 found bulb 1 matched"])
  }
}
