// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import Manifest
import Setup
import Testing
import Varlink
import VirtualRadio

@Suite("Apps and operators after a reload", .overEveryTransport)
struct ReloadScenarios {
  private func reload(_ scenario: SetupScenario, _ manifest: GatewayManifest, _ access: AccessList = .twoApps)
  {
    scenario.harness.reading = .accepted(
      AgentCore.Configuration(manifest, board: .attentive, access: access), radioSource: "h4:bench",
      warnings: [])
    scenario.harness.readManifestAgain()
    scenario.run(seconds: 1)
  }

  @Test("An item that leaves the manifest leaves its accessories inert until it comes back")
  func item() {
    let (scenario, app, anna) = SetupScenario.owning()
    reload(scenario, .lights { $0.id = "other" })
    anna.call("List")
    app.call("Resolve", about: app.accessory)
    reload(scenario, .lights { _ in })
    app.call("List")
    #expect(
      scenario.text == """
        2.1 lights: accessoryChanged a1 Lumo bulb unauthorized (state)
        3.0 anna: List → a1 Lumo bulb unauthorized orphaned
        3.0 anna: List → done
        3.0 lights: Resolve → InvalidRequest accessory
        3.1 lights: accessoryChanged a1 Lumo bulb authorized (state)
        4.0 lights: List → a1 Lumo bulb authorized
        4.0 lights: List → done
        """)
  }

  @Test("Status names an accessory that is heard and that its item no longer matches, until it matches again")
  func notMatching() throws {
    let (scenario, _, _) = SetupScenario.owning()
    func problem() -> String? {
      scenario.status()?.objects("problems").first { $0.text("kind") == "accessoryNotMatching" }?.text(
        "sentence")
    }
    scenario.run(seconds: 90)
    #expect(problem() == nil)
    reload(scenario, .lights { $0.descriptor.manufacturerData = MaskedBytes(blob: [0xAA]) })
    let sentence = try #require(problem())
    #expect(
      sentence.hasPrefix(
        "\"Lumo bulb\" of lights is heard as C0:00:00:00:00:01, but its item lights/bulb no "))
    #expect(
      sentence.contains("accessoryctl explain C0:00:00:00:00:01 shows why")
        && sentence.contains("run accessoryctl reload"))
    reload(scenario, .lights { _ in })
    #expect(problem() == nil)
  }

  @Test("Status names such an accessory also when it sleeps between its bursts")
  func notMatchingAsleep() {
    var bulb = SceneDevice.bulb(1)
    let bursts = (1..<100).map { Instant(microseconds: $0 * 12_000_000) }
    bulb.presence = [.seconds(0, 5)] + bursts.map { $0..<$0.advanced(milliseconds: 600) }
    let (scenario, _, _) = SetupScenario.owning(scene: [bulb])
    scenario.run(seconds: 120)
    reload(scenario, .lights { $0.descriptor.manufacturerData = MaskedBytes(blob: [0xAA]) })
    // Throughout two periods: in a burst, after it, and before the next one.
    for second in 0..<24 {
      scenario.run(seconds: 1)
      #expect(
        scenario.status()?.objects("problems").contains { $0.text("kind") == "accessoryNotMatching" } == true,
        "\(second)")
    }
  }

  @Test(
    "An accessory that has only just come, or has gone, is not said to match no longer",
    arguments: [true, false])
  func notMatchingUnheard(isGone: Bool) {
    let bulb = SceneDevice.bulb(1, from: 0, to: isGone ? 60 : 1000)
    let (scenario, _, _) = SetupScenario.owning(scene: [bulb])
    scenario.run(seconds: isGone ? 200 : 20)
    reload(scenario, .lights { $0.descriptor.manufacturerData = MaskedBytes(blob: [0xAA]) })
    #expect(
      scenario.status()?.objects("problems").contains { $0.text("kind") == "accessoryNotMatching" } == false)
  }

  @Test("An accessory whose item leaves the manifest while it is written awaits its app, and is taken back")
  func itemBeforeTheDisk() {
    let (scenario, _, anna) = SetupScenario.choosing { $0.setupOptions = .confirmAuthorization }
    scenario.harness.registry.isHeld = true
    anna.choose()
    reload(scenario, .lights { $0.id = "other" })
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 130)
    anna.call("List")
    #expect(
      scenario.text.hasSuffix(
        """
        2.1 anna: Choose → a1 Lumo bulb awaits its app
        122.0 lights: accessoryRemoved a1 Lumo bulb unauthorized
        122.0 lights: pickerSetupFailed userCancelled
        122.0 lights: pickerDidDismiss
        122.0 lights: pickerFinished userCancelled
        122.0 anna: setup lights settingUp Lumo bulb
        122.1 anna: closed userCancelled
        132.0 anna: List → done
        """))
  }

  @Test("Connected clients get the rights of the new manifest")
  func connectedBefore() throws {
    let (scenario, _, _) = SetupScenario.owning()
    let before = try #require(scenario.harness.connect(user: 1000))
    var access = AccessList.twoApps
    access.appsOfUser[1000] = nil
    access.appsOfUser[1001, default: []].insert("lights")
    reload(scenario, .lights { _ in }, access)
    scenario.harness.send(Message.call("io.accessoryd.Session.Activate", more: true), by: before)
    #expect(before.replies.map(\.error) == ["io.accessoryd.Session.ActivationFailed"])
  }

  @Test("An app that is given to another account loses its sessions; an operator confirms its accessories")
  func account() {
    let (scenario, _, anna) = SetupScenario.owning()
    var access = AccessList.twoApps
    access.appsOfUser = [1002: ["lights"]]
    reload(scenario, .lights { _ in }, access)
    let heir = scenario.app(user: 1002, as: "heir")
    heir.call("List")
    heir.call("ShowPicker")
    anna.call("Open", #""app":"lights""#)
    anna.call("List")
    #expect(problems(scenario) == ["accessoriesSuspended"])
    anna.call("Authorize", #""app":"lights""#)
    anna.call("Authorize", #""app":"lamps""#, wait: 1)
    #expect(
      scenario.text == """
        2.1 lights: invalidated invalidated
        2.1 lights: the end
        3.0 heir: activated
        3.0 heir: List → done
        3.0 heir: ShowPicker → UserRestricted
        3.0 anna: Open → SetupFailed userRestricted
        3.0 anna: List → a1 Lumo bulb authorized suspended
        3.0 anna: List → done
        3.0 operator: Status → done
        3.0 heir: accessoryAdded a1 Lumo bulb authorized
        3.0 anna: Authorize → 1 accessories
        3.0 anna: Authorize → NotFound app lamps
        """)
    #expect(problems(scenario) == [])
    guard let harness = scenario.harness as? AgentHarness else { return }
    let logged: [String] = harness.notices.compactMap { notice in
      switch notice {
      case .setup(.added): "added"
      case .setup(.removed): "removed"
      case .setup(.suspended): "suspended"
      case .setup(.restored): "restored"
      case _: nil
      }
    }
    #expect(logged == ["added", "suspended", "restored"])
  }

  private func problems(_ scenario: SetupScenario) -> [String?] {
    (scenario.status(to: "operator")?.objects("problems") ?? []).map { $0.text("kind") }
  }

  @Test("A picker for a changed item is closed; one for an unchanged item stays open")
  func picker() {
    let (scenario, app, _) = SetupScenario.owning()
    app.call("ShowPicker", wait: 1)
    reload(scenario, .lights { _ in })
    reload(scenario, .lights { $0.name = "Another bulb" })
    #expect(
      scenario.text == """
        2.0 lights: pickerDidPresent
        2.0 anna: setup lights looking
        2.0 lights: ShowPicker → done
        4.1 lights: pickerDidDismiss
        4.1 lights: pickerFinished userCancelled
        4.1 anna: closed userCancelled
        """)
  }
}
