// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeClient
import BrokerSupport
import MQTTBridge
import Testing
import VirtualRadio

@Suite("Each event once, whatever ends")
struct ExactlyOnceTests {
  private struct Scenario {
    var random: SeededGenerator
    let house: MQTTHouse

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      house = MQTTHouse()
      house.isPrompt = false
      house.change(1, name: "Cellar")
      house.start()
    }

    mutating func chance(_ perCent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < perCent }
    mutating func number(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }

    /// Something happens: mostly events, which the broker receives and acknowledges late, twice or never.
    mutating func happen() {
      switch number(99) {
      case 0..<45: for _ in 0...number(8) { house.agent.produceEvent() }
      case 45..<60: house.broker.receive(limit: number(12))
      case 60..<80:
        house.broker.receive(limit: number(12))
        for _ in 0...number(15) { house.acknowledge(number(3), twice: chance(10)) }
      case 80..<84: house.endBroker()
      case 84..<86: house.acceptsConnections = chance(70)
      case 86..<88: house.endAgent()
      case 88..<93: house.agent.startAgain()
      case 93..<95: house.restartBridge()
      case 95: if house.stored != .none { house.isDiskFull = chance(30) }
      case 96..<98:
        let other = number(4)
        house.change(other, name: chance(60) ? "Name \(number(100))" : nil)
      default: house.broker.forgetRetained()
      }
      house.connectIfAsked()
      house.deliver(limit: 1 + number(20))
      house.pass(.milliseconds([1, 20, 150, 1000, 7000][number(4)]))
    }

    /// Everything works again, and time passes.
    mutating func settle() {
      (house.acceptsConnections, house.isDiskFull, house.isPrompt) = (true, false, true)
      house.agent.startAgain()
      house.endBroker()
      for _ in 0..<12 {
        house.connectIfAsked()
        house.pass(.seconds(7))
      }
    }
  }

  @Test("A thousand seeds of a broker, an agent, a bridge and a disk that fail", arguments: 0..<UInt64(20))
  func seeds(block: UInt64) {
    for seed in (block * 50)..<(block * 50 + 50) {
      var scenario = Scenario(seed: seed)
      for _ in 0..<60 { scenario.happen() }
      scenario.settle()
      check(scenario.house, seed)
    }
  }

  private func check(_ house: MQTTHouse, _ seed: UInt64) {
    let (events, missed, resets) = (house.events, house.missed, house.resets)
    let known = Set(events).union(missed)
    var first: Set<MQTTHouse.Key> = []
    let firsts = events.filter { first.insert($0).inserted }
    for (run, keys) in Dictionary(grouping: firsts, by: \.epoch) {
      #expect(keys.map(\.sequence) == keys.map(\.sequence).sorted(), "in order in \(run), seed \(seed)")
    }
    // The first start of a bridge begins with what happens then.
    guard let start = events.first else { return }
    let last = house.agent.epoch
    var missing: [MQTTHouse.Key] = []
    for (run, count) in house.agent.counts where run.utf8.count > start.epoch.utf8.count || run >= start.epoch
    {
      let end =
        run == last ? count : resets.compactMap(\.last).filter { $0.epoch == run }.map(\.sequence).max() ?? 0
      let first = run == start.epoch ? start.sequence : 0
      for sequence in first..<max(end, first) {
        let key = MQTTHouse.Key(epoch: run, sequence: sequence)
        if !known.contains(key) { missing.append(key) }
      }
      let isInvented = events.contains { $0.epoch == run && $0.sequence >= count }
      #expect(!isInvented, "invented, seed \(seed)")
    }
    let sentence = missing.sorted { $0.sequence < $1.sequence }.prefix(5).map { "\($0.epoch)/\($0.sequence)" }
    #expect(
      sentence == [], "\(missing.count) are missing of \(house.agent.counts), from \(start), seed \(seed)")
    if last != start.epoch {
      #expect(resets.contains { $0.epoch == last }, "the run \(last) is announced, seed \(seed)")
    }
    let wanted = Set(house.agent.accessories.keys.map(SimulatedAgent.identifier))
    let states = house.broker.retained.keys.filter { $0.hasSuffix("/state") }.map {
      $0.split(separator: "/")[3]
    }
    #expect(Set(states.map(String.init)) == wanted, "states, seed \(seed)")
    let devices = house.broker.retained.keys.filter { $0.hasSuffix("/config") }
    #expect(devices.count == wanted.count, "devices, seed \(seed)")
    #expect(house.text("accessoryd/gw/availability") == "online", "seed \(seed)")
    if let end = house.agent.counts[last], end > 0 {
      #expect(house.stored == .known(EventCursor(epoch: last, sequence: end)), "seed \(seed)")
    }
  }
}
