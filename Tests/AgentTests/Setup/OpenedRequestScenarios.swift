// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Testing
import VirtualRadio

@Suite("Requests that operators open for apps", .overEveryTransport)
struct OpenedRequestScenarios {
  private func gateway(
    _ scene: [SceneDevice], _ manifest: GatewayManifest = .lights { _ in }
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let scenario = SetupScenario(manifest, scene: scene)
    return (scenario, scenario.app(), scenario.watcher())
  }

  @Test("A request stays open until its count is set up; the app receives accessories only")
  func count() {
    let (scenario, _, anna) = gateway([.bulb(1, level: -50), .bulb(2, level: -70)])
    anna.call("Open", #""app":"lights","count":2"#, wait: 1)
    anna.choose(1, wait: 1)
    anna.choose(2, wait: 1)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 anna: Open → open
        0.1 anna: setup lights choosing on behalf 2 to come
        0.1 anna: candidate 1 Lumo bulb
        0.1 anna: candidate 2 Lumo bulb
        1.0 lights: accessoryAdded a1 Lumo bulb authorized
        1.0 anna: setup lights choosing on behalf Lumo bulb
        1.0 anna: gone 1
        1.0 anna: Open → a1 Lumo bulb
        1.0 anna: Choose → a1 Lumo bulb
        2.0 lights: accessoryAdded a2 Lumo bulb 2 authorized
        2.0 anna: Open → a2 Lumo bulb 2
        2.0 anna: Open → done
        2.0 anna: Choose → a2 Lumo bulb 2
        2.1 anna: closed a2 Lumo bulb 2
        """)
  }

  @Test(
    "The device with the given address is chosen as soon as it is found",
    .inMemoryAlone("whether watchers see the moment between the two depends on when the radio is read"))
  func device() {
    let (scenario, _, anna) = gateway([.bulb(1), .bulb(2, from: 4)])
    anna.call("Open", #""app":"lights","device":"C0:00:00:00:00:02""#, wait: 5)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 anna: Open → open
        0.1 anna: setup lights choosing on behalf
        0.1 anna: candidate 1 Lumo bulb
        2.1 lights: accessoryAdded a1 Lumo bulb authorized
        2.1 anna: setup lights settingUp on behalf Lumo bulb
        2.1 anna: candidate 2 Lumo bulb
        2.1 anna: closed a1 Lumo bulb
        2.1 anna: Open → a1 Lumo bulb
        2.1 anna: Open → done
        """)
  }

  @Test("The first device that a gate lets in is chosen")
  func firstImmediate() {
    let (scenario, _, anna) = gateway([.bulb(1), .bulb(2, level: -40, from: 4)], .lights)
    anna.call("Open", #""app":"lights","items":["held"],"takesFirstImmediate":true"#, wait: 8)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 anna: Open → open
        0.1 anna: setup lights looking on behalf
        2.5 lights: accessoryAdded a1 Lumo bulb, held authorized
        2.5 anna: setup lights settingUp on behalf Lumo bulb, held
        2.5 anna: candidate 1 Lumo bulb, held
        2.5 anna: Open → a1 Lumo bulb, held
        2.5 anna: Open → done
        2.6 anna: closed a1 Lumo bulb, held
        """)
  }

  @Test("A request whose opener disconnects during a setup ends after the setup")
  func hangUpInBetween() {
    let manifest = GatewayManifest.lights { $0.setupOptions = .confirmAuthorization }
    let (scenario, app, anna) = gateway([.bulb(1, level: -50), .bulb(2, level: -70)], manifest)
    let call = anna.call("Open", #""app":"lights","count":2"#, wait: 1)
    anna.choose(1, wait: 1)
    call.hangUp()
    scenario.skip(seconds: 1)
    app.call("FinishAuthorization", about: app.accessory, wait: 1)
    #expect(
      scenario.text == """
        3.0 lights: accessoryChanged a1 Lumo bulb authorized (state)
        3.0 anna: closed userCancelled
        3.0 lights: FinishAuthorization → a1 Lumo bulb authorized
        """)
  }

  @Test("A request ends with the connection that opened it")
  func hangUp() {
    let (scenario, _, anna) = gateway([.bulb(1)])
    let call = anna.call("Open", #""app":"lights""#, wait: 1)
    call.hangUp()
    #expect(
      scenario.text(after: 1) == """
        0.0 lights: activated
        0.0 anna: Open → open
        0.1 anna: setup lights choosing on behalf
        0.1 anna: candidate 1 Lumo bulb
        1.1 anna: closed userCancelled
        """)
  }

  @Test("A request that cannot be opened is refused with its field or name")
  func refusals() {
    let (scenario, app, anna) = gateway([.bulb(1)])
    anna.call("Open", #""app":"lamps""#)
    anna.call("Open", #""app":"lights","items":["lamp"]"#)
    anna.call("Open", #""app":"lights","items":["bulb","bulb"]"#)
    anna.call("Open", #""app":"lights","items":[]"#)
    anna.call("Open", #""app":"lights","usesTouch":true"#)
    anna.call("Open", #""app":"lights","takesFirstImmediate":true"#)
    anna.call("Open", #""app":"lights","device":"x""#)
    anna.call("Open", #""app":"lights","usesTouch":true,"device":"C0:00:00:00:00:02""#)
    anna.call("Open", #""app":"lights","count":0"#)
    anna.call("Open", #""app":"lights","discoveryTimeout":"soon""#)
    app.call("ShowPicker")
    anna.call("Open", #""app":"lights""#)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 anna: Open → NotFound app lamps
        0.0 anna: Open → NotFound item lamp
        0.0 anna: Open → Invalid items
        0.0 anna: Open → Invalid items
        0.0 anna: Open → Invalid usesTouch
        0.0 anna: Open → Invalid takesFirstImmediate
        0.0 anna: Open → Invalid device
        0.0 anna: Open → Invalid device
        0.0 anna: Open → Invalid count
        0.0 anna: Open → Invalid discoveryTimeout
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.0 anna: Open → Busy
        """)
  }

  @Test("An app without items has nothing to open and nothing to confirm")
  func noItems() {
    let (scenario, _, anna) = gateway([], GatewayManifest.lights.with { $0.apps[0].items = [] })
    let open = anna.call("Open", #""app":"lights","usesTouch":true"#)
    anna.call("Authorize", #""app":"lights""#)
    #expect(
      open.replies.first?.text("reason") == "the manifest has no items for lights that can be chosen")
    #expect(
      scenario.text(after: 1) == """
        0.0 lights: activated
        0.0 anna: Open → SetupFailed extensionNotFound
        0.0 anna: Authorize → 0 accessories
        """)
  }

  @Test("The error for an unknown candidate has the number of the call")
  func negative() {
    let (scenario, _, anna) = SetupScenario.choosing()
    anna.choose(-1)
    anna.choose(1 << 40)
    #expect(
      scenario.text == """
        1.0 anna: Choose → NotFound candidate -1
        1.0 anna: Choose → NotFound candidate 1099511627776
        """)
  }

  @Test("A request that finds nothing in time ends with SetupFailed")
  func timeout() {
    let (scenario, _, anna) = gateway([])
    anna.call("Open", #""app":"lights","discoveryTimeout":"2""#, wait: 3)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 anna: Open → open
        0.1 anna: setup lights looking on behalf
        2.0 anna: closed discoveryTimeout
        2.0 anna: Open → SetupFailed discoveryTimeout
        """)
  }

  @Test(
    "An unattended request ends in time, even if other devices match",
    arguments: [
      (#""device":"C0:00:00:00:00:02""#, "discoveryTimeout"), (#""count":1"#, "userCancelled"),
    ])
  func unattended(choice: String, failure: String) {
    let (scenario, _, anna) = gateway([.bulb(1)])
    anna.call("Open", #""app":"lights","discoveryTimeout":"5",\#(choice)"#, wait: 20)
    #expect(
      scenario.text == """
        0.0 lights: activated
        0.0 anna: Open → open
        0.1 anna: setup lights choosing on behalf
        0.1 anna: candidate 1 Lumo bulb
        5.0 anna: closed \(failure)
        5.0 anna: Open → SetupFailed \(failure)
        """)
  }

  @Test("A device that is already the app's accessory is refused at once; another app's is chosen")
  func alreadySetUp() {
    let (scenario, _, anna) = gateway([.bulb(1)], .lightsAndGarden)
    anna.call("Open", #""app":"lights","device":"C0:00:00:00:00:01""#, wait: 1)
    _ = scenario.takeLines()
    let again = anna.call("Open", #""app":"lights","device":"C0:00:00:00:00:01""#)
    anna.call("Open", #""app":"garden","device":"C0:00:00:00:00:01""#, wait: 1)
    let lines = scenario.takeLines()
    #expect(lines.hasPrefix("1.0 anna: Open → SetupFailed invalidRequest\n"), "\(lines)")
    #expect(lines.contains("anna: Open → a2 Lumo bulb"), "\(lines)")
    #expect(
      again.replies.first?.text("reason")
        == #"C0:00:00:00:00:01 is an accessory of lights already, "Lumo bulb""#)
  }
}
