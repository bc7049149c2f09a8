// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import JSON
import Manifest
import Testing
import Varlink

/// A call's reply and the event that the call caused come on two connections, in any order. So the reply names the event.
@Suite("Events that calls cause", .overEveryTransport)
struct CausedEventScenarios {
  /// The event that the reply to a call names, after which the app has the accessory as the call left it.
  private func event(of call: ScenarioCall, _ app: ScenarioApp) throws -> JSONObject {
    let reply = try #require(call.replies.last)
    #expect(reply.error == nil)
    #expect(reply.text("epoch") == app.epoch)
    let sequence = try #require(reply.integer("sequence"))
    return try #require(
      app.events.first { $0.integer("sequence") == sequence && $0.text("event") != "activated" })
  }

  @Test("The reply to a removal names accessoryRemoved, which reaches every session under this number")
  func removed() throws {
    let (scenario, app, _) = SetupScenario.owning()
    let second = scenario.app(as: "lights again")
    let call = app.call("RemoveAccessory", about: app.accessory, wait: 1)
    #expect(try event(of: call, app).eventSummary(scenario) == "accessoryRemoved a1 Lumo bulb authorized")
    #expect(try event(of: call, second).text("event") == "accessoryRemoved")
  }

  @Test("The reply to a confirmation names accessoryChanged, and not the end of the picker after it")
  func confirmed() throws {
    let (scenario, app, _) = SetupScenario.owning(.lights { $0.setupOptions = .confirmAuthorization })
    let call = app.call("FinishAuthorization", about: app.accessory, wait: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
    #expect(
      try event(of: call, app).eventSummary(scenario) == "accessoryChanged a1 Lumo bulb authorized (state)")
  }

  @Test("The reply to a refused confirmation names accessoryRemoved, and not the end of the picker after it")
  func givenBack() throws {
    let (scenario, app, _) = SetupScenario.owning(.lights { $0.setupOptions = .confirmAuthorization })
    let call = app.call("FailAuthorization", about: app.accessory, wait: 1)
    #expect(app.events.last?.text("event") == "pickerFinished")
    #expect(
      try event(of: call, app).eventSummary(scenario) == "accessoryRemoved a1 Lumo bulb awaitingAuthorization"
    )
  }

  @Test("The reply to a rename names accessoryChanged; with the name that it had there is no event")
  func renamed() throws {
    let (scenario, app, anna) = SetupScenario.owning()
    let call = app.call("RenameAccessory", about: app.accessory, wait: 1)
    anna.answer("Name", #""name":"Hall""#, wait: 1)
    #expect(
      try event(of: call, app).eventSummary(scenario) == "accessoryChanged a1 Hall authorized (displayName)")
    let repeated = app.call("RenameAccessory", about: app.accessory, wait: 1)
    anna.answer("Name", #""name":"Hall""#, wait: 1)
    let reply = try #require(repeated.replies.last)
    #expect(reply.error == nil && reply.text("epoch") == app.epoch && reply["sequence"] == nil)
  }

  @Test("The reply to a wider authorization, and to the network's name after it, names accessoryChanged")
  func extended() throws {
    let manifest = GatewayManifest.lights { _ in }.with { $0.apps[0].supports = [.bluetooth, .wifi] }
    let (scenario, app, anna) = SetupScenario.owning(manifest)
    let update = app.call(
      "UpdateAuthorization", about: app.accessory, #""descriptor":{"ssidPrefix":"Lumo-"}"#)
    scenario.run(seconds: 1)
    anna.answer("Agree", wait: 1)
    let finish = app.call("FinishAuthorization", about: app.accessory, #""ssid":"Lumo-7""#, wait: 1)
    #expect(try event(of: update, app).texts("changed") == ["descriptor"])
    #expect(try event(of: finish, app).texts("changed") == ["ssid"])
  }
}
