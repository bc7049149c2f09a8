// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Reload: room in the tables")
struct ReloadSceneTests {
  private let bulb = DisplayItem.company(0x0EEE)

  private func manifest(_ items: DisplayItem..., adjust: (inout Capacities) -> Void) -> GatewayManifest {
    GatewayManifest(items.isEmpty ? [bulb] : items) { adjust(&$0.capacities) }
  }

  private func extended(_ number: UInt64, set: UInt8, _ payload: AdvertisingPayload) -> AirReport {
    AirReport(extendedFrom: .device(number), set: set, properties: .connectable, rssi: -60, payload)
  }

  private func long(_ number: UInt64, _ payload: AdvertisingPayload) -> AirReport {
    extended(number, set: 1, payload.structure(0x26, [UInt8](repeating: 1, count: 40)))
  }

  // MARK: Matches

  @Test("A new item in front of eight that are found takes the place of the last")
  func ninthItem() {
    let eight = (0..<8).map { DisplayItem.company(0x0EEE, "item\($0)") }
    let harness = DataPathHarness(GatewayManifest(eight))
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = harness.lines()
    harness.reload(GatewayManifest([.company(0x0EEE, "first")] + eight), at: 10)
    #expect(harness.lines() == ["10 lost item7 1 evicted", "10 found first 1 matched"])
    #expect(harness.device(1)?.unkeptMatches == 1)
  }

  @Test("A ninth item that waited for a place takes that of one that was removed")
  func placeForTheNinth() {
    let nine = (0..<9).map { DisplayItem.company(0x0EEE, "item\($0)") }
    let harness = DataPathHarness(GatewayManifest(nine))
    harness.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = harness.lines()
    harness.reload(GatewayManifest(Array(nine.dropFirst())), at: 10)
    #expect(harness.lines() == ["10 lost item0 1 reload", "10 found item8 1 matched"])
  }

  @Test("With a smaller quota those heard least recently give way")
  func smallerQuota() {
    let harness = DataPathHarness(manifest { $0.matchesPerItem = 4 })
    for number: UInt64 in 0..<4 {
      for round: Int64 in 0..<3 {
        harness.hear(number, -60, .made(by: 0x0EEE), at: 100 * round + Int64(number))
      }
    }
    _ = harness.lines()
    harness.reload(manifest { $0.matchesPerItem = 2 }, at: 1000)
    #expect(harness.lines() == ["1000 lost bulb 0 evicted", "1000 lost bulb 1 evicted"])
    #expect(harness.counters.matchesEvicted == 2)
  }

  @Test("A new item fills its quota and no more; no device gives way within the reload")
  func newQuota() {
    let harness = DataPathHarness(manifest { $0.matchesPerItem = 3 })
    for number: UInt64 in 0..<9 { harness.hear(number, -60, .made(by: 2), at: Int64(number)) }
    harness.reload(manifest(bulb, .company(2, "lamp")) { $0.matchesPerItem = 3 }, at: 10)
    #expect(
      harness.lines() == [
        "10 found lamp 0 matched", "10 found lamp 1 matched", "10 found lamp 2 matched",
      ])
    #expect(harness.counters.matchesTurnedAway == 6)
    // A device that waits competes with its next report, as always.
    for step: Int64 in 2...4 { harness.hear(8, -50, .made(by: 2), at: 10 * step) }
    #expect(harness.lines() == ["30 lost lamp 0 evicted", "30 found lamp 8 matched"])
  }

  // MARK: Rows

  @Test("A smaller table keeps accessories, then what matches, then the unknown devices heard last")
  func fewerDevices() {
    let harness = DataPathHarness(manifest { $0.devices = 40 })
    for number: UInt64 in 0..<30 { harness.hear(number, -60, .made(by: 1), at: Int64(number)) }
    for number: UInt64 in 30..<38 { harness.hear(number, -60, .made(by: 0x0EEE), at: Int64(number)) }
    harness.setAccessory(.device(3))
    _ = harness.lines()
    harness.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(harness.deviceCount == 16)
    #expect(harness.lines() == [])
    for number: UInt64 in [3] + Array(23..<38) { #expect(harness.device(number) != nil, "\(number)") }
    #expect(harness.counters.unknownDevicesEvicted == 22)
    #expect(harness.found(30) == ["bulb"])
    harness.hear(100, -60, .made(by: 1), at: 101)
    #expect(harness.device(23) == nil)
  }

  @Test("Matching devices that a smaller table cannot hold are lost as evicted")
  func fewerMatchingDevices() {
    let harness = DataPathHarness(manifest { $0.devices = 32 })
    for number: UInt64 in 0..<18 { harness.hear(number, -60, .made(by: 0x0EEE), at: Int64(number)) }
    _ = harness.lines()
    harness.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(harness.lines() == ["100 lost bulb 0 evicted", "100 lost bulb 1 evicted"])
  }

  @Test("What the reload ends is lost by it, even when the table has no room for the device either")
  func fewerDevicesOfARemovedItem() {
    let harness = DataPathHarness(manifest(bulb, .company(2, "lamp")) { $0.devices = 32 })
    for number: UInt64 in 0..<17 { harness.hear(number, -60, .made(by: 2), at: Int64(number)) }
    _ = harness.lines()
    harness.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(harness.lines() == (0..<17).map { "100 lost lamp \($0) reload" })
    #expect(harness.deviceCount == 16)
  }

  @Test("A larger table keeps everything and has room for more")
  func moreDevices() {
    let harness = DataPathHarness(manifest { $0.devices = 16 })
    for number: UInt64 in 0..<16 { harness.hear(number, -60, .made(by: 0x0EEE), at: Int64(number)) }
    _ = harness.lines()
    harness.reload(manifest { $0.devices = 64 }, at: 100)
    for number: UInt64 in 16..<64 { harness.hear(number, -60, .made(by: 1), at: 101) }
    #expect(harness.lines() == [])
    #expect(harness.deviceCount == 64)
    #expect(harness.counters.unknownDevicesEvicted == 0)
  }

  @Test("Fewer places for accessories: those marked last are devices like others")
  func fewerAccessories() {
    let harness = DataPathHarness(manifest { $0.accessories = 3 })
    for number: UInt64 in 0..<3 {
      harness.hear(number, -60, .made(by: 1), at: 0)
      harness.setAccessory(.device(number))
    }
    harness.reload(manifest { $0.accessories = 2 }, at: 10)
    #expect((0..<3).map { harness.device($0)?.isAccessory } == [true, true, false])
    #expect(!harness.setAccessory(.device(2)))
  }

  // MARK: Payloads

  @Test("Sets beyond a smaller pool go, those of unknown devices first, and every device keeps its newest")
  func fewerSets() {
    let harness = DataPathHarness(manifest { $0.devices = 400 })
    for set: UInt8 in 0..<16 {
      for number: UInt64 in 0..<8 {
        let company: UInt16 = number == 0 ? 0x0EEE : 1
        harness.hear(extended(number, set: set, .made(by: company, set)), at: Int64(set))
      }
    }
    _ = harness.lines()
    // 16 rows and 64 more sets: 48 of the 128 go.
    harness.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(harness.counters.setsReplaced == 48)
    #expect(harness.deviceCount == 8)
    #expect(harness.lines() == [])
    #expect(harness.lines(until: 30_000) == ["10015 lost bulb 0 silence"])
  }

  @Test("Long payloads beyond a smaller pool go, those that bear a match last")
  func fewerLongPayloads() {
    let harness = DataPathHarness(manifest { $0.longPayloads = 4 })
    harness.hear(long(1, .made(by: 0x0EEE)), at: 0)
    harness.hear(long(2, .made(by: 0x0EEE)), at: 1)
    harness.hear(long(3, .made(by: 1)), at: 2)
    _ = harness.lines()
    harness.reload(manifest { $0.longPayloads = 2 }, at: 10)
    #expect(harness.lines() == [])
    harness.reload(manifest { $0.longPayloads = 1 }, at: 20)
    #expect(harness.lines() == [])
    #expect(harness.counters.longPayloadsEvicted == 2)
    harness.hear(long(2, .made(by: 0x0EEE)), at: 9000)
    #expect(harness.lines(until: 10_000) == ["10000 lost bulb 1 silence"])
    #expect(harness.found(2) == ["bulb"])
  }

  @Test("A chain of fragments continues through a reload, unless no slot is free")
  func chains() {
    for places: Int32 in [2, 8, 1] {
      let harness = DataPathHarness(manifest { $0.reassemblies = 2 })
      let first = ReportEncoder.chain(long(1, .made(by: 0x0EEE)), fragmentByteCount: 20)
      let second = ReportEncoder.chain(long(2, .made(by: 0x0EEE)), fragmentByteCount: 20)
      for chain in [first, second] { for packet in chain.dropLast() { harness.receive(packet, at: 0) } }
      harness.reload(manifest { $0.reassemblies = places }, at: 10)
      for chain in [first, second] { harness.receive(chain[chain.count - 1], at: 20) }
      #expect(harness.found(1) == ["bulb"])
      #expect(harness.found(2) == (places > 1 ? ["bulb"] : []))
      #expect(harness.assemblerCounters.displaced == (places > 1 ? 0 : 1))
    }
  }
}
