// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Discovery
import HCI
import Manifest
import Registry
import Testing
import VirtualRadio

@Suite("Accessories that send seldom, over a restart")
struct RhythmScenarios {
  private let manifest = GatewayManifest.lights { $0.gate = .init() }

  /// A bulb that is there at these times, and another device that keeps the radio busy.
  private func scene(_ presence: [Range<Instant>]) -> [SceneDevice] {
    var bulb = SceneDevice.bulb(1)
    bulb.presence = presence
    return [bulb, .unknownDevice(2)]
  }

  /// The registry after an app got a bulb that sends a burst every ten minutes, and how often it was written meanwhile.
  private func firstRun() -> (AccessoryRegistry, writes: Int) {
    let bursts = (1..<8).map { Range.seconds(600 * $0, 600 * $0 + 1) }
    let (scenario, _, _) = SetupScenario.owning(manifest, scene: scene([.seconds(0, 20)] + bursts))
    let before = scenario.harness.registry.requests.count
    scenario.run(seconds: 3600)
    return (scenario.harness.registry.saved, scenario.harness.registry.requests.count - before)
  }

  /// What the app receives in the run after that, when the bulb sends once and then not for 25 minutes.
  private func secondRun(_ registry: AccessoryRegistry) -> (SetupScenario, [Substring]) {
    let bursts = scene([.seconds(5, 6), .seconds(1506, 1507)])
    let after = SetupScenario(manifest, scene: bursts, registry: StandInRegistryFile(registry), run: 2)
    after.app().call("WatchAdvertisements")
    after.run(seconds: 1600)
    return (after, after.text.split(separator: "\n").filter { $0.contains("found") || $0.contains("lost") })
  }

  @Test("A rhythm is written once, and after a restart a burst that is missed makes no loss")
  func restart() {
    let (registry, writes) = firstRun()
    #expect(writes == 1)
    #expect(registry.devices.map { ($0.rhythmMilliseconds ?? 0) / 10_000 } == [58])
    let (after, sightings) = secondRun(registry)
    #expect(sightings.count == 1 && after.text.contains("found a1"))
    #expect(after.harness.registry.requests == [.open])
  }

  @Test("A picker says how a candidate sends that sleeps between its bursts, which stays under its number")
  func candidate() {
    let bursts = (0..<4).map { Range.seconds(60 * $0, 60 * $0 + 2) }
    let (scenario, _, anna) = SetupScenario.choosing(manifest, scene: scene(bursts))
    #expect(anna.candidates.allSatisfy { $0.integer("rhythmMilliseconds") == nil })
    scenario.run(seconds: 190)
    #expect(Set(anna.candidates.map { $0.integer("candidate") }) == [1])
    let latest = anna.candidates.last
    #expect(latest?.integer("rhythmMilliseconds").map { (57_000...60_000).contains($0) } == true)
    // Below the shortest pause: in bursts.
    #expect((latest?.integer("intervalMilliseconds") ?? .max) < 1000)
  }

  @Test("Without it the accessory would be lost five minutes after the restart")
  func unknown() throws {
    var (registry, _) = firstRun()
    let addresses = registry.devices.flatMap(\.addresses)
    try registry.apply(.setRhythms(Dictionary(uniqueKeysWithValues: addresses.map { ($0, nil) })))
    let (_, sightings) = secondRun(registry)
    #expect(sightings.count == 3)
  }
}
