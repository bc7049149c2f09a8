// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Discovery
import Manifest
import Setup
import Wireless

/// One turn of the agent: its time, its actions, and what it may ask the machine.
struct AgentTurn {
  private(set) var now: Instant
  /// How many microseconds the radio's clock runs ahead.
  var radioLead: Int64 = 0
  /// Whether another turn is due at once: a client has more calls than one turn takes, or waits for what came later.
  var isBusy = false
  /// Whether the agent ends, so that no scan is wanted.
  var isEnding = false
  /// What the shell has yet to do, in order.
  fileprivate var actions: [Action] = []

  init(now: Instant) { self.now = now }

  /// Moves the time on. It never runs backwards.
  mutating func advance(to time: Instant) { now = max(now, time) }
}

extension AgentCore {
  /// Lets time pass, takes calls, and sends what there is to send. `radioLead` is how many microseconds the radio's
  /// clock runs ahead: 0 but for a recording that is played as fast as it can be read.
  public func turn(at time: Instant, radioLead lead: Int64 = 0) {
    turn.advance(to: time)
    turn.radioLead = lead
    turn.isBusy = false
    counters.turns &+= 1
    dataPath.pipeline.advance(to: radioTime)
    advanceRadio()
    advanceSetup()
    advanceLinks()
    advancePairing()
    advanceNetworkScans()
    feeds.advertisements.readSightings(dataPath, setupCore.grants) { setupCore.audience(of: $0) }
    history.advance(dataPath, setupCore, to: radioTime)
    for client in clients.connected { serve(client) }
    // A client that was served before an effect came is served again.
    if !setupLink.effects.isEmpty { turn.isBusy = true }
    performSetupEffects()
  }

  /// The next thing to do, in order; nil when all is done.
  public func nextAction() -> Action? { turn.actions.isEmpty ? nil : turn.actions.removeFirst() }

  func enqueue(_ action: Action) { turn.actions.append(action) }

  /// The time of this turn.
  var now: Instant { turn.now }

  /// The radio's time: ahead of the agent's while a recording is played as fast as it can be read.
  var radioTime: Instant { Instant(microseconds: now.microseconds &+ turn.radioLead) }

  /// When the next turn is due, if nothing comes in before; a time that has passed means at once.
  public var nextDeadline: Instant? {
    if turn.isBusy { return now }
    return .earliest(
      .earliest(.earliest(pipelineDeadline, radio.deadline), .earliest(links.deadline, pairing.deadline)),
      .earliest(.earliest(clientDeadline, setupDeadline), .earliest(networkDeadline, reportDeadline)))
  }

  /// nil for a gateway that looks for no networks, whose plan need not be asked each turn.
  private var networkDeadline: Instant? { networkLink.plan.state == .off ? nil : networkLink.plan.deadline }

  /// The data path's deadline may be late by as much as a report may, so that a room full of devices does not wake the
  /// machine for each of them.
  private var pipelineDeadline: Instant? {
    guard let due = dataPath.pipeline.nextDeadline else { return nil }
    let onAgentClock = Instant(microseconds: due.microseconds &- turn.radioLead)
    let earliest = isRadioUrgent ? now : now.advanced(milliseconds: drainIntervalMilliseconds)
    return max(onAgentClock, earliest)
  }
}
