// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem

/// The loop's clock: the machine's boot time since the loop was created, or the time that a test sets.
struct LoopClock {
  /// 2026-01-01; an earlier wall clock is not set yet.
  private static let firstSensibleSeconds: Int64 = 1_767_225_600

  /// Boot time of the instant 0, in microseconds; nil if no timer is to wake the loop, because a test moves the time.
  let origin: Int64?
  let now: () throws(SystemError) -> Instant
  /// The time of day in seconds since 1970; nil while the machine's clock is not set.
  var wallSeconds: () -> Int64? = { nil }

  /// The machine's clock, beginning now.
  static func machine() throws(SystemError) -> LoopClock {
    let origin = try BootTime.now()
    return LoopClock(
      origin: origin,
      now: { () throws(SystemError) in Instant(microseconds: try BootTime.now() - origin) },
      wallSeconds: { Self.machineSeconds })
  }

  /// Machines without a battery-backed clock start in 1970 and are set later.
  private static var machineSeconds: Int64? {
    guard let seconds = (try? WallTime.now())?.wholeSeconds, seconds >= firstSensibleSeconds else {
      return nil
    }
    return seconds
  }
}

/// The loop's dependencies besides its socket and disk. Tests replace the clock, radios, programs
/// and connections to accessories.
struct LoopDependencies {
  typealias ProgramStart =
    (_ arguments: [String], _ account: ConfinedProgram.Account) throws(SystemError) -> ConfinedProgram

  var clock: LoopClock
  /// Runs on the devices worker's thread.
  var performTask: @Sendable (AdapterTask) -> AdapterTaskResult = AdapterTask.performer()
  var startProgram: ProgramStart = LoopDependencies.confined
  var openLink: LinkSockets.Open = { request throws(SystemError) in try LinkSocket(request) }

  /// The dependencies of a real machine.
  static func machine() throws(SystemError) -> LoopDependencies { LoopDependencies(clock: try .machine()) }

  static func confined(
    _ arguments: [String], _ account: ConfinedProgram.Account
  ) throws(SystemError) -> ConfinedProgram {
    try ConfinedProgram(arguments, as: account)
  }
}
