// SPDX-License-Identifier: Apache-2.0

import Interfaces
@testable import SessionClient
import Testing
import VarlinkClient

@Suite struct SessionActivationTests {
  @Test func `activated comes with the last of the accessories`() {
    var agent = ScriptedAgent.activating()
    #expect(agent.call("Activate")?.text.contains("\"app\":\"lights\"") == true)
    agent.greet()
    agent.reply("Activate", "{\"accessories\":[\(ScriptedAgent.accessory("1"))]}", continues: true)
    #expect(agent.news() == [])
    agent.list([ScriptedAgent.accessory("2")])
    #expect(agent.news() == ["10"])
    guard case .event(let event) = agent.deliveries[0] else { return record("no event") }
    #expect(event.accessories.map { $0.identifier.first } == ["1", "2"])
  }

  @Test func `an agent that is away is tried again, with pauses that double to 5 s`() {
    var agent = ScriptedAgent()
    agent.isUp = false
    agent.activate()
    var pauses: [Duration] = []
    var before = Duration.zero
    while pauses.count < 7 {
      guard let next = agent.client.nextDeadline else { return record("nothing is due") }
      let attempts = agent.attempts
      agent.run(next - agent.now)
      guard agent.attempts > attempts else { continue }
      pauses.append(agent.now - before)
      before = agent.now
    }
    #expect(
      pauses == [
        .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5),
        .seconds(5),
      ])
    #expect(agent.news() == ["silent: no socket"])
    agent.isUp = true
    agent.run(.seconds(5))
    agent.greet()
    agent.list()
    #expect(agent.news() == ["10"])
  }

  @Test func `an app without an agent learns why after 2 s, and again each minute`() {
    var agent = ScriptedAgent()
    agent.isUp = false
    agent.activate()
    #expect(agent.news(after: .milliseconds(1_999)) == [])
    #expect(agent.news(after: .milliseconds(1)) == ["silent: no socket"])
    #expect(agent.news(after: .seconds(59)) == [])
    #expect(agent.news(after: .seconds(1)) == ["silent: no socket"])
    agent.isUp = true
    agent.run(.seconds(5))
    agent.greet()
    agent.list()
    #expect(agent.news(after: .seconds(600)) == ["10"])
    agent.die()
    #expect(agent.news(after: .seconds(2)) == ["silent: no socket"])
    agent.step(.invalidate(isReported: false))
    #expect(agent.news(after: .seconds(600)) == ["ended"])
  }

  @Test func `an agent that accepts and says nothing is reported too`() {
    var agent = ScriptedAgent.activating()
    #expect(agent.news(after: .seconds(2)) == ["silent: the agent has not replied yet"])
  }

  @Test func `a call fails with the reason for which there is no session`() {
    var agent = ScriptedAgent.activating()
    agent.beginCall(1, .cancelPicker)
    for _ in 0..<20 where agent.call("Activate") != nil {
      agent.reply(
        "Activate", "{\"of\":\"user\",\"limit\":16}", error: "io.accessoryd.Gateway.TooManyConnections")
      agent.run(.seconds(5))
    }
    let failures = agent.deliveries.compactMap { delivery -> SessionError? in
      if case .completion(_, .failure(let error)) = delivery { error } else { nil }
    }
    #expect(failures.map(\.code) == [.connectionFailed])
    #expect(failures.first?.reason == "this account has all of its 16 connections")
    #expect(agent.news().first == "silent: this account has all of its 16 connections")
  }

  @Test func `an account without an app gets activationFailed with the agent's cure, and its calls do`() {
    var agent = ScriptedAgent.activating()
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    agent.reply(
      "Activate", "{\"reason\":\"no app\",\"cure\":\"add a user\"}",
      error: "org.varlink.service.PermissionDenied")
    #expect(agent.news() == ["11 activationFailed", "call 1: activationFailed", "ended"])
    guard case .event(let event) = agent.deliveries[0] else { return record("no event") }
    #expect(event.error?.cure == "add a user")
    guard case .completion(_, .failure(let error)) = agent.deliveries[1] else { return record("no failure") }
    #expect(error == event.error)
    #expect(agent.client.isOver)
    agent.beginCall(2, .cancelPicker)
    #expect(agent.news() == ["call 2: activationFailed"])
    agent.step(.invalidate(isReported: true))
    agent.beginCall(3, .cancelPicker)
    #expect(agent.news() == ["call 3: invalidated"])
  }

  @Test func `three connections that end before a reply count as activationFailed`() {
    var agent = ScriptedAgent.activating()
    agent.breakStream()
    agent.run(.milliseconds(250))
    agent.breakStream()
    #expect(agent.news(after: .milliseconds(500)) == [])
    agent.breakStream()
    #expect(agent.news() == ["11 activationFailed", "ended"])
  }

  @Test func `an agent that only restarts slowly is no refusal`() {
    var agent = ScriptedAgent.activating()
    for _ in 0..<8 {
      agent.breakStream()
      // A connection that cannot be opened is no refusal either.
      agent.isUp = false
      agent.run(.seconds(6))
      agent.isUp = true
      agent.run(.seconds(5))
    }
    #expect(agent.news() == ["silent: no socket", "silent: no socket"])
  }

  @Test func `a path that cannot be a socket ends the session`() {
    var client = SessionClient(app: nil)
    let actions = client.step(.activate, at: .zero)
    guard case .open(let link, _) = actions.first else { return record("nothing is opened") }
    let end = client.step(.linkEnded(link, reason: "too long", isPermanent: true), at: .zero)
    guard case .deliver(.event(let event)) = end.first else { return record("no event") }
    #expect(event.type == 11 && event.error?.code == .activationFailed && event.error?.reason == "too long")
  }

  @Test func `activating twice changes nothing`() {
    var agent = ScriptedAgent.active()
    agent.activate()
    #expect(agent.sent.count == 1)
    #expect(agent.news() == [])
  }

  @Test func `calls before activate fail, calls before activated wait for it`() {
    var agent = ScriptedAgent()
    agent.beginCall(1, .showPicker(items: nil, settings: nil))
    #expect(agent.news() == ["call 1: invalidRequest"])
    agent.activate()
    agent.beginCall(2, .showPicker(items: nil, settings: nil))
    agent.greet()
    #expect(agent.call("ShowPicker") == nil)
    agent.list()
    #expect(agent.news() == ["10"])
    #expect(agent.call("ShowPicker")?.text.contains(ScriptedAgent.token) == true)
  }

  @Test func `a call that waits 30 s for the session fails with connectionFailed`() {
    var agent = ScriptedAgent()
    agent.isUp = false
    agent.activate()
    agent.beginCall(1, .finishPickerDiscovery)
    #expect(agent.news(after: .milliseconds(29_900)) == ["silent: no socket"])
    #expect(agent.news(after: .milliseconds(200)) == ["call 1: connectionFailed"])
  }

  @Test func `an agent that hangs is given up after 45 s and tried again`() {
    var agent = ScriptedAgent.activating()
    agent.run(.seconds(46))
    #expect(agent.sent.count == 2)
    agent.greet()
    agent.run(.seconds(46))
    #expect(agent.sent.count == 3)
    let silence = "silent: the agent has not replied yet"
    #expect(agent.news() == [silence, silence])
  }

  @Test func `an agent that cannot read its registry is called again`() {
    var agent = ScriptedAgent.activating()
    agent.fail("Activate", "Unknown", code: 1)
    agent.run(.milliseconds(250))
    agent.greet()
    agent.list()
    #expect(agent.news() == ["10"])
  }

  @Test(arguments: [("InterfaceNotFound", "another service"), ("MethodNotFound", "older")])
  func `a service without the interface, or an older agent, ends the session and is named`(
    _ error: String, _ word: String
  ) throws {
    var agent = ScriptedAgent.activating()
    agent.reply("Activate", error: "org.varlink.service.\(error)")
    #expect(agent.news() == ["11 unknown", "ended"])
    let reply = Array(#"{"error":"org.varlink.service.\#(error)"}"#.utf8)
    let received = ReceivedReply(reading: reply.span)
    let failure = SessionError(reply: try #require(received))
    #expect(failure.reason.contains(word))
  }

  @Test func `the radio's state is reported when it changes, and unknown without a stream`() {
    var agent = ScriptedAgent.activating()
    agent.greet(radio: "on")
    agent.list()
    #expect(agent.news() == ["radio on", "10"])
    agent.reply("Activate", "{\"radio\":\"on\"}", continues: true)
    agent.reply("Activate", "{\"radio\":\"recovering\"}", continues: true)
    agent.breakStream()
    #expect(agent.news() == ["radio recovering", "radio unknown"])
  }

  // MARK: - The end

  @Test func `invalidate completes what waits, tells the agent and reports once`() {
    var agent = ScriptedAgent.active([ScriptedAgent.accessory("1")])
    agent.present()
    agent.beginCall(2, .removeAccessory(ScriptedAgent.identifier("1")))
    _ = agent.news()
    agent.step(.invalidate(isReported: true))
    #expect(agent.news() == ["call 1: invalidated", "call 2: invalidated", "11", "ended"])
    #expect(agent.call("Invalidate")?.text.contains(ScriptedAgent.token) == true)
    agent.reply("Invalidate")
    #expect(agent.client.isOver)
    agent.step(.invalidate(isReported: true))
    agent.beginCall(3, .cancelPicker)
    #expect(agent.news() == ["call 3: invalidated"])
  }

  @Test func `an agent that does not reply to Invalidate is left after 10 s`() {
    var agent = ScriptedAgent.active()
    agent.step(.invalidate(isReported: false))
    #expect(agent.news() == ["ended"])
    #expect(!agent.client.isOver)
    agent.run(.seconds(10))
    #expect(agent.client.isOver)
    #expect(agent.openLinks == [])
  }

  @Test func `a session that the agent ends is over, with its error`() {
    var agent = ScriptedAgent.active()
    agent.present()
    agent.send(
      "invalidated", 11, 1,
      "\"error\":{\"code\":400,\"name\":\"invalidated\",\"reason\":\"replaced\",\"cure\":\"activate\"}")
    #expect(agent.news() == ["40", "11 invalidated", "call 1: invalidated", "ended"])
  }
}
