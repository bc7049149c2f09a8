// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Registry
import Testing

@Suite("Timeouts of pickers", .overEveryTransport)
struct PickerTimeoutScenarios {
  @Test(
    "A picker that finds nothing ends with discoveryTimeout, by default after 30 s",
    arguments: [("", 30), ("short", 60), ("medium", 120), ("long", 300), ("7", 7)])
  func discovery(timeout: String, seconds: Int) {
    let scenario = SetupScenario(scene: [])
    let app = scenario.app()
    scenario.watcher()
    app.call("ShowPicker", timeout.isEmpty ? "" : #""settings":{"discoveryTimeout":"\#(timeout)"}"#)
    #expect(
      scenario.text(after: Double(seconds) + 5) == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking
        \(seconds).0 lights: pickerDidDismiss
        \(seconds).0 lights: pickerFinished discoveryTimeout
        \(seconds).0 anna: closed discoveryTimeout
        """)
  }

  @Test(
    "A picker that finds nothing while the radio is down ends with connectionFailed, unless the radio is back in time"
  )
  func radioDown() {
    let scenario = SetupScenario(scene: [])
    let app = scenario.app()
    scenario.watcher()
    app.call("ShowPicker", wait: 20)
    scenario.harness.radioVanishes()
    scenario.run(seconds: 20)
    app.call("ShowPicker", #""settings":{"discoveryTimeout":"short"}"#, wait: 20)
    scenario.harness.radioComes([])
    #expect(
      scenario.text(after: 45) == """
        0.0 lights: activated
        0.0 lights: pickerDidPresent
        0.0 lights: ShowPicker → done
        0.1 anna: setup lights looking
        30.0 lights: pickerDidDismiss
        30.0 lights: pickerFinished connectionFailed
        30.0 anna: closed connectionFailed
        40.0 lights: pickerDidPresent
        40.0 anna: setup lights looking
        40.0 lights: ShowPicker → done
        100.0 lights: pickerDidDismiss
        100.0 lights: pickerFinished discoveryTimeout
        100.0 anna: closed discoveryTimeout
        """)
  }

  @Test("An unbounded picker looks until it is closed")
  func unbounded() {
    let scenario = SetupScenario(scene: [])
    let app = scenario.app()
    app.call("ShowPicker", #""settings":{"discoveryTimeout":"unbounded"}"#)
    _ = scenario.takeLines()
    #expect(scenario.takeLines(after: 1000) == "")
    app.call("CancelPicker")
    #expect(scenario.text.contains("pickerFinished userCancelled"))
  }
}
