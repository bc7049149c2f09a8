// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// What the loop finds beside its socket and its disk. Tests give it a time, radios and programs of theirs.
struct LoopDependencies {
  typealias ProgramStart =
    (_ words: [String], _ account: ConfinedProgram.Account) throws(SystemError) -> ConfinedProgram

  var clock: LoopClock
  /// Done on the devices worker's thread.
  var performTask: @Sendable (AdapterTask) -> AdapterTaskResult = { $0.perform() }
  var startProgram: ProgramStart = LoopDependencies.confined

  /// The machine.
  static func machine() throws(SystemError) -> LoopDependencies { LoopDependencies(clock: try .machine()) }

  static func confined(
    _ words: [String], _ account: ConfinedProgram.Account
  ) throws(SystemError) -> ConfinedProgram {
    try ConfinedProgram(words, as: account)
  }
}
