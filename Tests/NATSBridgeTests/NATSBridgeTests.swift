// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BrokerSupport
import NATSBridge
import Testing

@Suite("The bridge for servers of NATS")
struct NATSBridgeTests {
  private func house(_ change: (inout NATSConfiguration) -> Void = { _ in }) -> NATSHouse {
    var configuration = NATSConfiguration()
    change(&configuration)
    let house = NATSHouse(configuration)
    house.change(1, name: "Cellar")
    house.handle(.start)
    return house
  }

  private func produce(_ house: NATSHouse, _ count: Int) {
    for _ in 0..<count {
      house.agent.produceEvent()
      house.deliver(limit: 10)
    }
  }

  @Test(
    "An event has its identifier, the position to go on from, its accessory and its values, and no address")
  func event() throws {
    let house = house()
    produce(house, 3)
    #expect(house.events.map(\.sequence) == [0, 1, 2])
    let message = try #require(
      house.stream.stored.first { $0.subject == "acc.gw.event" && $0.payload.count > 9 })
    #expect(
      message.headers == [
        NATSMessage.Header("Nats-Msg-Id", "gw/run0/0"), NATSMessage.Header("Accessory-Position", "run0/0"),
      ])
    let text = String(decoding: house.stream.stored.last?.payload ?? [], as: UTF8.self)
    #expect(text.hasPrefix(#"{"gateway":"gw","epoch":"run0","sequence":2,"#))
    #expect(text.contains(#""values":{"temperature":0.02}"#))
    let all = house.stream.stored.map { String(decoding: $0.payload, as: UTF8.self) }.joined()
    #expect(!all.contains("C4:A1"))
  }

  @Test("The first run is announced, and what its ring still has is published")
  func firstStart() {
    let house = NATSHouse()
    for _ in 0..<100 { house.agent.produceEvent() }
    house.handle(.start)
    house.deliver(limit: 200)
    produce(house, 1)
    #expect(house.resets.map(\.new) == [NATSHouse.Key(epoch: "run0", sequence: 0)])
    #expect(house.resets.first?.last == nil)
    #expect(Set(house.events).union(house.missed).count == 101)
    #expect(house.missed.count == 40)
  }

  @Test("A bridge that knows nothing goes on where the stream ends, one event early")
  func resumes() {
    let house = house()
    produce(house, 10)
    house.restartBridge()
    produce(house, 10)
    #expect(house.events.map(\.sequence) == Array(0..<20))
    #expect(house.stream.duplicates == 1)
    #expect(house.resets.count == 1)
  }

  @Test("A message that is not acknowledged is published again, and then the server is given up")
  func repeats() {
    let house = house()
    house.isPrompt = false
    produce(house, 3)
    house.stream.receive(limit: 3) { true }
    house.pass(.seconds(6))
    house.stream.receive(limit: 10)
    for _ in 0..<3 { house.reply(0) }
    #expect(house.events.map(\.sequence) == [0, 1, 2])
    produce(house, 1)
    house.pass(.seconds(25))
    #expect(house.notices.contains(.serverIsAway("the stream acknowledges nothing")))
  }

  @Test(
    "Without a stream it says which, waits longer each time, and publishes everything as soon as there is one"
  )
  func noStream() {
    let house = NATSHouse()
    house.stream.isThere = false
    house.handle(.start)
    for _ in 0..<5 { house.agent.produceEvent() }
    house.pass(.seconds(100))
    let notice = NATSBridge.Notice.noStream(
      name: "ACCESSORIES", subjects: "acc.*.event,acc.*.reset,acc.*.missed")
    #expect(house.notices.filter { $0 == notice }.count == 1)
    house.stream.isThere = true
    house.pass(.seconds(91))
    #expect(house.events.count == 5)
  }

  @Test("It makes the stream where the configuration says so")
  func makesStream() {
    var configuration = NATSConfiguration()
    configuration.stream.isCreated = true
    let house = NATSHouse(configuration)
    house.stream.isThere = false
    house.handle(.start)
    produce(house, 2)
    #expect(house.events.count == 2)
    #expect(house.notices.contains(.streamCreated("ACCESSORIES")))
  }

  @Test("A stream that refuses doubles for a short time is reported once")
  func shortWindow() {
    let house = NATSHouse()
    house.stream.duplicateSeconds = 120
    house.handle(.start)
    house.endServer()
    house.pass(.seconds(3))
    let notice = NATSBridge.Notice.shortDuplicateWindow(stream: "ACCESSORIES", seconds: 120)
    #expect(house.notices.filter { $0 == notice }.count == 1)
  }

  @Test("What the stream refuses is said, and published later")
  func refusal() {
    let house = house()
    house.stream.refusal = "maximum bytes exceeded"
    produce(house, 5)
    #expect(house.notices.contains(.refused("maximum bytes exceeded")))
    house.stream.refusal = nil
    house.pass(.seconds(10))
    #expect(house.events.map(\.sequence) == [0, 1, 2, 3, 4])
  }

  @Test("What the server does not allow is said once")
  func complaint() {
    let house = house()
    for _ in 0..<3 {
      house.handle(.serverComplained("Permissions Violation"))
      produce(house, 1)
    }
    #expect(house.notices.filter { $0 == .serverComplains("Permissions Violation") }.count == 1)
  }

  @Test("Another stream with the subject is named")
  func otherStream() {
    var configuration = NATSConfiguration()
    configuration.stream.name = "OTHER"
    let house = NATSHouse(configuration)
    house.handle(.start)
    produce(house, 1)
    #expect(house.notices.contains(.storedElsewhere(stream: "ACCESSORIES", subject: "acc.gw.event")))
  }

  @Test("A new run of the agent is announced when everything before is stored")
  func reset() {
    let house = house()
    house.isPrompt = false
    produce(house, 5)
    house.endAgent()
    house.agent.startAgain()
    house.pass(.seconds(1))
    house.agent.produceEvent()
    house.pass(.seconds(1))
    house.stream.receive(limit: 100)
    #expect(house.resets.count == 1)
    house.isPrompt = true
    house.pass(.seconds(8))
    #expect(house.resets.last?.last == NATSHouse.Key(epoch: "run0", sequence: 5))
    #expect(house.events.last == NATSHouse.Key(epoch: "run1", sequence: 0))
  }

  @Test(
    "Readings and the status are published where the configuration says so, and readings at most once in the interval"
  )
  func readings() {
    let house = house { ($0.publishesReadings, $0.publishesStatus) = (true, true) }
    for _ in 0..<30 {
      produce(house, 1)
      house.pass(.seconds(1))
    }
    let readings = house.published.filter { $0.subject == "acc.gw.reading" }
    #expect((3...4).contains(readings.count))
    #expect(
      String(decoding: readings.first?.payload ?? [], as: UTF8.self)
        == #"{"gateway":"gw","accessory":"\#(SimulatedAgent.identifier(1))","displayName":"Cellar","#
        + #""app":"climate","values":{"temperature":0.01}}"#)
    #expect(house.published.contains { $0.subject == "acc.gw.status" })
    house.endAgent()
    #expect(
      String(decoding: house.published.last?.payload ?? [], as: UTF8.self)
        == #"{"gateway":"gw","bridge":"1.2.3","isAway":true}"#)
    let quiet = self.house()
    produce(quiet, 3)
    #expect(quiet.published == [])
  }

  @Test("Other subjects have a cursor of their own")
  func reconfigured() {
    let house = house()
    produce(house, 5)
    var configuration = NATSConfiguration()
    configuration.name = "annex"
    house.handle(.configure(configuration))
    produce(house, 1)
    #expect(house.stream.stored.count { $0.subject == "acc.annex.event" } == 6)
    #expect(house.events.count == 5)
    let connections = house.connections
    house.handle(.configure(configuration))
    #expect(house.connections == connections && house.notices.last == .reconfigured)
  }

  @Test("It ends when everything is acknowledged, or after a second")
  func end() {
    let house = house()
    house.isPrompt = false
    produce(house, 1)
    house.handle(.end)
    #expect(!house.isFinished)
    house.pass(.seconds(1))
    #expect(house.isFinished)
    let prompt = self.house()
    produce(prompt, 1)
    prompt.handle(.end)
    #expect(prompt.isFinished)
  }

  @Test("A server that is away costs nothing but its window")
  func back() {
    let house = house()
    house.acceptsConnections = false
    house.endServer()
    for _ in 0..<50 { house.agent.produceEvent() }
    house.pass(.seconds(300))
    #expect(house.connections == 1)
    house.acceptsConnections = true
    house.pass(.seconds(91))
    house.deliver(limit: 100)
    #expect(house.events.count == 50 && house.missed == [])
  }
}
