// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Setup
import Testing
import VirtualRadio

@Suite("Accessories that are held at the gateway", .overEveryTransport)
struct TouchScenarios {
  /// The app has one item, chosen by touch, and the gateway signals touches.
  private static var manifest: GatewayManifest {
    GatewayManifest.lights.with { manifest in
      manifest.apps[0].items = [manifest.apps[0].items[1]]
      manifest.apps[0].items[0].selection = .touch
      manifest.gateway.programs[.touch] = "/bin/true"
    }
  }

  /// The app has shown its picker, and an operator watches. The lines until then are removed.
  private func touching(_ scene: [SceneDevice], _ manifest: GatewayManifest = manifest) -> (
    SetupScenario, ScenarioApp, ScenarioOperator
  ) {
    let scenario = SetupScenario(manifest, scene: scene)
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker")
    _ = scenario.takeLines()
    return (scenario, app, anna)
  }

  private func signals(_ scenario: SetupScenario) -> [String] {
    scenario.harness.signals.map { $0.joined(separator: " ") }
  }

  @Test("A device is set up one second after it is held at the gateway")
  func touch() {
    let (scenario, _, _) = touching([.bulb(1, level: -35, from: 5)])
    #expect(
      scenario.text(after: 10) == """
        0.1 anna: setup lights looking touch
        3.5 anna: candidate 1 Lumo bulb, held
        4.5 lights: accessoryAdded a1 Lumo bulb, held authorized
        4.5 lights: pickerDidDismiss
        4.5 lights: pickerFinished
        4.5 anna: setup lights settingUp touch Lumo bulb, held
        4.5 anna: closed a1 Lumo bulb, held
        """)
    #expect(signals(scenario) == ["success held lights"])
  }

  @Test("A device that was held before is ignored until it has left and come again")
  func heldBefore() {
    var bulb = SceneDevice.bulb(1, level: -35)
    bulb.presence = [.seconds(0, 10), .seconds(40, 100)]
    let (scenario, _, _) = touching([bulb])
    #expect(
      scenario.text(after: 50) == """
        0.1 anna: setup lights looking touch
        0.1 anna: candidate 1 Lumo bulb, held
        13.8 anna: gone 1
        38.5 anna: candidate 2 Lumo bulb, held
        39.5 lights: accessoryAdded a1 Lumo bulb, held authorized
        39.5 lights: pickerDidDismiss
        39.5 lights: pickerFinished
        39.5 anna: setup lights settingUp touch Lumo bulb, held
        39.6 anna: closed a1 Lumo bulb, held
        """)
    #expect(signals(scenario) == ["success held lights"])
  }

  @Test("Of two devices at once neither is chosen; the request says why and stays open")
  func twoDevices() {
    let (scenario, _, _) = touching([.bulb(1, level: -35, from: 5), .bulb(2, level: -35, from: 5)])
    #expect(
      scenario.text(after: 10) == """
        0.1 anna: setup lights looking touch
        3.5 anna: candidate 1 Lumo bulb, held
        3.7 anna: candidate 2 Lumo bulb, held
        4.5 anna: setup lights looking touch several devices were held at once; take them all away and hold one
        """)
    #expect(signals(scenario) == ["failure held lights"])
  }

  @Test("A device that two requests look for is chosen for neither")
  func twoRequests() {
    let manifest = Self.manifest.with { manifest in
      var garden = manifest.apps[0]
      garden.name = "garden"
      garden.account = .user("garden")
      manifest.apps.append(garden)
    }
    let (scenario, _, _) = touching([.bulb(1, level: -35, from: 5)], manifest)
    let garden = scenario.app("garden", user: 1001)
    garden.call("ShowPicker", wait: 10)
    #expect(
      scenario.text == """
        0.0 garden: activated
        0.0 garden: pickerDidPresent
        0.0 garden: ShowPicker → done
        0.1 anna: setup lights looking touch
        0.1 anna: setup garden looking touch
        3.5 anna: setup lights looking touch two requests look for the device that was held; deny one of them
        3.5 anna: candidate 1 Lumo bulb, held
        3.5 anna: setup garden looking touch two requests look for the device that was held; deny one of them
        3.5 anna: candidate 1 Lumo bulb, held
        """)
  }

  @Test("A removed device is not set up again by touch until an operator allows it")
  func tombstone() {
    var bulb = SceneDevice.bulb(1, level: -35)
    bulb.presence = [.seconds(5, 20), .seconds(50, 70), .seconds(100, 200)]
    let (scenario, app, anna) = touching([bulb])
    scenario.run(seconds: 10)
    app.call("RemoveAccessory", about: app.accessory, wait: 25)
    app.call("ShowPicker", wait: 30)
    anna.call("Allow", #""app":"lights","device":"C0:00:00:00:00:01""#)
    anna.call("Allow", #""app":"lights","device":"C0:00:00:00:00:01""#, wait: 40)
    #expect(
      scenario.text == """
        0.1 anna: setup lights looking touch
        3.5 anna: candidate 1 Lumo bulb, held
        4.5 lights: accessoryAdded a1 Lumo bulb, held authorized
        4.5 lights: pickerDidDismiss
        4.5 lights: pickerFinished
        4.5 anna: setup lights settingUp touch Lumo bulb, held
        4.5 anna: closed a1 Lumo bulb, held
        10.0 lights: accessoryRemoved a1 Lumo bulb, held authorized
        10.0 lights: RemoveAccessory → done
        35.0 lights: pickerDidPresent
        35.0 anna: setup lights looking touch
        35.0 lights: ShowPicker → done
        48.5 anna: candidate 1 Lumo bulb, held
        49.5 anna: setup lights looking touch the device was removed before; accessoryctl allow lights C0:00:00:00:00:01 lets it in
        65.0 anna: Allow → done
        65.0 anna: Allow → NotFound device C0:00:00:00:00:01
        73.8 anna: gone 1
        98.5 anna: candidate 2 Lumo bulb, held
        99.5 lights: accessoryAdded a2 Lumo bulb, held authorized
        99.5 lights: pickerDidDismiss
        99.5 lights: pickerFinished
        99.5 anna: setup lights settingUp touch Lumo bulb, held
        99.6 anna: closed a2 Lumo bulb, held
        """)
  }

  @Test("A refused touch signals the item of the device that was held")
  func refusedItem() {
    let manifest = Self.manifest.with { manifest in
      var other = manifest.apps[0].items[0]
      other.id = "other"
      other.descriptor.companyIdentifier = 0x0EEF
      manifest.apps[0].items.insert(other, at: 0)
    }
    var bulb = SceneDevice.bulb(1, level: -35)
    bulb.presence = [.seconds(5, 20), .seconds(50, 100)]
    let (scenario, app, _) = touching([bulb], manifest)
    scenario.run(seconds: 10)
    app.call("RemoveAccessory", about: app.accessory, wait: 25)
    app.call("ShowPicker", wait: 20)
    #expect(signals(scenario) == ["success held lights", "failure held lights"])
    let twins = touching([.bulb(1, level: -35, from: 5), .bulb(2, level: -35, from: 5)], manifest).0
    twins.run(seconds: 10)
    #expect(signals(twins) == ["failure held lights"])
  }

  @Test("A device that changes its address is not set up by touch")
  func privateAddress() {
    var bulb = SceneDevice.bulb(1, level: -35, from: 5)
    bulb.address = .nonResolvable(rotationSeconds: 900)
    let (scenario, _, _) = touching([bulb])
    #expect(
      scenario.text(after: 10) == """
        0.1 anna: setup lights looking touch
        3.5 anna: candidate 1 Lumo bulb, held
        4.5 anna: setup lights looking touch the device changes its address and gave no key; choose it in accessoryctl pick
        """)
  }

  @Test("A touch request without a device ends after five minutes")
  func timeout() {
    let (scenario, _, _) = touching([])
    #expect(
      scenario.text(after: 301) == """
        0.1 anna: setup lights looking touch
        300.0 lights: pickerDidDismiss
        300.0 lights: pickerFinished discoveryTimeout
        300.0 anna: closed discoveryTimeout
        """)
  }

  @Test("A request whose touch was refused reports why when its time is over")
  func refusedTimeout() {
    let (scenario, app, _) = touching([.bulb(1, level: -35, from: 5), .bulb(2, level: -35, from: 5)])
    scenario.run(seconds: 301)
    let failure = app.events.last?.object("error")
    #expect(failure?.text("name") == "discoveryTimeout")
    #expect(failure?.text("reason") == "several devices were held at once")
    #expect(failure?.text("cure") == "take them all away and hold one")
  }

  @Test("Devices do not count as entering when the radio comes back")
  func radioGlitch() {
    let (scenario, _, _) = touching([.bulb(1, level: -35)])
    scenario.run(seconds: 2)
    scenario.harness.radioVanishes()
    scenario.run(seconds: 20)
    scenario.harness.radioComes([.bulb(1, level: -35)])
    #expect(
      scenario.text(after: 20) == """
        0.1 anna: setup lights looking touch
        0.1 anna: candidate 1 Lumo bulb, held
        5.8 anna: gone 1
        22.5 anna: candidate 2 Lumo bulb, held
        """)
    #expect(signals(scenario) == [])
  }

  @Test("An operator opens a touch request for several devices of an ordinary item")
  func opened() {
    let scenario = SetupScenario(
      Self.manifest.with { $0.apps[0].items[0].selection = .operator },
      scene: [.bulb(1, level: -35, from: 5), .bulb(2, level: -35, from: 9)])
    let anna = scenario.watcher()
    anna.call("Open", #""app":"lights","usesTouch":true,"count":3"#, wait: 301)
    #expect(
      scenario.text == """
        0.0 anna: Open → open
        0.1 anna: setup lights looking on behalf touch 3 to come
        3.5 anna: candidate 1 Lumo bulb, held
        4.5 anna: setup lights settingUp on behalf touch 3 to come Lumo bulb, held
        4.5 anna: setup lights looking on behalf touch 2 to come Lumo bulb, held
        4.5 anna: gone 1
        4.5 anna: Open → a1 Lumo bulb, held
        7.5 anna: candidate 2 Lumo bulb, held
        8.5 anna: setup lights settingUp on behalf touch 2 to come Lumo bulb, held
        8.5 anna: Open → a2 Lumo bulb, held 2
        8.6 anna: setup lights looking on behalf touch Lumo bulb, held 2
        8.6 anna: gone 2
        300.0 anna: closed discoveryTimeout
        300.0 anna: Open → SetupFailed discoveryTimeout
        """)
  }
}
