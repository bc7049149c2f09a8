// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import JSON
import Manifest
import Setup
import Testing
import Varlink

@Suite("The cure when a request is already open works", .overEveryTransport)
struct AlreadyActiveScenarios {
  private func cure(_ call: ScenarioCall) -> String? { call.replies.first?.text("cure") }

  @Test("A second question about an accessory waits for the first")
  func question() {
    let (scenario, app, anna) = SetupScenario.owning()
    app.call("RenameAccessory", about: app.accessory)
    scenario.run(seconds: 1)
    let again = app.call("RenameAccessory", about: app.accessory)
    #expect(again.replies.first?.error == "io.accessoryd.Session.PickerAlreadyActive")
    #expect(cure(again) == "wait until that call is answered, and call again")
    anna.answer("Deny", wait: 1)
    #expect(app.call("RenameAccessory", about: app.accessory).replies.isEmpty)
  }

  @Test("A session can close its own picker")
  func own() {
    let (scenario, app, _) = SetupScenario.choosing()
    #expect(cure(app.call("ShowPicker")) == "wait for pickerFinished, or call CancelPicker")
    app.call("CancelPicker")
    // For 5 s the app may not open another picker.
    scenario.run(seconds: 6)
    #expect(app.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("A picker of another session is closed with that session's token")
  func another() {
    let (scenario, app, _) = SetupScenario.choosing()
    let second = scenario.app(as: "lights again")
    #expect(
      cure(second.call("ShowPicker"))
        == "wait until that session has received pickerFinished, or call CancelPicker with its token")
    #expect(second.call("CancelPicker").replies.first?.error == "io.accessoryd.Session.InvalidRequest")
    app.call("CancelPicker")
    // For 5 s the app may not open another picker.
    scenario.run(seconds: 6)
    #expect(second.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("A request that an operator opened ends with the operator")
  func operators() {
    let scenario = SetupScenario(.lights { _ in })
    let (app, open) = (scenario.app(), scenario.watcher().call("Open", #""app":"lights""#, wait: 1))
    #expect(cure(app.call("ShowPicker")) == "call ShowPicker again when the operator has finished")
    open.hangUp()
    scenario.run(seconds: 1)
    #expect(app.call("ShowPicker").replies.first?.error == nil)
  }

  @Test("An app that has to confirm gives the accessory back, and the picker ends")
  func confirming() throws {
    let (scenario, app, anna) = SetupScenario.choosing { $0.setupOptions = .confirmAuthorization }
    anna.choose(wait: 1)
    // The next run of an app that was killed has no other way.
    for session in [app, scenario.app(as: "lights again")] {
      #expect(
        cure(session.call("ShowPicker")) == "call FinishAuthorization or FailAuthorization for the accessory")
    }
    let status = try #require(scenario.status())
    guard case .array(let open)? = status["openRequests"], case .object(let request)? = open.first else {
      throw CancellationError()
    }
    #expect(
      request.text("sentence") == #"lights wants to set up "bulb", and has to finish the authorization"#)
    #expect(request.integer("candidates") == 0)
    #expect(
      cure(app.call("CancelPicker")) == "give it back with FailAuthorization, which ends the picker too")
    app.call("FailAuthorization", about: app.accessory, wait: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
  }

  @Test("A change that is being written is awaited")
  func adding() {
    let (scenario, app, anna) = SetupScenario.choosing()
    scenario.harness.registry.isHeld = true
    anna.choose(wait: 1)
    #expect(
      cure(app.call("CancelPicker"))
        == "wait for accessoryAdded or pickerFinished; RemoveAccessory removes what was added")
    scenario.harness.releaseRegistry()
    scenario.run(seconds: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
  }
}
