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
  var outlook = AgentOutlook()
  /// Whether a part has changed since the parts were visited.
  fileprivate var isNews = true
  /// What the shell has yet to do.
  fileprivate var actionCount = 0
  /// The turns so far.
  fileprivate(set) var count: UInt64 = 0
  /// Whether a report came since the turn before.
  fileprivate var isHeard = false
  /// How many reports and sighting events there were in the turn before.
  fileprivate var reportCount: UInt64 = 0
  fileprivate var eventCount: UInt64 = 0
  fileprivate var filterChanges: UInt32 = 0
  /// When the data path needed the time, as of the turn before.
  fileprivate var dataPathDue: Instant?

  init(now: Instant) { self.now = now }

  /// Moves the time on. It never runs backwards.
  mutating func advance(to time: Instant) { now = max(now, time) }

  /// Begins a turn. Returns the radio's time.
  fileprivate mutating func beginTurn(at time: Instant, radioLead lead: Int64) -> Instant {
    advance(to: time)
    radioLead = lead
    count &+= 1
    return radioTime
  }

  /// The radio's time: ahead of the agent's while a recording is played as fast as it can be read.
  fileprivate var radioTime: Instant { Instant(microseconds: now.microseconds &+ radioLead) }

  /// What has to be visited for what the data path has to tell.
  fileprivate mutating func visit(_ glance: Pipeline.Glance) -> Visit {
    isHeard = glance.reports != reportCount
    if glance.events != eventCount || glance.filterChanges != filterChanges { isNews = true }
    (reportCount, eventCount, filterChanges) = (glance.reports, glance.events, glance.filterChanges)
    dataPathDue = glance.deadline
    if isBusy || isNews || outlook.isOld { return .parts }
    if let due = outlook.due, due <= now { return .parts }
    guard isHeard else { return .nothing }
    // A radio that does not work, for all that is known, is visited.
    guard !outlook.followsReports, let end = outlook.hearingEnd else { return .parts }
    guard end <= now else { return .nothing }
    // Clients follow how accessories are heard.
    return outlook.clientCount == 0 ? .radio : .parts
  }

  fileprivate enum Visit { case nothing, radio, parts }

  /// When the turn itself or the data path needs the next one. The data path's may be late by as much as a report may, so
  /// that a room full of devices does not wake the machine for each of them.
  fileprivate var deadline: Instant? {
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
    let radioTime = turn.beginTurn(at: time, radioLead: lead)
    switch turn.visit(dataPath.path.pipeline.glance(at: radioTime)) {
    case .nothing: return
    case .radio:
      let hearingEnd = radio.noteHeard(at: now)
      turn.outlook.isOld = false
      turn.outlook.hearingEnd = hearingEnd
      advanceHistory()
    case .parts: visitParts()
    }
  }

  private func advanceHistory() {
    history.advance(dataPath, to: radioTime) { setupCore.forEachConnectedApp($0) }
  }

  private func visitParts() {
    turn.isBusy = false
    advanceRadio(isHeard: turn.isHeard)
    advanceSetup()
    advanceLinks()
    advancePairing()
    advanceNetworkScans()
    feeds.advertisements.readSightings(dataPath, setupCore.grants) { setupCore.audience(of: $0) }
    reports.readings.readReports(dataPath, setupCore.grants, told: feeds.advertisements.told) {
      setupCore.audience(of: $0)
    }
    advanceHistory()
    startPostponedCalls()
    for client in clients.connected { serve(client) }
    // A client that was served before an effect came is served again.
    if !setupLink.effects.isEmpty { turn.isBusy = true }
    performSetupEffects()
    advanceFilter()
    turn.outlook = currentOutlook
    turn.isNews = false
    turn.dataPathDue = dataPath.path.pipeline.glance(at: radioTime).deadline
  }

  /// What the loop has to know after an input.
  public func lookAhead() -> AgentOutlook {
    if turn.outlook.isOld {
      turn.outlook = currentOutlook
      turn.isNews = true
    }
    return turn.outlook
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
  public func nextAction() -> Action? {
    guard hasActions else { return nil }
    turn.actionCount -= 1
    return actions.removeFirst()
  }

  public var hasActions: Bool { turn.actionCount > 0 }

  func enqueue(_ action: Action) {
    actions.append(action)
    turn.actionCount += 1
  }

  /// The time of this turn.
  var now: Instant { turn.now }

  var radioTime: Instant { turn.radioTime }

  public var turnCount: UInt64 { turn.count }

  /// When the next turn is due, if nothing comes in before; a time that has passed means at once.
  public var nextDeadline: Instant? {
    let outlook = lookAhead()
    let due = Instant.earliest(turn.deadline, outlook.due)
    return outlook.hasPacketReaders ? .earliest(due, reportDeadline) : due
  }

  /// nil for a gateway that looks for no networks, whose plan need not be asked each turn.
  private var networkDeadline: Instant? { networkLink.plan.state == .off ? nil : networkLink.plan.deadline }
}
