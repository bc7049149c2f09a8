// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Manifest
import Setup
import Testing
import Varlink

@Suite("What apps are told to do about what is open already, and that it helps", .overEveryTransport)
struct AlreadyActiveScenarios {
  private func cure(_ call: ScenarioCall) -> String? { call.replies.first?.text("cure") }

  @Test("A question about an accessory is waited for")
  func question() {
    let (scenario, app, anna) = SetupScenario.owning()
    app.call("RenameAccessory", about: app.accessory)
    scenario.run(seconds: 1)
    let again = app.call("RenameAccessory", about: app.accessory)
    #expect(again.replies.first?.error == "io.accessoryd.Session.PickerAlreadyActive")
    #expect(cure(again) == "wait until that call is answered, and call again")
    anna.answer("Deny")
    scenario.run(seconds: 1)
    #expect(app.call("RenameAccessory", about: app.accessory).replies.isEmpty)
  }

  @Test("A picker of the session's own can be closed")
  func own() {
    let (scenario, app, _) = SetupScenario.choosing()
    #expect(cure(app.call("ShowPicker")) == "wait for pickerFinished, or call CancelPicker")
    app.call("CancelPicker")
    // So long what was closed stays closed.
    scenario.run(seconds: 6)
    #expect(app.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("One of another session is closed with that session's token")
  func another() {
    let (scenario, app, _) = SetupScenario.choosing()
    let second = scenario.app(as: "lights again")
    #expect(
      cure(second.call("ShowPicker"))
        == "wait until that session was told pickerFinished, or call CancelPicker with its token")
    #expect(second.call("CancelPicker").replies.first?.error == "io.accessoryd.Session.InvalidRequest")
    app.call("CancelPicker")
    // So long what was closed stays closed.
    scenario.run(seconds: 6)
    #expect(second.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("What an operator has opened is the operator's to finish")
  func operators() {
    let scenario = SetupScenario(.lights { _ in })
    let app = scenario.app()
    let open = scenario.watcher().call("Open", #""app":"lights""#)
    scenario.run(seconds: 1)
    #expect(cure(app.call("ShowPicker")) == "call ShowPicker again when the operator has finished")
    open.hangUp()
    scenario.run(seconds: 1)
    #expect(app.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("While the app is waited for it gives the accessory back, and the picker ends")
  func confirming() {
    let (scenario, app, anna) = SetupScenario.choosing { $0.setupOptions = .confirmAuthorization }
    anna.choose()
    scenario.run(seconds: 1)
    #expect(cure(app.call("ShowPicker")) == "wait for pickerFinished")
    #expect(
      cure(app.call("CancelPicker")) == "give it back with FailAuthorization, which ends the picker too")
    app.call("FailAuthorization", about: app.accessory)
    scenario.run(seconds: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
  }

  @Test("What is being written down is waited for")
  func adding() {
    let (scenario, app, anna) = SetupScenario.choosing()
    scenario.harness.registry.isHeld = true
    anna.choose()
    scenario.run(seconds: 1)
    #expect(
      cure(app.call("CancelPicker"))
        == "wait for accessoryAdded or pickerFinished; RemoveAccessory takes what was added away")
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
  }
}
