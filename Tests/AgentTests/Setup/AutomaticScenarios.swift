// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Registry
import Setup
import Testing
import VirtualRadio

@Suite("Accessories that are set up automatically", .overEveryTransport)
struct AutomaticScenarios {
  private static func manifest(_ change: (inout DisplayItem) -> Void = { _ in }) -> GatewayManifest {
    .lights {
      $0.selection = .automatic
      change(&$0)
    }
  }

  private func gateway(
    _ scene: [SceneDevice], _ manifest: GatewayManifest = manifest()
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let scenario = SetupScenario(manifest, scene: scene)
    return (scenario, scenario.app(), scenario.watcher())
  }

  @Test("The app receives the accessory, and no event of a picker")
  func grant() {
    let (scenario, _, _) = gateway([.bulb(1, from: 5)])
    #expect(
      scenario.text(after: 10) == """
        0.0 lights: activated
        3.2 lights: accessoryAdded a1 Lumo bulb authorized
        """)
  }

  @Test(
    "Each change of state of a setup without an operator is logged, the first one too",
    .inMemoryAlone("the other harness keeps no notices"))
  func transitions() {
    let manifest = Self.manifest { $0.setupOptions = .confirmAuthorization }
    let harness = AgentHarness(manifest, scene: [.bulb(1)], access: .twoApps, after: 10_000)
    #expect(Self.transitions(in: harness) == ["created -> adding", "adding -> confirming"])
    let next = AgentHarness(
      manifest, access: .twoApps, registry: StandInRegistryFile(harness.registry.saved), run: 2)
    next.run(milliseconds: 1000)
    #expect(
      Self.transitions(in: next) == [
        "created -> confirming", "confirming -> takingBack", "takingBack -> failed",
      ])
  }

  private static func transitions(in harness: AgentHarness) -> [String] {
    harness.notices.compactMap { notice in
      guard case .setup(.transition(_, _, let old, let new)) = notice else { return nil }
      return "\(old) -> \(new)"
    }
  }

  @Test("An item's last place is taken once, and the other devices do not count as failed")
  func lastPlace() {
    let (scenario, app, _) = gateway(
      [.bulb(1, from: 5), .bulb(2, from: 5), .bulb(3, from: 5)], Self.manifest { $0.maxAccessories = 1 })
    scenario.run(seconds: 10)
    app.call("RemoveAccessory", about: app.accessory, wait: 10)
    let added = app.events.filter { $0.text("event") == "accessoryAdded" }
    #expect(added.count == 2)
    #expect(scenario.harness.setupCore.counters.automaticFailed == 0)
  }

  @Test("A removed device is not set up again until it is allowed, even after a restart")
  func tombstone() {
    let (scenario, app, anna) = gateway([.bulb(1, from: 5)])
    scenario.run(seconds: 10)
    app.call("RemoveAccessory", about: app.accessory, wait: 100)
    #expect(
      scenario.text == """
        0.0 lights: activated
        3.2 lights: accessoryAdded a1 Lumo bulb authorized
        10.0 lights: accessoryRemoved a1 Lumo bulb authorized
        10.0 lights: RemoveAccessory → done
        """)
    let after = SetupScenario(
      Self.manifest(), scene: [.bulb(1)], registry: StandInRegistryFile(scenario.harness.registry.saved),
      run: 2)
    after.app()
    after.run(seconds: 20)
    after.watcher("ben").call("Allow", #""app":"lights","device":"C0:00:00:00:00:01""#)
    after.run(seconds: 10)
    #expect(
      after.text == """
        0.0 lights: activated
        20.0 ben: Allow → done
        23.2 lights: accessoryAdded a1 Lumo bulb authorized
        """)
    _ = anna
  }

  @Test(
    "A failed setup is retried after 1, 5, 30 and 30 minutes",
    .inMemoryAlone("when a device is looked for again depends on the millisecond in which the radio is read"))
  func backOff() {
    var bulb = SceneDevice.bulb(1, from: 5)
    bulb.intervalMilliseconds = 2000
    let (scenario, _, _) = gateway([bulb])
    scenario.harness.registry.replies = Array(repeating: .failed(.full, isOpen: true), count: 4)
    #expect(
      scenario.text(after: 70 * 60) == """
        0.0 lights: activated
        3965.5 lights: accessoryAdded a1 Lumo bulb authorized
        """)
    #expect(scenario.harness.setupCore.counters.automaticFailed == 4)
  }

  @Test(
    "An app that does not confirm is not asked again at once",
    .inMemoryAlone("when a device is looked for again depends on the millisecond in which the radio is read"))
  func notConfirmed() {
    let (scenario, app, _) = gateway(
      [.bulb(1, from: 5)], Self.manifest { $0.setupOptions = .confirmAuthorization })
    scenario.run(seconds: 310)
    app.call("FinishAuthorization", about: app.accessory, wait: 200)
    #expect(
      scenario.text == """
        0.0 lights: activated
        3.2 lights: accessoryAdded a1 Lumo bulb awaitingAuthorization
        123.2 lights: accessoryRemoved a1 Lumo bulb awaitingAuthorization
        183.2 lights: accessoryAdded a2 Lumo bulb awaitingAuthorization
        303.2 lights: accessoryRemoved a2 Lumo bulb awaitingAuthorization
        310.0 lights: FinishAuthorization → InvalidRequest accessory
        """)
  }

  @Test("Six setups per minute, and at most as many as the item allows")
  func quota() {
    let (scenario, _, anna) = gateway(
      (1...9).map { .bulb($0, from: 5) }, Self.manifest { $0.maxAccessories = 7 })
    scenario.run(seconds: 8)
    let sixth = scenario.harness.setupCore.registry.accessories.count
    scenario.skip(seconds: 120)
    anna.call("List", #""app":"lights""#)
    #expect(sixth == 6)
    #expect(scenario.harness.setupCore.registry.accessories.count == 7)
  }

  @Test("A device that changes its address is left to operators")
  func privateAddress() {
    var bulb = SceneDevice.bulb(1)
    bulb.address = .nonResolvable(rotationSeconds: 900)
    let (scenario, app, anna) = gateway([bulb])
    scenario.run(seconds: 10)
    app.call("ShowPicker", wait: 1)
    anna.choose(wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: activated
        10.0 lights: pickerDidPresent
        10.0 anna: setup lights choosing
        10.0 anna: candidate 1 Lumo bulb
        10.0 lights: ShowPicker → done
        11.0 lights: accessoryAdded a1 Lumo bulb authorized
        11.0 lights: pickerDidDismiss
        11.0 lights: pickerFinished
        11.0 anna: Choose → a1 Lumo bulb
        11.1 anna: closed a1 Lumo bulb
        """)
  }
}
