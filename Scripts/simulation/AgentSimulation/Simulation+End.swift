// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import AgentSupport
import HCI
import Manifest

// What must hold after each step, and at the end.

extension Simulation {
  func checkBounds() throws(Breach) {
    agent.checkInvariants()
    guard agent.clientCount == clients.count(where: { $0.id != nil }) else {
      throw Breach(.bound, "the agent has \(agent.clientCount) clients")
    }
    try referenceModel.checkSilence(at: now)
  }

  /// Checks that all calls are answered and all counts agree. Then all clients leave, the radio is pulled out, and the
  /// agent must hold nothing.
  func end() throws(Breach) {
    now = max(now, Int64(seconds) * 1_000_000)
    note("the end")
    isEnding = true
    // A caller may have made a hundred Capture calls, one after the other, each of which takes two seconds.
    for _ in 0..<10_000 {
      now += 100_000
      step += 1
      deliverReadings()
      try readReports()
      try settle()
      if clients.allSatisfy(\.hasAllReplies) { break }
    }
    try checkAnswers()
    try checkWatches()
    try endReports()
    try disconnectAll()
  }

  private func checkAnswers() throws(Breach) {
    for client in clients where client.id != nil && client.role.reads && !client.book.isSettled {
      let pending = client.book.pending
      throw Breach(.unansweredCall, "\(client.name) waits for \(pending.count) replies, \(pending[0])")
    }
  }

  /// Each client that reads has received every event, or a count of missed ones.
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

  private func disconnectAll() throws(Breach) {
    for index in clients.indices where clients[index].id != nil { disconnect(index) }
    radio.remove()
    readings = []
    removeAutomaticItems()
    // Longer than the longest silence and the radio's grace period.
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

  /// Items that are set up automatically are looked for as long as the manifest has them.
  private func removeAutomaticItems() {
    for index in manifest.apps.indices {
      manifest.apps[index].items.removeAll { $0.selection == .automatic }
    }
    configuration.manifest = manifest
    agent.readManifestAgain(at: instant)
    agent.manifestWasRead(
      .accepted(configuration, radioSource: "h4:controller", warnings: []), at: instant)
  }

  private func checkNothingLeft() throws(Breach) {
    agent.checkInvariants()
    guard agent.clientCount == 0, agent.nextDeadline == nil else {
      let deadline = agent.nextDeadline.map { "at \($0.microseconds) µs" } ?? "none"
      throw Breach(.leftover, "\(agent.clientCount) clients, and a deadline: \(deadline)")
    }
  }
}
