// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Manifest
import Testing
import Varlink

@Suite("Open pickers when the agent is restarted", .overEveryTransport)
struct RestartScenarios {
  @Test("When the agent is stopped, open pickers end for their apps and for operators")
  func stopped() {
    let (scenario, app, anna) = SetupScenario.choosing { $0.setupOptions = .rename }
    anna.choose()
    scenario.harness.endPickers()
    scenario.run(seconds: 1)
    #expect(
      app.events.suffix(3).map { $0.eventSummary(scenario) } == [
        "pickerSetupRename", "pickerDidDismiss", "pickerFinished connectionFailed",
      ])
    #expect(app.events.last?.object("error")?.text("reason") == "the agent is being stopped")
    #expect(scenario.text.contains("anna: closed connectionFailed"))
    #expect(scenario.text.contains("anna: Choose → SetupFailed connectionFailed"))
  }

  @Test("A picker whose accessory awaits its app ends with the next run, which takes the accessory back")
  func confirming() {
    let (scenario, app, _) = SetupScenario.owning(.lights { $0.setupOptions = .confirmAuthorization })
    scenario.harness.endPickers()
    scenario.run(seconds: 1)
    #expect(app.events.last?.text("event") == "accessoryAdded")
    app.call("FinishAuthorization", about: app.accessory, wait: 1)
    #expect(app.events.last?.eventSummary(scenario) == "pickerFinished", "until the end it goes on")
  }

  @Test("A request that an operator opened goes on until its connection ends")
  func opened() {
    let scenario = SetupScenario(.lights { _ in }, scene: [])
    let anna = scenario.watcher()
    anna.call("Open", #""app":"lights""#, wait: 1)
    _ = scenario.takeLines()
    scenario.harness.endPickers()
    #expect(scenario.text(after: 1) == "")
  }

  @Test("After the agent was killed, its next run says that the session and the cursor are unknown")
  func killed() {
    let (scenario, app, _) = SetupScenario.choosing()
    let after = SetupScenario(
      .lights { _ in }, registry: StandInRegistryFile(scenario.harness.registry.saved), run: 2)
    let again = after.app()
    again.hangUp()
    let cursor = #""epoch":"\#(app.epoch)","sequence":\#(app.sequence)"#
    again.activate(#""session":"\#(app.token)",\#(cursor)"#)
    again.collect()
    again.hangUp()
    again.activate(#""app":"lights",\#(cursor)"#)
    again.collect()
    again.call("ShowPicker")
    after.run(seconds: 1)
    #expect(
      after.text == """
        0.0 lights: activated
        0.0 lights: Invalidated
        0.0 lights: reset
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        """)
  }
}
