// SPDX-License-Identifier: GPL-3.0-or-later

/// A way to falsify the messages to apps, operators and the disk, from outside: each must be caught by its rule, or the
/// rule proves nothing.
public enum LifeTampering: String, CaseIterable, Sendable {
  /// The third commit is acknowledged and does not reach the disk.
  case losesACommit
  /// The last commit before a power cut was acknowledged and is gone after it.
  case losesACommitAtAPowerCut
  /// An event does not reach a session.
  case dropsAnEvent
  /// An event reaches a session twice.
  case doublesAnEvent
  /// A session does not receive that an accessory was added, as if the event were another session's.
  case hidesAnAccessory
  /// A session does not receive that its picker was dismissed.
  case hidesADismissal
  /// A returning session does not receive the removals that the agent made when it started.
  case hidesARemovalAtStart
  /// A picker finishes twice, under two numbers.
  case finishesTwice
  /// A session's event about an accessory reaches a session of another app.
  case sendsToAnotherApp
  /// Another app's accessory is refused in other words than one that never existed.
  case refusesInOtherWords
  /// The last reply to a call is lost.
  case losesAReply
  /// The last reply to a call comes twice.
  case doublesAReply
  /// Operators receive twice that a request has closed.
  case closesTwice
  /// The disk receives two requests at once.
  case asksTheDiskTwice
  /// A client that did nothing wrong is closed.
  case closesAnInnocent
  /// One client does not leave at the end.
  case neverLeaves

  /// It must be caught by one of these rules.
  public var rules: [Breach.Rule] {
    switch self {
    case .losesACommit, .losesACommitAtAPowerCut: [.registry]
    case .dropsAnEvent, .doublesAnEvent: [.lostCount]
    case .hidesAnAccessory: [.lostCount, .registry]
    case .hidesARemovalAtStart: [.lostCount, .registry, .pickerOrder]
    case .hidesADismissal: [.pickerOrder]
    case .finishesTwice: [.pickerOrder, .lostCount]
    case .sendsToAnotherApp, .refusesInOtherWords: [.isolation]
    // After a lost reply, every other reply is read as another call's.
    case .losesAReply: [.unansweredCall, .registry, .isolation, .wrongReply]
    case .doublesAReply: [.unaskedReply]
    case .closesTwice: [.wrongReply]
    case .asksTheDiskTwice: [.bound]
    // A slow reader may be closed; but then the agent has no state of it.
    case .closesAnInnocent: [.wrongAdmission, .leftover]
    case .neverLeaves: [.leftover]
    }
  }
}
