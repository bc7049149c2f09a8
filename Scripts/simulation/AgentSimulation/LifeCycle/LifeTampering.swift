// SPDX-License-Identifier: GPL-3.0-or-later

/// A way to break what apps, operators and the disk are told, from outside: each must be caught by its rule, or the rule
/// proves nothing.
public enum LifeTampering: String, CaseIterable, Sendable {
  /// The third commit is acknowledged and does not reach the disk.
  case losesACommit
  /// The last commit before a power cut was acknowledged and is gone behind it.
  case losesACommitAtACut
  /// An event does not reach a session.
  case dropsAnEvent
  /// An event reaches a session twice.
  case doublesAnEvent
  /// A session passes over that an accessory came, as if it were another session's.
  case hidesAnAccessory
  /// A session passes over that its picker was dismissed.
  case hidesADismissal
  /// A session that comes back is not told what the start of the agent took back.
  case hidesWhatWasTakenBack
  /// A picker finishes twice, each under a number of its own.
  case finishesTwice
  /// What a session is told of an accessory reaches somebody of another app.
  case tellsAStranger
  /// Foreign identifiers are refused in the same words but once.
  case refusesInOtherWords
  /// The last reply to a call does not come.
  case losesAReply
  /// It comes twice.
  case doublesAReply
  /// A request is over for operators who were not told of it.
  case closesTwice
  /// The disk is asked for two things at once.
  case asksTheDiskTwice
  /// A client that did nothing wrong is closed.
  case closesAnInnocent
  /// Somebody does not leave at the end.
  case neverLeaves

  /// What it must be caught for, one of them.
  public var rules: [Breach.Rule] {
    switch self {
    case .losesACommit, .losesACommitAtACut: [.registry]
    case .dropsAnEvent, .doublesAnEvent: [.lostCount]
    case .hidesAnAccessory: [.lostCount, .registry]
    case .hidesWhatWasTakenBack: [.lostCount, .registry, .pickerOrder]
    case .hidesADismissal: [.pickerOrder]
    case .finishesTwice: [.pickerOrder, .lostCount]
    case .tellsAStranger, .refusesInOtherWords: [.isolation]
    // Behind it every reply is taken for another call's.
    case .losesAReply: [.unansweredCall, .registry, .isolation, .wrongReply]
    case .doublesAReply: [.unaskedReply]
    case .closesTwice: [.wrongReply]
    case .asksTheDiskTwice: [.bound]
    // If it reads slowly it might have been closed for that, but then the agent would have forgotten it.
    case .closesAnInnocent: [.wrongAdmission, .leftover]
    case .neverLeaves: [.leftover]
    }
  }
}
