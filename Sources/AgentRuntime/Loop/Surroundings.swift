// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// What the loop finds beside its socket and its disk. Tests give it a time, radios and programs of theirs.
struct Surroundings {
  typealias ProgramStart =
    (_ words: [String], _ account: ConfinedProgram.Account) throws(SystemError) -> ConfinedProgram

  var clock: LoopClock
  /// Done on the devices worker's thread.
  var performErrand: @Sendable (DeviceErrand) -> DeviceReply = { $0.perform() }
  var startProgram: ProgramStart = Surroundings.confined

  /// The machine.
  static func ofMachine() throws(SystemError) -> Surroundings { Surroundings(clock: try .ofMachine()) }

  static func confined(
    _ words: [String], _ account: ConfinedProgram.Account
  ) throws(SystemError) -> ConfinedProgram {
    try ConfinedProgram(words, as: account)
  }
}
