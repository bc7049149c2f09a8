// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What is tried with an adapter that does not do what it is told, mildest first.
public enum RecoveryAction: String, CaseIterable, Sendable {
  /// The scan ended and begun again.
  case restartScan
  /// The command Reset, and the bring-up anew.
  case reset
  /// The adapter down and up.
  case takeDownAndUp
  /// The adapter off and on through the management interface.
  case powerCycle
  /// What the board's profile says, done by the recovery unit.
  case boardStep
}

/// Climbs a ladder of remedies for as long as the one before did not help.
///
/// Pure: failures and recoveries go in with their times, what to do next comes out. A ladder ends at its last rung or
/// after a minute; then it waits, twice as long each time. When six ladders in an hour did not help, or sixty did, no more
/// are begun: somebody must look at the machine, and meanwhile it is tried anew now and then.
public struct Watchdog: Equatable, Sendable {
  /// Which remedies there are, and how long to wait behind them.
  public struct Ladder: Equatable, Sendable {
    public var rungs: [RecoveryAction]
    public var waitMillisecondsMin: Int64
    public var waitMillisecondsMax: Int64

    /// A controller that is only reached by its commands: brought up anew after 1, 2, 4 … 60 s.
    public static let commands = Ladder(rungs: [], waitMillisecondsMin: 1000, waitMillisecondsMax: 60_000)

    /// An adapter of this machine; `hasBoardStep` is whether its profile knows what else helps.
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

  /// Why somebody must look at the machine.
  public enum Exhaustion: Equatable, Sendable {
    /// ``laddersPerHourMax`` ladders in an hour did not help.
    case nothingHelped
    /// ``curesPerHourMax`` ladders in an hour, most of which helped.
    case failsTooOften
  }

  private struct Attempt: Equatable, Sendable {
    let began: Instant
    var hasHelped = false
  }

  /// So long silence is nothing to ask about.
  public static let silenceMilliseconds: Int64 = 30_000
  public static let ladderMillisecondsMax: Int64 = 60_000
  public static let laddersPerHourMax = 6
  public static let curesPerHourMax = 60
  /// What lasted so long ended the trouble: the next failure is a first one.
  private static let peaceMilliseconds: Int64 = 60_000

  public var ladder: Ladder
  /// Of the ladder that is climbed: when it began, and the rung that was last tried.
  private var began: Instant?
  private var place: Int?
  /// The ladders of the last hour; at most ``curesPerHourMax``.
  private var attempts: [Attempt] = []
  private var waitMilliseconds: Int64
  private var scanningSince: Instant?
  /// Ladders that ended without help.
  public private(set) var laddersLost: UInt64 = 0
  /// How often each rung was tried.
  public private(set) var tries: [RecoveryAction: UInt64] = [:]

  public init(_ ladder: Ladder) {
    self.ladder = ladder
    waitMilliseconds = ladder.waitMillisecondsMin
  }

  /// The rung that is being tried.
  public var rung: RecoveryAction? { place.map { ladder.rungs[$0] } }

  /// No more ladders in this hour.
  public private(set) var exhaustion: Exhaustion?

  /// Another radio: what was learned of the one before means nothing, but the ladders of the hour count.
  public mutating func use(_ ladder: Ladder) {
    guard ladder != self.ladder else { return }
    self.ladder = ladder
    (began, place) = (nil, nil)
    waitMilliseconds = ladder.waitMillisecondsMin
  }

  /// It scans: for as long as this lasts, and was not only said, the trouble is over.
  public mutating func scans(at now: Instant) {
    if scanningSince == nil { scanningSince = now }
  }

  /// Somebody was heard, or the controller answered while it scanned.
  public mutating func recovered(at now: Instant) {
    if place != nil, !attempts.isEmpty { attempts[attempts.count - 1].hasHelped = true }
    (began, place, exhaustion) = (nil, nil, nil)
  }

  /// What to do about a failure. `mayRestart` is whether there is a scan to be restarted; a controller that failed
  /// while it was brought up needs at least the next rung.
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
