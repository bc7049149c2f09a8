// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI

// What must hold at any time, and when all is over.

extension Simulation {
  func checkBounds() throws(Breach) {
    agent.checkInvariants()
    guard agent.clientCount == clients.count(where: { $0.id != nil }) else {
      throw Breach(.bound, "the agent has \(agent.clientCount) clients")
    }
    try referenceModel.checkSilence(at: now)
  }

  /// All calls are answered, all counts agree; then everybody goes, the radio is pulled out, and nothing is left.
  func end() throws(Breach) {
    now = max(now, Int64(seconds) * 1_000_000)
    note("the end")
    isEnding = true
    // A caller may have asked for a hundred suggestions, one after the other, each of which takes two seconds.
    for _ in 0..<10_000 {
      now += 100_000
      step += 1
      answerReadings()
      try settle()
      if clients.allSatisfy(\.hasItsAnswers) { break }
    }
    try checkAnswers()
    try checkWatches()
    try leaveAll()
  }

  private func checkAnswers() throws(Breach) {
    for client in clients where client.id != nil && client.role.reads && !client.book.isSettled {
      let pending = client.book.pending
      throw Breach(.unansweredCall, "\(client.name) waits for \(pending.count) replies, \(pending[0])")
    }
  }

  /// Whoever reads has been told of every event, or that it was missed.
  private func checkWatches() throws(Breach) {
    guard let produced = clients[0].book.watch?.next else {
      throw Breach(.unansweredCall, "the auditor's watch did not begin")
    }
    for client in clients where client.id != nil && client.role.reads {
      guard let watch = client.book.watch, let next = watch.next else { continue }
      guard next == produced, watch.first + watch.delivered + watch.missed == produced else {
        throw Breach(.lostCount, "\(client.name) is at \(next) of \(produced)")
      }
    }
  }

  private func leaveAll() throws(Breach) {
    for place in clients.indices where clients[place].id != nil { leave(place) }
    radio.remove()
    agent.radioVanished("it was pulled out", at: instant)
    readings = []
    // More than the longest silence, and than the radio's grace.
    for _ in 0..<8 {
      now += 60_000_000
      step += 1
      agent.turn(at: instant)
      while let action = agent.nextAction() {
        if case .log(.radioGivenUp) = action { referenceModel.loseRadio(at: now) }
      }
    }
    try checkNothingLeft()
  }

  private func checkNothingLeft() throws(Breach) {
    agent.checkInvariants()
    guard agent.clientCount == 0, agent.nextDeadline == nil else {
      let deadline = agent.nextDeadline.map { "at \($0.microseconds) µs" } ?? "none"
      throw Breach(.leftover, "\(agent.clientCount) clients, and a deadline: \(deadline)")
    }
  }
}
