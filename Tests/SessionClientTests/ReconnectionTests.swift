// SPDX-License-Identifier: Apache-2.0

import SessionClient
import Testing

@Suite struct SessionReconnectionTests {
  private let lamp = ScriptedAgent.accessory("1")
  private let identifier = ScriptedAgent.identifier("1")
  private let newEpoch = String(repeating: "f", count: 32)
  private let newToken = String(repeating: "6", count: 32)

  /// The agent was restarted: it knows neither the session nor the cursor.
  private func restart(
    _ agent: inout ScriptedAgent, sequence: Int = 0, activatedAt: Int = 0, _ list: [String]
  ) {
    agent.die()
    agent.isUp = true
    agent.run(.milliseconds(250))
    agent.fail("Activate", "Invalidated", code: 400)
    agent.greet(sequence: sequence, token: newToken, epoch: newEpoch, isReset: true)
    agent.list(list, sequence: activatedAt, epoch: newEpoch)
  }

  @Test func `a session that is taken up again reports nothing, and goes on with its events`() {
    var agent = ScriptedAgent.active([lamp])
    agent.send("accessoryChanged", 32, 0, "\"accessory\":\(ScriptedAgent.accessory("1", name: "Lump"))")
    _ = agent.news()
    agent.breakStream()
    agent.run(.milliseconds(250))
    let text = agent.call("Activate")?.text ?? ""
    #expect(
      text.contains(
        "\"session\":\"\(ScriptedAgent.token)\",\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":1"))
    agent.greet(sequence: 1)
    #expect(agent.news() == [])
    agent.send("accessoryRemoved", 31, 1, "\"accessory\":\(ScriptedAgent.accessory("1", name: "Lump"))")
    #expect(agent.news() == ["31 Lump"])
  }

  @Test func `an accessory that has another device is reported, although it looks the same`() {
    var agent = ScriptedAgent.active([lamp])
    agent.send("accessoryChanged", 32, 0, "\"accessory\":\(lamp),\"changed\":[\"device\"]")
    #expect(agent.news() == ["32 Lamp"])
    agent.send("accessoryChanged", 32, 1, "\"accessory\":\(lamp)")
    #expect(agent.news() == [])
  }

  @Test func `calls on other connections survive a break of the stream`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .renameAccessory(identifier, options: 0))
    agent.breakStream()
    agent.beginCall(2, .cancelPicker)
    #expect(agent.call("CancelPicker") == nil)
    agent.run(.milliseconds(250))
    agent.greet()
    agent.fail("RenameAccessory", "UserCancelled", code: 700)
    agent.reply("CancelPicker")
    #expect(agent.news() == ["call 1: userCancelled", "call 2: done"])
  }

  @Test func `a stream that the agent still has open is asked for again`() {
    var agent = ScriptedAgent.active()
    agent.breakStream()
    agent.run(.milliseconds(250))
    agent.fail("Activate", "InvalidRequest", code: 450)
    agent.run(.milliseconds(500))
    agent.greet()
    agent.send("migrationComplete", 20, 0)
    #expect(agent.news() == ["20"])
  }

  @Test func `after a restart the differences are reported: removed, changed, added`() {
    var agent = ScriptedAgent.active([lamp, ScriptedAgent.accessory("2"), ScriptedAgent.accessory("3")])
    restart(
      &agent,
      [
        ScriptedAgent.accessory("4", name: "New"), ScriptedAgent.accessory("2", name: "Bulb"),
        ScriptedAgent.accessory("3"),
      ])
    #expect(agent.news() == ["31 Lamp", "32 Bulb", "30 New"])
    let text = agent.sent.last { $0.contains("Activate") } ?? ""
    #expect(text.contains("\"app\":\"lights\",\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":0"))
    #expect(!text.contains("session"))
  }

  @Test func `calls that wait for a lost session fail, calls that were not sent go on`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .renameAccessory(identifier, options: 0))
    // Only the stream breaks, and the session expires.
    agent.breakStream()
    agent.beginCall(2, .cancelPicker)
    agent.run(.milliseconds(250))
    agent.fail("Activate", "Invalidated", code: 400)
    #expect(agent.news() == ["call 1: connectionFailed"])
    agent.greet(token: newToken)
    agent.list([lamp])
    #expect(agent.call("CancelPicker")?.text.contains(newToken) == true)
    #expect(agent.news() == [])
  }

  @Test func `a call that meets the end of the session is made again in the next one`() {
    var agent = ScriptedAgent.active()
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    agent.breakStream()
    agent.fail("ShowPicker", "Invalidated", code: 400)
    #expect(agent.news() == [])
    agent.run(.milliseconds(250))
    agent.fail("Activate", "Invalidated", code: 400)
    agent.greet(token: newToken)
    agent.list()
    #expect(agent.call("ShowPicker")?.text.contains(newToken) == true)
  }

  @Test func `an open picker of a lost session ends with connectionFailed`() {
    var agent = ScriptedAgent.active()
    agent.present()
    _ = agent.news()
    restart(&agent, [])
    #expect(agent.news() == ["50", "call 1: connectionFailed"])
  }

  @Test func `a setup that had begun fails first`() {
    var agent = ScriptedAgent.active()
    agent.present()
    agent.send("pickerSetupPairing", 80, 1, "\"picker\":\"p1\"")
    _ = agent.news()
    restart(&agent, [lamp])
    #expect(agent.news() == ["30 Lamp", "70 connectionFailed", "50", "call 1: connectionFailed"])
  }

  @Test func `a picker that was dismissed is not dismissed again, and nothing of it fails`() {
    var agent = ScriptedAgent.active()
    agent.present()
    agent.send("pickerSetupPairing", 80, 1, "\"picker\":\"p1\"")
    agent.send("pickerDidDismiss", 50, 2, "\"picker\":\"p1\"")
    _ = agent.news()
    restart(&agent, [])
    #expect(agent.news() == ["call 1: connectionFailed"])
  }

  @Test func `the end of a confirmation that a restart cut off belongs to the open picker`() {
    var agent = ScriptedAgent.active()
    agent.present()
    let waiting = ScriptedAgent.accessory("1", state: 10)
    agent.send("accessoryAdded", 30, 1, "\"accessory\":\(waiting)")
    _ = agent.news()
    restart(&agent, sequence: 0, activatedAt: 4, [])
    #expect(agent.news() == ["31 Lamp"])
    let error = "\"error\":{\"code\":150,\"name\":\"connectionFailed\",\"reason\":\"r\",\"cure\":\"c\"}"
    agent.send("accessoryRemoved", 31, 0, "\"accessory\":\(waiting)", epoch: newEpoch)
    agent.send("pickerSetupFailed", 70, 1, error, epoch: newEpoch)
    agent.send("pickerDidDismiss", 50, 2, epoch: newEpoch)
    agent.send("pickerFinished", nil, 3, error, epoch: newEpoch)
    #expect(agent.news() == ["70 connectionFailed", "50", "call 1: connectionFailed"])
    #expect(agent.news(after: .seconds(10)) == [])
  }

  @Test func `openings that are about another picker do not keep this one open`() {
    var agent = ScriptedAgent.active([ScriptedAgent.accessory("9", name: "Other", state: 10)])
    agent.present()
    _ = agent.news()
    restart(&agent, sequence: 0, activatedAt: 3, [])
    let other = ScriptedAgent.accessory("9", name: "Other", state: 10)
    agent.send("accessoryRemoved", 31, 0, "\"accessory\":\(other)", epoch: newEpoch)
    #expect(agent.news() == ["31 Other"])
    #expect(agent.news(after: .seconds(5)) == ["50", "call 1: connectionFailed"])
  }

  @Test func `without an open picker, nothing of a picker is reported after activated`() {
    var agent = ScriptedAgent.active()
    restart(&agent, sequence: 0, activatedAt: 2, [])
    agent.send("pickerDidDismiss", 50, 0, epoch: newEpoch)
    agent.send("pickerFinished", nil, 1, epoch: newEpoch)
    #expect(agent.news() == [])
  }

  @Test func `events that were overwritten are made up for by the list`() {
    var agent = ScriptedAgent.active([lamp])
    agent.present()
    _ = agent.news()
    agent.reply("Activate", "{\"missed\":12}", continues: true)
    agent.run(.milliseconds(250))
    let text = agent.call("Activate")?.text ?? ""
    #expect(text.contains(ScriptedAgent.token) && !text.contains("epoch"))
    agent.greet(sequence: 13)
    agent.list([ScriptedAgent.accessory("2", name: "Bulb")], sequence: 13)
    #expect(agent.news() == ["31 Lamp", "30 Bulb", "50", "call 1: connectionFailed"])
    // The agent's picker is closed, and its remaining events are dropped.
    agent.reply("CancelPicker")
    agent.send("pickerDidDismiss", 50, 13, "\"picker\":\"p1\"")
    agent.send("pickerFinished", nil, 14, "\"picker\":\"p1\"")
    #expect(agent.news() == [])
  }

  @Test func `a picker whose presentation was overwritten is given up, and none of its events is reported`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    agent.reply("Activate", "{\"missed\":12}", continues: true)
    #expect(agent.news() == ["call 1: connectionFailed"])
    agent.run(.milliseconds(250))
    agent.greet(sequence: 13)
    agent.list([lamp], sequence: 13)
    agent.send("pickerSetupRename", 90, 13, "\"picker\":\"p1\"")
    // The connection carries one call at a time.
    agent.reply("ShowPicker", "{\"picker\":\"p1\"}")
    agent.reply("CancelPicker")
    agent.send("pickerDidDismiss", 50, 14, "\"picker\":\"p1\"")
    agent.send("pickerFinished", nil, 15, "\"picker\":\"p1\"")
    #expect(agent.news() == [])
    // The next one is not affected.
    agent.beginCall(2, .showPicker(items: nil, settings: nil))
    agent.send("pickerDidPresent", 40, 16, "\"picker\":\"p2\"")
    agent.reply("ShowPicker", "{\"picker\":\"p2\"}")
    agent.send("pickerDidDismiss", 50, 17, "\"picker\":\"p2\"")
    agent.send("pickerFinished", nil, 18, "\"picker\":\"p2\"")
    #expect(agent.news() == ["40", "50", "call 2: done"])
  }

  @Test func `a removal that the list already showed completes its call`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.reply("RemoveAccessory", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":0}")
    restart(&agent, [])
    #expect(agent.news() == ["31 Lamp", "call 1: done"])
  }

  @Test func `a removal that the list does not show yet waits for its event`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.reply("RemoveAccessory", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":5}")
    agent.reply("Activate", "{\"missed\":5}", continues: true)
    agent.run(.milliseconds(250))
    agent.greet(sequence: 5)
    agent.list([lamp], sequence: 5)
    #expect(agent.news() == [])
    agent.send("accessoryRemoved", 31, 5, "\"accessory\":\(lamp)")
    #expect(agent.news() == ["31 Lamp", "call 1: done"])
  }

  @Test func `a removal whose event does not come in 30 s fails, and the event comes later`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .removeAccessory(identifier))
    agent.reply("RemoveAccessory", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":0}")
    #expect(agent.news(after: .milliseconds(29_999)) == [])
    #expect(agent.news(after: .milliseconds(1)) == ["call 1: connectionFailed"])
    agent.send("accessoryRemoved", 31, 0, "\"accessory\":\(lamp)")
    #expect(agent.news() == ["31 Lamp"])
  }

  @Test func `advertisements go on in the next session`() {
    var agent = ScriptedAgent.active([lamp])
    agent.beginCall(1, .watchAdvertisements)
    agent.reply(
      "WatchAdvertisements", "{\"epoch\":\"\(ScriptedAgent.epoch)\",\"sequence\":4}", continues: true)
    restart(&agent, [lamp])
    agent.run(.milliseconds(250))
    #expect(agent.call("WatchAdvertisements")?.text.contains(newToken) == true)
    agent.step(.invalidate(isReported: true))
    #expect(agent.news() == ["call 1: invalidated", "11", "ended"])
  }

  @Test func `a break while the list comes changes nothing`() {
    var agent = ScriptedAgent.active([lamp])
    agent.present()
    _ = agent.news()
    agent.die()
    agent.isUp = true
    agent.run(.milliseconds(250))
    agent.fail("Activate", "Invalidated", code: 400)
    agent.greet(token: newToken, epoch: newEpoch, isReset: true)
    agent.reply("Activate", "{\"accessories\":[\(lamp)]}", continues: true)
    agent.breakStream()
    #expect(agent.news() == [])
    agent.run(.milliseconds(500))
    #expect(agent.call("Activate")?.text.contains(newToken) == true)
    agent.greet(token: newToken, epoch: newEpoch, isReset: true)
    agent.list([lamp, ScriptedAgent.accessory("2", name: "Bulb")], epoch: newEpoch)
    #expect(agent.news() == ["30 Bulb", "50", "call 1: connectionFailed"])
  }

  @Test func `an app that is gone from the manifest receives invalidated, once`() {
    var agent = ScriptedAgent.active([lamp])
    agent.present()
    _ = agent.news()
    agent.breakStream()
    agent.run(.milliseconds(250))
    agent.fail("Activate", "ActivationFailed", code: 100)
    #expect(agent.news() == ["11 activationFailed", "call 1: activationFailed", "ended"])
  }
}
