// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerSupport
import NATSBridge
import Testing
import VirtualRadio

@Suite("Each event once in the stream, whatever ends")
struct ExactlyOnceTests {
  private struct Scenario {
    var random: SeededGenerator
    let house = NATSHouse()

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      house.isPrompt = false
      house.change(1, name: "Cellar")
      house.handle(.start)
    }

    mutating func chance(_ perCent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < perCent }
    mutating func number(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }

    mutating func receive() {
      let (limit, loses) = (number(12), chance(15))
      var random = random
      house.stream.receive(limit: limit) { loses && Int.random(in: 0..<4, using: &random) == 0 }
      self.random = random
    }

    /// Something happens: mostly events, which the stream stores and acknowledges late, twice or never.
    mutating func happen() {
      switch number(99) {
      case 0..<45: for _ in 0...number(8) { house.agent.produceEvent() }
      case 45..<60: receive()
      case 60..<80:
        receive()
        for _ in 0...number(15) { house.reply(number(5), twice: chance(10)) }
      case 80..<84: house.endServer(arrives: number(20))
      case 84..<86: house.acceptsConnections = chance(70)
      case 86..<88: house.endAgent()
      case 88..<93: house.agent.startAgain()
      case 93..<96: house.restartBridge(arrives: number(20))
      case 96: house.stream.refusal = chance(30) ? "maximum messages exceeded" : nil
      case 97: house.stream.isThere = chance(70)
      default:
        let other = number(4)
        house.change(other, name: chance(60) ? "Name \(number(100))" : nil)
      }
      house.connectIfAsked()
      house.deliver(limit: 1 + number(20))
      house.pass(.milliseconds([1, 20, 150, 1000, 7000][number(4)]))
    }

    /// Everything works again, and time passes.
    mutating func settle() {
      (house.acceptsConnections, house.stream.refusal, house.stream.isThere) = (true, nil, true)
      house.isPrompt = true
      house.agent.startAgain()
      house.endServer()
      for _ in 0..<30 {
        house.connectIfAsked()
        house.pass(.seconds(7))
      }
    }
  }

  @Test("A thousand seeds of a server, a stream, an agent and a bridge that fail", arguments: 0..<UInt64(20))
  func seeds(block: UInt64) {
    for seed in (block * 50)..<(block * 50 + 50) {
      var scenario = Scenario(seed: seed)
      for _ in 0..<60 { scenario.happen() }
      scenario.settle()
      check(scenario.house, seed)
    }
  }

  private func check(_ house: NATSHouse, _ seed: UInt64) {
    let (events, missed, resets) = (house.events, house.missed, house.resets)
    #expect(Set(events).count == events.count, "none is doubled, seed \(seed)")
    let known = Set(events).union(missed)
    let last = house.agent.epoch
    var missing: [NATSHouse.Key] = []
    for (run, count) in house.agent.counts {
      let isInvented = events.contains { $0.epoch == run && $0.sequence >= count }
      #expect(!isInvented, "invented, seed \(seed)")
      // A run that has ended is complete up to where its reset says.
      let ends = resets.compactMap(\.last).filter { $0.epoch == run }.map(\.sequence)
      for sequence in 0..<(run == last ? count : ends.max() ?? 0) {
        let key = NATSHouse.Key(epoch: run, sequence: sequence)
        if !known.contains(key) { missing.append(key) }
      }
      // A run of which something came is announced; and so is its end.
      if events.contains(where: { $0.epoch == run }) {
        #expect(resets.contains { $0.new.epoch == run }, "the run \(run) is announced, seed \(seed)")
        #expect(run == last || !ends.isEmpty, "the end of \(run) is announced, seed \(seed)")
      }
    }
    let sentence = missing.sorted { $0.sequence < $1.sequence }.prefix(5).map { "\($0.epoch)/\($0.sequence)" }
    #expect(sentence == [], "\(missing.count) are missing of \(house.agent.counts), seed \(seed)")
    #expect(
      (house.agent.counts[last] ?? 0) == 0 || known.contains { $0.epoch == last },
      "it has recovered, seed \(seed)")
  }
}
