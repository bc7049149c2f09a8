// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Discovery
import HCI
import Manifest
import Testing
import VirtualRadio

@Suite("Pipeline and model")
struct ModelTests {
  @Test(
    "With room for everything the pipeline's events are the model's, in every field",
    arguments: UInt64(1)...6)
  func equality(seed: UInt64) {
    let harness = DataPathHarness(GatewayManifest(.ofTheScene) { $0.capacities.devices = 16 })
    var model = Model(.ofTheScene)
    var scene = RandomScene(devices: 10, seed: seed)
    var eventCount = 0
    for step in 0..<1500 {
      for report in scene.next() {
        for packet in report.packets { harness.receive(packet, at: Instant(microseconds: report.time)) }
        model.hear(report.report, at: report.time)
      }
      let events = harness.sightings().map(ModelEvent.init)
      let expected = model.drain()
      eventCount += events.count
      guard events == expected else {
        Issue.record("seed \(seed), step \(step): \(events) instead of \(expected)")
        return
      }
    }
    #expect(eventCount > 250, "seed \(seed)")
  }

  @Test(
    "With little room every table keeps its bounds and every sighting its order", arguments: UInt64(1)...12)
  func bounds(seed: UInt64) {
    let manifest = GatewayManifest(.ofTheScene) {
      $0.capacities.devices = 16
      $0.capacities.longPayloads = 3
      $0.capacities.matchesPerItem = 4
      $0.capacities.accessories = 4
      $0.capacities.events = 64
    }
    let harness = DataPathHarness(manifest)
    var scene = RandomScene(devices: 40, seed: seed)
    var dice = SeededGenerator(seed: seed, stream: 1)
    var found: [Subject: Bool] = [:]
    var count: UInt64 = 0
    for step in 0..<3000 {
      var last: Int64 = 0
      for report in scene.next() {
        for packet in report.packets { harness.receive(packet, at: Instant(microseconds: report.time)) }
        last = report.time
      }
      if dice.chance(perMille: 20) {
        harness.setAccessory(.device(UInt64(dice.number(below: 40))), dice.chance(perMille: 500))
      }
      if dice.chance(perMille: 2) { harness.loseRadio(at: last / 1000) }
      #expect(harness.deviceCount <= 16)
      for sighting in harness.sightings() {
        count += 1
        let subject = Subject(address: sighting.sighting.address, item: sighting.item)
        let isFound = found[subject] ?? false
        #expect(
          isFound == (sighting.sighting.event != .found), "seed \(seed), step \(step): \(sighting.line)")
        found[subject] = sighting.sighting.event != .lost
      }
    }
    #expect(count == harness.produced, "seed \(seed)")
    let counters = harness.counters
    #expect(counters.found + counters.changed + counters.lost == count)
    #expect(counters.found - counters.lost == UInt64(found.values.count { $0 }))
    // Otherwise the tables were never full, and the test showed nothing.
    #expect(counters.unknownDevicesEvicted + counters.matchingDevicesEvicted > 0)
    #expect(counters.matchesEvicted + counters.matchesTurnedAway > 0)
  }

  @Test("The same scene gives the same events", arguments: UInt64(1)...3)
  func determinism(seed: UInt64) {
    let runs = (0..<2).map { _ in
      let harness = DataPathHarness(GatewayManifest(.ofTheScene) { $0.capacities.devices = 16 })
      var scene = RandomScene(devices: 40, seed: seed)
      var events: [ModelEvent] = []
      for _ in 0..<1000 {
        for report in scene.next() {
          for packet in report.packets { harness.receive(packet, at: Instant(microseconds: report.time)) }
        }
        events += harness.sightings().map(ModelEvent.init)
      }
      return events
    }
    #expect(runs[0] == runs[1])
    #expect(!runs[0].isEmpty)
  }

  private struct Subject: Hashable {
    var address: DeviceAddress
    var item: String
  }
}

extension RandomScene.Report {
  /// The report as a controller delivers it; an extended one of more than 20 bytes in fragments.
  var packets: [[UInt8]] {
    let properties = report.header.properties
    guard properties.contains(.extendedEvent) else { return [ReportEncoder.event(.legacy, report)] }
    guard report.header.pdu == .extended else { return [ReportEncoder.event(.extended, report)] }
    return ReportEncoder.chain(report, fragmentByteCount: 20)
  }
}
