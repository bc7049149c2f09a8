// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem

/// What time it is for the loop: the machine's boot time since the loop was made, or what a test says it is.
struct LoopClock {
  /// 2026-01-01: no agent ran before it was written.
  private static let firstSensibleSeconds: Int64 = 1_767_225_600

  let now: () throws(SystemError) -> Instant
  /// The time of day in seconds; nil when the machine does not know it.
  let wallSeconds: () -> Int64?
  /// Boot time of the instant 0, in microseconds; nil when nobody is to be woken, because time is moved by hand.
  let origin: Int64?

  init(
    origin: Int64?, now: @escaping () throws(SystemError) -> Instant,
    wallSeconds: @escaping () -> Int64? = { nil }
  ) {
    self.origin = origin
    self.now = now
    self.wallSeconds = wallSeconds
  }

  /// The machine's, beginning now.
  static func machine() throws(SystemError) -> LoopClock {
    let origin = try BootTime.now()
    return LoopClock(
      origin: origin,
      now: { () throws(SystemError) in Instant(microseconds: try BootTime.now() - origin) },
      wallSeconds: { Self.machineSeconds })
  }

  /// Machines without a clock of their own begin in 1970 and are set later; what they say before means nothing.
  private static var machineSeconds: Int64? {
    guard let seconds = (try? WallTime.now())?.wholeSeconds, seconds >= firstSensibleSeconds else {
      return nil
    }
    return seconds
  }
}

/// What the loop finds beside its socket and its disk. Tests give it a time, radios and programs of theirs.
struct LoopDependencies {
  typealias ProgramStart =
    (_ words: [String], _ account: ConfinedProgram.Account) throws(SystemError) -> ConfinedProgram

  var clock: LoopClock
  /// Done on the devices worker's thread.
  var performTask: @Sendable (AdapterTask) -> AdapterTaskResult = { $0.run() }
  var startProgram: ProgramStart = LoopDependencies.confined

  /// The machine.
  static func machine() throws(SystemError) -> LoopDependencies { LoopDependencies(clock: try .machine()) }

  static func confined(
    _ words: [String], _ account: ConfinedProgram.Account
  ) throws(SystemError) -> ConfinedProgram {
    try ConfinedProgram(words, as: account)
  }
}
