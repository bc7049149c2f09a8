// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What the agent tries with an adapter that does not follow its commands, mildest first.
public enum RecoveryAction: String, CaseIterable, Sendable {
  /// Ends the scan and starts it again.
  case restartScan
  /// Sends Reset and initializes the controller again.
  case reset
  /// Takes the adapter down and up.
  case takeDownAndUp
  /// Powers the adapter off and on through the management interface.
  case powerCycle
  /// Has the recovery unit perform the steps of the board's profile.
  case boardStep
}

/// Escalates recovery actions until one helps.
///
/// Pure: failures and recoveries go in with their times, the next action comes out. An escalation ends after its last
/// action or after a minute; then the watchdog waits, twice as long each time. After six escalations without success in
/// an hour, or sixty with success, no more begin: an operator must check the machine. Meanwhile the controller is
/// initialized again from time to time. A scan of a minute ends all that but the sixty.
public struct Watchdog: Equatable, Sendable {
  /// The actions to try, and how long to wait after them.
  public struct Escalation: Equatable, Sendable {
    public var actions: [RecoveryAction]
    public var waitMillisecondsMin: Int64
    public var waitMillisecondsMax: Int64

    /// For a controller that is reached only by its commands: initialized again after 1, 2, 4 … 60 s.
    public static let commands = Escalation(
      actions: [], waitMillisecondsMin: 1000, waitMillisecondsMax: 60_000)

    /// For an adapter of this machine; `hasBoardStep` is whether its board's profile has recovery steps.
    public static func adapter(hasBoardStep: Bool) -> Escalation {
      let actions = RecoveryAction.allCases.filter { hasBoardStep || $0 != .boardStep }
      return Escalation(actions: actions, waitMillisecondsMin: 30_000, waitMillisecondsMax: 300_000)
    }
  }

  /// What to do about a failure.
  public enum Remedy: Equatable, Sendable {
    /// Perform this action at once.
    case perform(RecoveryAction)
    /// Initialize the controller again after this time.
    case wait(milliseconds: Int64)
  }

  /// Why an operator must check the machine.
  public enum Exhaustion: Equatable, Sendable {
    /// ``failedEscalationsPerHourMax`` escalations in an hour did not help.
    case nothingHelped
    /// ``escalationsPerHourMax`` escalations in an hour, most of which helped.
    case failsTooOften
  }

  private struct Attempt: Equatable, Sendable {
    let began: Instant
    var hasHelped = false
  }

  /// How long a radio may be silent before it is probed.
  public static let silenceMilliseconds: Int64 = 30_000
  public static let escalationMillisecondsMax: Int64 = 60_000
  public static let failedEscalationsPerHourMax = 6
  public static let escalationsPerHourMax = 60
  /// How long a scan must last so that the next failure counts as the first.
  private static let stableMilliseconds: Int64 = 60_000

  public var escalation: Escalation
  /// The start of the current escalation, and the index of its last action.
  private var began: Instant?
  private var actionIndex: Int?
  /// The escalations of the last hour; at most ``escalationsPerHourMax``.
  private var attempts: [Attempt] = []
  private var waitMilliseconds: Int64
  private var scanningSince: Instant?
  /// The number of escalations that did not help.
  public private(set) var escalationsFailed: UInt64 = 0
  /// How often each action was tried.
  public private(set) var tries: [RecoveryAction: UInt64] = [:]

  public init(_ escalation: Escalation) {
    self.escalation = escalation
    waitMilliseconds = escalation.waitMillisecondsMin
  }

  /// The action that is being tried.
  public var action: RecoveryAction? { actionIndex.map { escalation.actions[$0] } }

  /// Why no more escalations begin in this hour; nil while they may.
  public private(set) var exhaustion: Exhaustion?

  /// Changes the radio: the current escalation ends, but the escalations of the hour still count.
  public mutating func use(_ escalation: Escalation) {
    guard escalation != self.escalation else { return }
    self.escalation = escalation
    (began, actionIndex) = (nil, nil)
    waitMilliseconds = escalation.waitMillisecondsMin
  }

  /// Records that the controller scans.
  public mutating func scans(at now: Instant) {
    if scanningSince == nil { scanningSince = now }
  }

  /// Records that the scan ended. If it lasted, the next failure counts as the first, also of the hour.
  public mutating func stopped(at now: Instant) {
    if let since = scanningSince, now.milliseconds(since: since) >= Self.stableMilliseconds {
      waitMilliseconds = escalation.waitMillisecondsMin
      attempts.removeAll { !$0.hasHelped }
    }
    scanningSince = nil
  }

  /// Records that an advertisement was received, or that the scanning controller replied.
  public mutating func recovered(at now: Instant) {
    if actionIndex != nil, !attempts.isEmpty { attempts[attempts.count - 1].hasHelped = true }
    (began, actionIndex, exhaustion) = (nil, nil, nil)
  }

  /// Returns what to do about a failure. `mayRestart` is whether there is a scan to restart; a controller that failed
  /// during initialisation needs at least the next action.
  public mutating func failed(at now: Instant, mayRestart: Bool) -> Remedy {
    stopped(at: now)
    guard let action = nextAction(at: now, mayRestart) else { return endEscalation() }
    tries[action, default: 0] &+= 1
    return .perform(action)
  }

  private mutating func nextAction(at now: Instant, _ mayRestart: Bool) -> RecoveryAction? {
    if let began, let last = actionIndex {
      guard last + 1 < escalation.actions.count,
        now.milliseconds(since: began) < Self.escalationMillisecondsMax
      else { return nil }
      actionIndex = last + 1
      return action
    }
    attempts.removeAll { now.milliseconds(since: $0.began) >= 3_600_000 }
    guard let first = escalation.actions.firstIndex(where: { mayRestart || $0 != .restartScan }) else {
      return nil
    }
    exhaustion = exhaustionNow
    guard exhaustion == nil else { return nil }
    attempts.append(Attempt(began: now))
    (began, actionIndex) = (now, first)
    return action
  }

  private var exhaustionNow: Exhaustion? {
    if attempts.count(where: { !$0.hasHelped }) >= Self.failedEscalationsPerHourMax { return .nothingHelped }
    return attempts.count >= Self.escalationsPerHourMax ? .failsTooOften : nil
  }

  private mutating func endEscalation() -> Remedy {
    if actionIndex != nil { escalationsFailed &+= 1 }
    (began, actionIndex) = (nil, nil)
    defer { waitMilliseconds = min(2 * waitMilliseconds, escalation.waitMillisecondsMax) }
    return .wait(milliseconds: exhaustion != nil ? escalation.waitMillisecondsMax : waitMilliseconds)
  }
}
