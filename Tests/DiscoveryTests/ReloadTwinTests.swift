// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Reload: a twin that is never reloaded")
struct ReloadTwinTests {
  @Test(
    "Reloading the same manifest changes nothing at all, in however little room", arguments: UInt64(1)...4)
  func sameManifest(seed: UInt64) {
    let manifest = GatewayManifest(.ofTheScene) {
      $0.capacities.devices = 16
      $0.capacities.longPayloads = 3
      $0.capacities.matchesPerItem = 4
      $0.capacities.accessories = 4
      $0.capacities.reassemblies = 2
    }
    let twin = DataPathHarness(manifest)
    let harness = DataPathHarness(manifest)
    var scene = RandomScene(devices: 40, seed: seed)
    var dice = SeededGenerator(seed: seed, stream: 1)
    for step in 0..<1200 {
      var last: Int64 = 0
      for report in scene.next() {
        for packet in report.packets {
          // A report's time may lie before the last one's; that is counted, so the reload's must not.
          let time = max(harness.now, Instant(microseconds: report.time))
          if dice.chance(perMille: 300) { harness.reload(manifest, at: time) }
          for each in [twin, harness] { each.receive(packet, at: Instant(microseconds: report.time)) }
        }
        last = report.time
      }
      if dice.chance(perMille: 20) {
        let number = UInt64(dice.number(below: 40))
        let isAccessory = dice.chance(perMille: 500)
        for each in [twin, harness] { each.setAccessory(.device(number), isAccessory) }
      }
      if dice.chance(perMille: 2) { for each in [twin, harness] { each.loseRadio(at: last / 1000) } }
      let events = harness.sightings().map(ModelEvent.init)
      let expected = twin.sightings().map(ModelEvent.init)
      guard events == expected, harness.counters == twin.counters,
        harness.assemblerCounters == twin.assemblerCounters
      else {
        Issue.record("seed \(seed), step \(step): \(events) instead of \(expected)")
        return
      }
    }
    #expect(twin.produced > 100)
    #expect(twin.counters.longPayloadsEvicted > 0 && twin.counters.unknownDevicesEvicted > 0)
  }

  @Test(
    "Items that stay unchanged through any manifests give the events that they would have given without them",
    arguments: UInt64(1)...4)
  func unchangedItems(seed: UInt64) {
    let twin = DataPathHarness(GatewayManifest(.ofTheScene) { $0.capacities.devices = 32 })
    var manifests = RandomManifests(seed: seed)
    let harness = DataPathHarness(manifests.next())
    var scene = RandomScene(devices: 12, seed: seed)
    var dice = SeededGenerator(seed: seed, stream: 1)
    var actual: [[ModelEvent]] = []
    var expected: [[ModelEvent]] = []
    var count: UInt64 = 0
    for _ in 0..<1200 {
      for report in scene.next() {
        for packet in report.packets {
          let time = Instant(microseconds: report.time)
          if dice.chance(perMille: 200) { harness.reload(manifests.next(), at: time) }
          for each in [twin, harness] { each.receive(packet, at: time) }
        }
      }
      let events = harness.sightings()
      count += UInt64(events.count)
      actual.append(ModelEvent.byItem(events))
      expected.append(ModelEvent.byItem(twin.sightings()))
    }
    #expect(count == harness.produced, "seed \(seed)")
    for (step, (actual, expected)) in zip(actual, expected).enumerated() where actual != expected {
      Issue.record("seed \(seed), step \(step): \(actual) instead of \(expected)")
      return
    }
    #expect(expected.joined().count > 100)
  }
}

/// Manifests that have three items of the scene in common, unchanged, and else as little as possible.
struct RandomManifests {
  private var dice: SeededGenerator
  static let fixed = [DisplayItem].ofTheScene.filter { ["bulb", "touch", "masked"].contains($0.id) }

  init(seed: UInt64) { dice = SeededGenerator(seed: seed, stream: 7) }

  mutating func next() -> GatewayManifest {
    var items = Self.fixed
    for item in [DisplayItem].ofTheScene where !Self.fixed.contains(item) && dice.chance(perMille: 600) {
      items.append(varied(item))
    }
    for place in items.indices.reversed() { items.swapAt(place, dice.number(below: place + 1)) }
    for place in items.indices where dice.chance(perMille: 300) { items[place].name += "!" }
    let devices = 16 + dice.number(below: 40)
    let isSlow = dice.chance(perMille: 500)
    let reassemblies = Int32(2 + dice.number(below: 5))
    return GatewayManifest(items) {
      $0.capacities.devices = Int32(devices)
      $0.capacities.longPayloads = isSlow ? 200 : 128
      $0.capacities.reassemblies = reassemblies
      $0.capacities.events = isSlow ? 512 : 2048
      $0.capacities.eventBytes = isSlow ? 65_536 : 131_072
    }
  }

  private mutating func varied(_ item: DisplayItem) -> DisplayItem {
    var item = item
    switch dice.number(below: 4) {
    case 0: item.gate.lostMilliseconds = 2000 + Int32(dice.number(below: 20_000))
    case 1: item.gate.enterRSSI = Int8(-45 - dice.number(below: 10))
    case 2: item.descriptor.nameSubstring = [UInt8]("Lum".utf8)
    default: break
    }
    return item
  }
}

extension ModelEvent {
  /// The events of each item that stays, in order; indices, which differ between manifests, left out.
  fileprivate static func byItem(_ heard: [HeardSighting]) -> [ModelEvent] {
    RandomManifests.fixed.flatMap { item in
      heard.filter { $0.item == item.id }.map { sighting in
        var event = ModelEvent(sighting)
        event.item = 0
        return event
      }
    }
  }
}
