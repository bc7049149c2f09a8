// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Testing

@Suite("The radio's state, as apps receive it", .overEveryTransport)
struct RadioStateScenarios {
  @Test("An app learns the radio's state with its token, and receives each change after that")
  func changes() {
    let scenario = SetupScenario(.lights { _ in })
    let app = scenario.app()
    #expect(app.radioStates == ["on"])
    scenario.harness.radioVanishes()
    scenario.run(seconds: 1)
    let second = scenario.app(as: "lights again")
    #expect(app.radioStates.last == "absent" && second.radioStates == ["absent"])
    scenario.harness.radioComes([.bulb(1)])
    scenario.run(seconds: 2)
    for states in [app.radioStates, second.radioStates] {
      #expect(states.last == "on")
      #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 }, "each reply is a change")
    }
    #expect(app.events.map { $0.text("event") } == ["activated"])
  }

  @Test("A change takes no number from events, and comes to a session that is resumed")
  func resumed() {
    let (scenario, app, anna) = SetupScenario.owning()
    let cursor = #""session":"\#(app.token)","epoch":"\#(app.epoch)","sequence":\#(app.sequence)"#
    let next = app.sequence
    app.hangUp()
    scenario.harness.radioVanishes()
    scenario.run(seconds: 1)
    app.activate(cursor)
    scenario.run(seconds: 1)
    #expect(app.radioStates == ["on", "absent"])
    anna.call("Rename", #""accessory":"\#(app.accessory)","name":"Hall""#, wait: 1)
    #expect(app.events.last?.integer("sequence") == next)
  }
}
