// SPDX-License-Identifier: GPL-3.0-or-later

import ManifestFormat

/// The diagnostics that only a scene file can have, each with its cure. All their sentences are here.
enum SceneDiagnostic: Equatable {
  case timeOutOfRange(least: String, most: String)
  case levelOutOfRange
  case addressWithoutUse
  case missing(String, because: String)
  case onlyFor(String)
  case noLevel
  case twoLevels
  case emptyPath
  case timeRunsBackwards
  case presenceRunsBackwards
  case noStructure
  case twoStructures(String, String)
  case dataWithoutUse
  case turnsDiffer(Int, Int)
  case noTurn
  case notThreeChannels
  case noTrigger
  case twoTriggers
  case needsCommand(String)
  case codedWith2M

  var sentence: String {
    switch self {
    case .timeOutOfRange(let least, let most): "the time is out of range; use \(least) to \(most)"
    case .levelOutOfRange: "the level is out of range; use \"0dB\" to \"100dB\""
    case .addressWithoutUse: "a device with this address-type makes its own address; remove the key"
    case .missing(let key, let reason): "\(key) is missing; \(reason)"
    case .onlyFor(let what): "only \(what) has this key; remove it"
    case .noLevel: "the device has no level; add dbm = -60 or a path"
    case .twoLevels: "the device has dbm and path; keep one of them"
    case .emptyPath: "the path has no point; add { at = \"0s\", dbm = -60 }"
    case .timeRunsBackwards: "this point is earlier than the one before; put the points in order"
    case .presenceRunsBackwards:
      "this range begins before the previous one ended, or ends before it begins; put the times in order"
    case .noStructure:
      "this table has no key of an AD structure; use one of flags, name, short-name, services, incomplete-services, "
        + "solicitations, company, service, tx-power, appearance, type and raw"
    case .twoStructures(let first, let second):
      "\(first) and \(second) are two AD structures; write a table for each"
    case .dataWithoutUse: "data belongs to company, service or type; remove it"
    case .turnsDiffer(let first, let second):
      "another structure takes \(first) turns and this one \(second); make the lists equally long"
    case .noTurn: "the payload takes turns and has no turn length; add turn = \"5s\""
    case .notThreeChannels: "there are three channels; write [\"1dB\", \"0dB\", \"-1.5dB\"]"
    case .noTrigger: "this fault has no trigger; add command = \"reset\" or at = \"10s\""
    case .twoTriggers: "a fault has a command or a time; keep one of them"
    case .needsCommand(let word): "only a command can be \(word); write command in place of at"
    case .codedWith2M:
      "advertising that begins on the coded PHY continues there; write secondary-phy = \"coded\""
    }
  }
}

extension TableReader {
  func report(_ problem: SceneDiagnostic, at key: Key) { report(.rule(problem.sentence), at: key) }
  func reportMissing(_ problem: SceneDiagnostic) { reportMissing(.rule(problem.sentence)) }
}

extension FormatDiagnostic.Expectation {
  static var duration: Self { .form("a time as \"12s\", \"9.5s\", \"350ms\" or \"2min\"") }
  static var decibels: Self { .form("decibels as \"2.2dB\", in tenths") }
  static var share: Self { .form("a share as \"5%\" or \"0.4%\", at most \"100%\"") }
  static var times: Self { .form("two times as \"4s..70s\", or \"4s..\" to stay") }
  static var command: Self {
    .form("the name of a command, as \"le-set-scan-enable\", or its opcode, as \"0x200c\"")
  }
  static var key: Self { .form("32 hexadecimal digits, the most significant byte first") }
}
