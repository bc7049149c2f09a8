// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Registry
import Setup
import Varlink

/// How long a call waits for its reply.
enum Patience {
  /// For a commit to the disk.
  static let diskMilliseconds: Int64 = 30_000
  /// For an operator's answer to an app, and the commit after it.
  static let answerMilliseconds: Int64 = 90_000
  /// For a pairing, its undoing, an operator who types a name, and the commit after it.
  static let choiceMilliseconds: Int64 = 160_000

  static let diskTimeoutSentence =
    "the disk has not answered in time, and the change may still be made; see accessoryctl status"
}

/// A call that an operator, or the disk, has yet to decide.
///
/// After its time the caller gets an error. What it asked for may still be done; the reply to it is lost.
struct PendingReply: SetupStream {
  let method: AgentMethod
  let callID: CallID
  let end: Instant?
  var isOverdue = false

  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep {
    guard isOver(at: now) || setup.isDiskOverdue, let timeout = method.diskTimeout else {
      return .wait
    }
    isOverdue = true
    return .end(timeout)
  }

  /// What an operator has not answered yet is withdrawn with its caller.
  func release(_ agent: AgentCore) {
    if !isOverdue { agent.follow(agent.setupCore.abandon(callID)) }
  }
}

extension SetupCore {
  /// Whether the disk has not answered for as long as a call waits for it, whatever else the call has waited for.
  var isDiskOverdue: Bool { diskHangMilliseconds.map { $0 >= Patience.diskMilliseconds } ?? false }
}

extension CallResult {
  /// The last reply of the call. `epoch` is that of the events.
  func message(epoch: String) -> [UInt8] {
    Message.reply { json in
      switch self {
      case .done: break
      case .accessory(let accessory, let event):
        json.object("accessory", AppAccessoryLine(accessory))
        json.cursor(epoch, event)
      case .removed(let event): json.cursor(epoch, event)
      case .setUp(let setup): SetupReply(setup).writeMembers(to: &json)
      case .count(let count): json.member("accessories", count)
      case .reset(let kept): json.member("kept", kept)
      }
    }
  }
}

extension SetupReply {
  init(_ setup: CompletedSetup) {
    self.init(
      accessory: setup.accessory.text, displayName: setup.displayName, awaitsApp: setup.awaitsApp,
      finishesInApp: setup.finishesInApp)
    pairing = setup.pairing
    isBondAuthenticated = setup.isBondAuthenticated
  }
}

extension JSONWriter {
  /// The event that a call caused, as a cursor.
  fileprivate mutating func cursor(_ epoch: String, _ sequence: UInt64?) {
    member("epoch", epoch)
    if let sequence { member("sequence", sequence) }
  }
}

/// A call that came while the registry's file was being read. It starts once that is done.
struct DeferredCall: ReplyStream {
  let method: AgentMethod
  let parameters: Parameters
  let end: Instant?
  let timeout: [UInt8]

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    isOver(at: agent.now) ? .end(timeout) : .wait
  }
}
