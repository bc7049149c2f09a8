// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Discovery
public import Interfaces
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
  /// How many reports and sighting events there were in the turn before.
  fileprivate var reportCount: UInt64 = 0
  fileprivate var eventCount: UInt64 = 0
  fileprivate var filterChanges: UInt32 = 0
  /// When the data path needed the time, as of the turn before.
  fileprivate var dataPathDue: Instant?
  /// What the shell has yet to do, in order.
  fileprivate var actions: [Action] = []

  init(now: Instant) { self.now = now }

  /// Moves the time on. It never runs backwards.
  mutating func advance(to time: Instant) { now = max(now, time) }

  /// When the turn itself or the data path needs the next one. The data path's may be late by as much as a report may, so
  /// that a room full of devices does not wake the machine for each of them.
  fileprivate func deadline(_ outlook: AgentOutlook) -> Instant? {
    guard !isBusy else { return now }
    guard let due = dataPathDue else { return nil }
    let onAgentClock = Instant(microseconds: due.microseconds &- radioLead)
    return max(
      onAgentClock,
      outlook.isRadioUrgent ? now : now.advanced(milliseconds: outlook.drainIntervalMilliseconds))
  }
}

/// What the loop asks the agent in every turn, and when a part of the agent beside the data path needs the time. It is
/// computed once after each input, so that a turn in which nothing is due visits no part.
public struct AgentOutlook: Sendable {
  /// Whether the radio has to be read at once: a request is open, or the controller owes a reply. Otherwise every
  /// ``AgentCore/drainIntervalMilliseconds`` is enough.
  public fileprivate(set) var isRadioUrgent = false
  public fileprivate(set) var radioState = RadioLine.State.absent
  /// The number of clients, without those that are turned away.
  public fileprivate(set) var clientCount = 0
  /// Whether an app waits for the end of a setup.
  public fileprivate(set) var hasRequests = false
  /// Whether some client reads packets or reports as they come, so that each goes to
  /// ``AgentCore/receive(packet:at:waitedMicroseconds:)``.
  public fileprivate(set) var hasPacketReaders = false
  /// Whether a stream may have something to send after each report.
  fileprivate var followsReports = false
  fileprivate var drainIntervalMilliseconds: Int64 = 0
  /// When ``AgentCore/turn(at:radioLead:)`` has to visit the parts.
  fileprivate var due: Instant?
  /// From when on reports say something new about the radio.
  fileprivate var hearingEnd: Instant?
  /// Some part has changed since this was computed.
  var isOld = true
}

extension AgentCore {
  /// Lets time pass, takes calls, and sends what there is to send. `radioLead` is how many microseconds the radio's
  /// clock runs ahead: 0 but for a recording that is played as fast as it can be read.
  public func turn(at time: Instant, radioLead lead: Int64 = 0) {
    turn.advance(to: time)
    turn.radioLead = lead
    counters.turns &+= 1
    dataPath.path.pipeline.advance(to: radioTime)
    let glance = dataPath.path.pipeline.glance()
    let isHeard = glance.reports != turn.reportCount
    turn.reportCount = glance.reports
    let isNews = glance.events != turn.eventCount || glance.filterChanges != turn.filterChanges
    guard turn.isBusy || outlook.isOld || isNews || isDue(isHeard: isHeard) else {
      turn.dataPathDue = glance.deadline
      return
    }
    (turn.eventCount, turn.filterChanges) = (glance.events, glance.filterChanges)
    turn.isBusy = false
    advanceRadio(isHeard: isHeard)
    advanceSetup()
    advanceLinks()
    advancePairing()
    advanceNetworkScans()
    feeds.advertisements.readSightings(dataPath, setupCore.grants) { setupCore.audience(of: $0) }
    history.advance(dataPath, setupCore, to: radioTime)
    startPostponedCalls()
    for client in clients.connected { serve(client) }
    // A client that was served before an effect came is served again.
    if !setupLink.effects.isEmpty { turn.isBusy = true }
    performSetupEffects()
    advanceFilter()
    outlook = currentOutlook
    turn.dataPathDue = dataPath.path.pipeline.glance().deadline
  }

  /// Whether the time has come for some part, or reports have for one beside the radio.
  private func isDue(isHeard: Bool) -> Bool {
    let (outlook, now) = (outlook, now)
    if let due = outlook.due, due <= now { return true }
    guard isHeard, !outlook.followsReports else { return isHeard }
    // A radio that does not work, for all that is known, is visited.
    guard let end = outlook.hearingEnd else { return true }
    guard end <= now else { return false }
    // Clients follow how accessories are heard.
    guard outlook.clientCount == 0, !history.isSampleDue(at: radioTime) else { return true }
    let hearingEnd = radio.noteHeard(at: now)
    self.outlook.isOld = false
    self.outlook.hearingEnd = hearingEnd
    return false
  }

  /// What the loop has to know after an input.
  public func lookAhead() -> AgentOutlook {
    if outlook.isOld {
      // The next turn visits the parts.
      outlook = currentOutlook
      outlook.isOld = true
    }
    return outlook
  }

  private var currentOutlook: AgentOutlook {
    AgentOutlook(
      isRadioUrgent: setupLink.requests.open > 0 || radio.awaitsAnswer, radioState: radio.state,
      clientCount: clients.count, hasRequests: setupCore.hasRequests,
      hasPacketReaders: packetTap.readerCount > 0 || !reports.isEmpty,
      followsReports: clients.connected.contains { $0.stream?.followsReports ?? false },
      drainIntervalMilliseconds: drainIntervalMilliseconds,
      due: .earliest(
        .earliest(.earliest(radio.deadline, pairing.deadline), .earliest(links.deadline, setupDeadline)),
        .earliest(.earliest(clientDeadline, networkDeadline), filter.deadline)),
      hearingEnd: radio.hearingEnd, isOld: false)
  }

  /// The next thing to do, in order; nil when all is done.
  public func nextAction() -> Action? { hasActions ? turn.actions.removeFirst() : nil }

  public var hasActions: Bool { !turn.actions.isEmpty }

  func enqueue(_ action: Action) { turn.actions.append(action) }

  /// The time of this turn.
  var now: Instant { turn.now }

  /// The radio's time: ahead of the agent's while a recording is played as fast as it can be read.
  var radioTime: Instant { Instant(microseconds: now.microseconds &+ turn.radioLead) }

  /// When the next turn is due, if nothing comes in before; a time that has passed means at once.
  public var nextDeadline: Instant? {
    let outlook = lookAhead()
    let due = Instant.earliest(turn.deadline(outlook), outlook.due)
    return outlook.hasPacketReaders ? .earliest(due, reportDeadline) : due
  }

  /// nil for a gateway that looks for no networks, whose plan need not be asked each turn.
  private var networkDeadline: Instant? { networkLink.plan.state == .off ? nil : networkLink.plan.deadline }
}
