// SPDX-License-Identifier: Apache-2.0

import SessionClient
import SessionSupport
import Testing

/// An agent that sends anything.
@Suite struct HostileAgentTests {
  private static let messages = [
    "{\"parameters\":{\"session\":\"\(ScriptedAgent.token)\",\"epoch\":\"e\",\"sequence\":0},\"continues\":true}",
    "{\"parameters\":{\(SocketAgent.eventMember("activated", 10, 0)),"
      + "\"accessories\":[\(ScriptedAgent.accessory("1"))]},\"continues\":true}",
    "{\"parameters\":{\(SocketAgent.eventMember("pickerDidPresent", 40, 0, "\"picker\":\"p\""))},"
      + "\"continues\":true}",
  ]

  /// A client that was activated and has a call, and the stream's connection.
  private static func start() -> (client: SessionClient, link: SessionLinkID)? {
    var client = SessionClient(app: nil)
    guard case .open(let link, _) = client.step(.activate, at: .zero).first else { return nil }
    _ = client.step(.linkOpened(link), at: .zero)
    _ = client.step(.begin(CallID(1), .showPicker(items: nil, settings: nil)), at: .zero)
    return (client, link)
  }

  private static func bytes(_ messages: [String]) -> [UInt8] { messages.flatMap { Array($0.utf8) + [0] } }

  /// How often call 1 completed.
  private static func completions(_ actions: [SessionAction]) -> Int {
    actions.count { if case .deliver(.completion(CallID(1), _)) = $0 { true } else { false } }
  }

  @Test func `the same is delivered however the bytes are cut`() {
    let bytes = Self.bytes(Self.messages)
    var results: Set<[String]> = []
    for cut in 0...bytes.count {
      guard let start = Self.start() else { return record("nothing is opened") }
      var client = start.client
      var actions: [SessionAction] = []
      for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty {
        actions += client.step(.received(start.link, Array(part)), at: .zero)
      }
      results.insert(
        actions.compactMap { if case .deliver(let delivery) = $0 { "\(delivery)" } else { nil } })
    }
    #expect(results.count == 1)
    #expect(results.first?.count == 2)
  }

  @Test func `every flipped bit and every cut ends in at most one completion, and invalidate in one`() {
    let bytes = Self.bytes(Self.messages)
    for position in bytes.indices {
      for bit in 0..<8 {
        guard let start = Self.start() else { return record("nothing is opened") }
        var client = start.client
        var damaged = bytes
        damaged[position] ^= 1 << bit
        var actions = client.step(.received(start.link, damaged), at: .zero)
        actions += client.step(.linkEnded(start.link, reason: nil, isPermanent: false), at: .seconds(1))
        actions += client.step(.invalidate(isReported: true), at: .seconds(2))
        #expect(Self.completions(actions) == 1)
      }
    }
  }

  @Test func `a message that is too long, not JSON or not asked for breaks only its connection`() {
    for text in [String(repeating: "x", count: 70_000), "{]", "[]", "{\"parameters\":4}"] {
      guard let start = Self.start() else { return record("nothing is opened") }
      var client = start.client
      let actions = client.step(.received(start.link, Array(text.utf8) + [0]), at: .zero)
      #expect(actions == [.close(start.link)])
      #expect(client.nextDeadline == .milliseconds(250))
    }
  }

  @Test func `an event that cannot be read is left out`() {
    var agent = ScriptedAgent.active()
    agent.reply("Activate", "{\"event\":{\"sequence\":\"text\"}}", continues: true)
    agent.reply("Activate", "{\"event\":7}", continues: true)
    agent.reply("Activate", "{}", continues: true)
    agent.send("accessoryAdded", 30, 1)
    agent.send("accessoryDiscovered", 33, 2)
    agent.send("somethingNew", nil, 3)
    #expect(agent.news() == [])
    agent.send("somethingNew", 120, 4)
    #expect(agent.news() == ["120"])
  }

  @Test func `a list without end is broken off`() {
    var agent = ScriptedAgent.activating()
    agent.greet()
    let many = (0..<100).map { _ in ScriptedAgent.accessory("1") }.joined(separator: ",")
    for _ in 0..<50 where agent.call("Activate") != nil {
      agent.reply("Activate", "{\"accessories\":[\(many)]}", continues: true)
    }
    #expect(agent.call("Activate") == nil)
    #expect(agent.news() == [])
  }

  @Test func `pickers that no call opened stay few`() {
    var agent = ScriptedAgent.active()
    for number in 0..<1000 { agent.send("pickerDidPresent", 40, number, "\"picker\":\"p\(number)\"") }
    agent.breakStream()
    agent.run(.milliseconds(250))
    agent.fail("Activate", "Invalidated", code: 400)
    _ = agent.news()
    agent.greet(isReset: true)
    agent.list()
    #expect(agent.news().count <= 16)
  }
}
