// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What is tried with an adapter that does not do what it is told, mildest first.
public enum RecoveryAction: String, CaseIterable, Sendable {
  /// The scan ended and begun again.
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
/// initialized again from time to time.
public struct Watchdog: Equatable, Sendable {
  /// The actions to try, and how long to wait after them.
  public struct Ladder: Equatable, Sendable {
    public var rungs: [RecoveryAction]
    public var waitMillisecondsMin: Int64
    public var waitMillisecondsMax: Int64

    /// For a controller that is reached only by its commands: initialized again after 1, 2, 4 … 60 s.
    public static let commands = Ladder(rungs: [], waitMillisecondsMin: 1000, waitMillisecondsMax: 60_000)

    /// For an adapter of this machine; `hasBoardStep` is whether its board's profile has recovery steps.
    public static func adapter(hasBoardStep: Bool) -> Ladder {
      let rungs = RecoveryAction.allCases.filter { hasBoardStep || $0 != .boardStep }
      return Ladder(rungs: rungs, waitMillisecondsMin: 30_000, waitMillisecondsMax: 300_000)
    }
  }

  public enum Remedy: Equatable, Sendable {
    /// At once.
    case climb(RecoveryAction)
    /// Bring it up anew after so long.
    case wait(milliseconds: Int64)
  }

  /// Why an operator must check the machine.
  public enum Exhaustion: Equatable, Sendable {
    /// ``laddersPerHourMax`` escalations in an hour did not help.
    case nothingHelped
    /// ``curesPerHourMax`` escalations in an hour, most of which helped.
    case failsTooOften
  }

  private struct Attempt: Equatable, Sendable {
    let began: Instant
    var hasHelped = false
  }

  /// How long a radio may be silent before it is probed.
  public static let silenceMilliseconds: Int64 = 30_000
  public static let ladderMillisecondsMax: Int64 = 60_000
  public static let laddersPerHourMax = 6
  public static let curesPerHourMax = 60
  /// How long a scan must last so that the next failure counts as the first.
  private static let peaceMilliseconds: Int64 = 60_000

  public var ladder: Ladder
  /// The start of the current escalation, and the index of its last action.
  private var began: Instant?
  private var place: Int?
  /// The escalations of the last hour; at most ``curesPerHourMax``.
  private var attempts: [Attempt] = []
  private var waitMilliseconds: Int64
  private var scanningSince: Instant?
  /// The number of escalations that did not help.
  public private(set) var laddersLost: UInt64 = 0
  /// How often each rung was tried.
  public private(set) var tries: [RecoveryAction: UInt64] = [:]

  public init(_ ladder: Ladder) {
    self.ladder = ladder
    waitMilliseconds = ladder.waitMillisecondsMin
  }

  /// The rung that is being tried.
  public var rung: RecoveryAction? { place.map { ladder.rungs[$0] } }

  /// Why no more escalations begin in this hour; nil while they may.
  public private(set) var exhaustion: Exhaustion?

  /// Changes the radio: the current escalation ends, but the escalations of the hour still count.
  public mutating func use(_ ladder: Ladder) {
    guard ladder != self.ladder else { return }
    self.ladder = ladder
    (began, place) = (nil, nil)
    waitMilliseconds = ladder.waitMillisecondsMin
  }

  /// Records that the controller scans.
  public mutating func scans(at now: Instant) {
    if scanningSince == nil { scanningSince = now }
  }

  /// Records that an advertisement was received, or that the scanning controller replied.
  public mutating func recovered(at now: Instant) {
    if place != nil, !attempts.isEmpty { attempts[attempts.count - 1].hasHelped = true }
    (began, place, exhaustion) = (nil, nil, nil)
  }

  /// Returns what to do about a failure. `mayRestart` is whether there is a scan to restart; a controller that failed
  /// during initialisation needs at least the next action.
  public mutating func failed(at now: Instant, mayRestart: Bool) -> Remedy {
    if let since = scanningSince, now.milliseconds(since: since) >= Self.peaceMilliseconds {
      waitMilliseconds = ladder.waitMillisecondsMin
    }
    scanningSince = nil
    guard let rung = nextRung(at: now, mayRestart) else { return giveUp() }
    tries[rung, default: 0] &+= 1
    return .climb(rung)
  }

  private mutating func nextRung(at now: Instant, _ mayRestart: Bool) -> RecoveryAction? {
    if let began, let last = place {
      guard last + 1 < ladder.rungs.count, now.milliseconds(since: began) < Self.ladderMillisecondsMax else {
        return nil
      }
      place = last + 1
      return rung
    }
    attempts.removeAll { now.milliseconds(since: $0.began) >= 3_600_000 }
    guard let first = ladder.rungs.firstIndex(where: { mayRestart || $0 != .restartScan }) else { return nil }
    exhaustion = exhaustionNow
    guard exhaustion == nil else { return nil }
    attempts.append(Attempt(began: now))
    (began, place) = (now, first)
    return rung
  }

  private var exhaustionNow: Exhaustion? {
    if attempts.count(where: { !$0.hasHelped }) >= Self.laddersPerHourMax { return .nothingHelped }
    return attempts.count >= Self.curesPerHourMax ? .failsTooOften : nil
  }

  private mutating func giveUp() -> Remedy {
    if place != nil { laddersLost &+= 1 }
    (began, place) = (nil, nil)
    defer { waitMilliseconds = min(2 * waitMilliseconds, ladder.waitMillisecondsMax) }
    return .wait(milliseconds: exhaustion != nil ? ladder.waitMillisecondsMax : waitMilliseconds)
  }
}
