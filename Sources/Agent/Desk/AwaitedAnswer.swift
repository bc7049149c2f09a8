// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import Registry
import Setup
import Varlink

/// A call whose answer takes a person, or the disk.
struct AwaitedAnswer: Equatable, Sendable {
  /// What the caller is told when nothing came until its deadline.
  enum Overdue: Equatable, Sendable {
    case app
    case `operator`
  }

  let call: CallID
  /// The method's deadline. What was asked may still be done; the answer is lost.
  let end: Instant
  let overdue: Overdue

  /// For a commit to the disk.
  static let diskMilliseconds: Int64 = 30_000
  /// For an operator's answer to an app, and the disk behind it.
  static let answerMilliseconds: Int64 = 90_000
  /// For typing a name, and the disk behind it.
  static let chooseMilliseconds: Int64 = 90_000
}

/// A call that came while the registry's file was being read.
struct DeferredCall: Sendable {
  let method: AgentMethod
  let parameters: Parameters
  let end: Instant
}

extension AwaitedAnswer.Overdue {
  /// Nothing came from the disk.
  var message: [UInt8] {
    let sentence = "the disk has not answered in time; see accessoryctl status"
    return switch self {
    case .app:
      SetupFailure(.unknown, sentence, cure: "ask List what became of it, and the gateway's operator").message
    case .operator: OperatorError.registry(sentence).message
    }
  }
}

extension CallResult {
  /// The last reply of the call.
  var message: [UInt8] {
    Message.reply { json in
      switch self {
      case .done: break
      case .accessory(let accessory): json.object("accessory") { accessory.writeMembers(to: &$0) }
      case .setUp(let made):
        json.member("accessory", made.accessory.text)
        json.member("displayName", made.displayName)
        json.member("awaitsApp", made.awaitsApp)
        json.member("finishInApp", made.finishesInApp)
      case .count(let count): json.member("accessories", count)
      case .reset(let kept): json.member("kept", kept)
      }
    }
  }
}

extension AgentCore {
  /// Numbers a call that will be answered later.
  func nextCallID() -> CallID {
    callCount += 1
    return CallID(callCount)
  }

  /// Tells whoever waits; who has gone, or lost patience, is told nothing.
  func answer(_ call: CallID, _ result: Result<CallResult, OperatorError>) {
    for place in clients.taken {
      guard case .awaiting(let awaited) = clients.places[place]?.activity, awaited.call == call else {
        continue
      }
      clients.places[place]?.activity = .none
      switch result {
      case .success(let answer): clients.places[place]?.connection.reply(answer.message)
      case .failure(let refusal):
        tally.callsRefused &+= 1
        clients.places[place]?.connection.reply(refusal.message)
      }
      return
    }
  }

  /// Gives up calls whose answer did not come in time.
  func endOverdueCalls() {
    for place in clients.taken {
      switch clients.places[place]?.activity {
      case .awaiting(let awaited) where awaited.end <= now:
        clients.places[place]?.activity = .none
        clients.places[place]?.connection.reply(awaited.overdue.message)
      case .deferred(let call) where call.end <= now:
        clients.places[place]?.activity = .none
        clients.places[place]?.connection.reply(call.overdue.message)
      default: break
      }
    }
  }

  /// Calls that waited for the registry's file.
  func performDeferred() {
    for place in clients.taken {
      guard case .deferred(let call) = clients.places[place]?.activity else { continue }
      clients.places[place]?.activity = .none
      perform(call.method, call.parameters, place)
    }
  }
}

extension DeferredCall {
  fileprivate var overdue: AwaitedAnswer.Overdue {
    switch method {
    case .session: .app
    case .picker, .gateway: .operator
    }
  }
}
