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
    let listener = Listener(GatewayManifest(eight))
    listener.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = listener.lines()
    listener.reload(GatewayManifest([.company(0x0EEE, "first")] + eight), at: 10)
    #expect(listener.lines() == ["10 lost item7 1 evicted", "10 found first 1 matched"])
    #expect(listener.device(1)?.unkeptMatches == 1)
  }

  @Test("A ninth item that waited for a place takes that of one that was removed")
  func placeForTheNinth() {
    let nine = (0..<9).map { DisplayItem.company(0x0EEE, "item\($0)") }
    let listener = Listener(GatewayManifest(nine))
    listener.hear(1, -60, .made(by: 0x0EEE), at: 0)
    _ = listener.lines()
    listener.reload(GatewayManifest(Array(nine.dropFirst())), at: 10)
    #expect(listener.lines() == ["10 lost item0 1 reload", "10 found item8 1 matched"])
  }

  @Test("With a smaller quota those heard least recently give way")
  func smallerQuota() {
    let listener = Listener(manifest { $0.matchesPerItem = 4 })
    for number: UInt64 in 0..<4 {
      for round: Int64 in 0..<3 {
        listener.hear(number, -60, .made(by: 0x0EEE), at: 100 * round + Int64(number))
      }
    }
    _ = listener.lines()
    listener.reload(manifest { $0.matchesPerItem = 2 }, at: 1000)
    #expect(listener.lines() == ["1000 lost bulb 0 evicted", "1000 lost bulb 1 evicted"])
    #expect(listener.counters.matchesEvicted == 2)
  }

  @Test("A new item fills its quota and no more; no device gives way within the reload")
  func newQuota() {
    let listener = Listener(manifest { $0.matchesPerItem = 3 })
    for number: UInt64 in 0..<9 { listener.hear(number, -60, .made(by: 2), at: Int64(number)) }
    listener.reload(manifest(bulb, .company(2, "lamp")) { $0.matchesPerItem = 3 }, at: 10)
    #expect(
      listener.lines() == [
        "10 found lamp 0 matched", "10 found lamp 1 matched", "10 found lamp 2 matched",
      ])
    #expect(listener.counters.matchesTurnedAway == 6)
    // A device that waits competes with its next report, as always.
    listener.hear(8, -60, .made(by: 2), at: 20)
    #expect(listener.lines() == ["20 lost lamp 0 evicted", "20 found lamp 8 matched"])
  }

  // MARK: Rows

  @Test("A smaller table keeps accessories, then what matches, then the unknown devices heard last")
  func fewerDevices() {
    let listener = Listener(manifest { $0.devices = 40 })
    for number: UInt64 in 0..<30 { listener.hear(number, -60, .made(by: 1), at: Int64(number)) }
    for number: UInt64 in 30..<38 { listener.hear(number, -60, .made(by: 0x0EEE), at: Int64(number)) }
    listener.setAccessory(.device(3))
    _ = listener.lines()
    listener.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(listener.deviceCount == 16)
    #expect(listener.lines() == [])
    for number: UInt64 in [3] + Array(23..<38) { #expect(listener.device(number) != nil, "\(number)") }
    #expect(listener.counters.unknownDevicesEvicted == 22)
    #expect(listener.found(30) == ["bulb"])
    listener.hear(100, -60, .made(by: 1), at: 101)
    #expect(listener.device(23) == nil)
  }

  @Test("Matching devices that a smaller table cannot hold are lost as evicted")
  func fewerMatchingDevices() {
    let listener = Listener(manifest { $0.devices = 32 })
    for number: UInt64 in 0..<18 { listener.hear(number, -60, .made(by: 0x0EEE), at: Int64(number)) }
    _ = listener.lines()
    listener.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(listener.lines() == ["100 lost bulb 0 evicted", "100 lost bulb 1 evicted"])
  }

  @Test("What the reload ends is lost by it, even when the table has no room for the device either")
  func fewerDevicesOfARemovedItem() {
    let listener = Listener(manifest(bulb, .company(2, "lamp")) { $0.devices = 32 })
    for number: UInt64 in 0..<17 { listener.hear(number, -60, .made(by: 2), at: Int64(number)) }
    _ = listener.lines()
    listener.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(listener.lines() == (0..<17).map { "100 lost lamp \($0) reload" })
    #expect(listener.deviceCount == 16)
  }

  @Test("A larger table keeps everything and has room for more")
  func moreDevices() {
    let listener = Listener(manifest { $0.devices = 16 })
    for number: UInt64 in 0..<16 { listener.hear(number, -60, .made(by: 0x0EEE), at: Int64(number)) }
    _ = listener.lines()
    listener.reload(manifest { $0.devices = 64 }, at: 100)
    for number: UInt64 in 16..<64 { listener.hear(number, -60, .made(by: 1), at: 101) }
    #expect(listener.lines() == [])
    #expect(listener.deviceCount == 64)
    #expect(listener.counters.unknownDevicesEvicted == 0)
  }

  @Test("Fewer places for accessories: those marked last are devices like others")
  func fewerAccessories() {
    let listener = Listener(manifest { $0.accessories = 3 })
    for number: UInt64 in 0..<3 {
      listener.hear(number, -60, .made(by: 1), at: 0)
      listener.setAccessory(.device(number))
    }
    listener.reload(manifest { $0.accessories = 2 }, at: 10)
    #expect((0..<3).map { listener.device($0)?.isAccessory } == [true, true, false])
    #expect(!listener.setAccessory(.device(2)))
  }

  // MARK: Payloads

  @Test("Sets beyond a smaller pool go, those of unknown devices first, and every device keeps its newest")
  func fewerSets() {
    let listener = Listener(manifest { $0.devices = 400 })
    for set: UInt8 in 0..<16 {
      for number: UInt64 in 0..<8 {
        let company: UInt16 = number == 0 ? 0x0EEE : 1
        listener.hear(extended(number, set: set, .made(by: company, set)), at: Int64(set))
      }
    }
    _ = listener.lines()
    // 16 rows and 64 more sets: 48 of the 128 go.
    listener.reload(manifest { $0.devices = 16 }, at: 100)
    #expect(listener.counters.setsReplaced == 48)
    #expect(listener.deviceCount == 8)
    #expect(listener.lines() == [])
    listener.wait(until: 30_000)
    #expect(listener.lines() == ["10015 lost bulb 0 silence"])
  }

  @Test("Long payloads beyond a smaller pool go, those that bear a match last")
  func fewerLongPayloads() {
    let listener = Listener(manifest { $0.longPayloads = 4 })
    listener.hear(long(1, .made(by: 0x0EEE)), at: 0)
    listener.hear(long(2, .made(by: 0x0EEE)), at: 1)
    listener.hear(long(3, .made(by: 1)), at: 2)
    _ = listener.lines()
    listener.reload(manifest { $0.longPayloads = 2 }, at: 10)
    #expect(listener.lines() == [])
    listener.reload(manifest { $0.longPayloads = 1 }, at: 20)
    #expect(listener.lines() == ["20 lost bulb 1 evicted"])
    #expect(listener.counters.longPayloadsEvicted == 2)
    #expect(listener.found(2) == ["bulb"])
  }

  @Test("A chain of fragments goes on through a reload, unless there is no place for it")
  func chains() {
    for places: Int32 in [2, 8, 1] {
      let listener = Listener(manifest { $0.reassemblies = 2 })
      let first = ReportEncoder.chain(long(1, .made(by: 0x0EEE)), fragmentByteCount: 20)
      let second = ReportEncoder.chain(long(2, .made(by: 0x0EEE)), fragmentByteCount: 20)
      for chain in [first, second] { for packet in chain.dropLast() { listener.receive(packet, at: 0) } }
      listener.reload(manifest { $0.reassemblies = places }, at: 10)
      for chain in [first, second] { listener.receive(chain[chain.count - 1], at: 20) }
      #expect(listener.found(1) == ["bulb"])
      #expect(listener.found(2) == (places > 1 ? ["bulb"] : []))
      #expect(listener.assemblerCounters.displaced == (places > 1 ? 0 : 1))
    }
  }
}
