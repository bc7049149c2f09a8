// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Varlink
import VarlinkClient

// The messages that a client reads in place of those that were sent, when a rule has to prove itself.

extension LifeCycle {
  /// How many matching messages come before the falsified one, itself included.
  private static let turn = 3

  func tampered(_ message: [UInt8], _ index: Int) -> [[UInt8]] {
    guard let tampering, let reply = ReceivedReply(reading: message.span) else { return [message] }
    let role = actors[index].role
    let kind = reply.parameters.object("event")?.text("event") ?? ""
    switch tampering {
    case .dropsAnEvent where role == .streamer && isNumbered(kind): return isTurn ? [] : [message]
    case .doublesAnEvent where role == .streamer && isNumbered(kind):
      return isTurn ? [message, message] : [message]
    case .hidesAnAccessory where role == .streamer && kind == "accessoryAdded":
      return isTurn ? hide(reply, index) : [message]
    case .hidesARemovalAtStart where kind == "accessoryRemoved" && isOwed(reply, index):
      return hide(reply, index)
    case .hidesADismissal where role == .streamer && kind == "pickerDidDismiss":
      return isTurn ? hide(reply, index) : [message]
    case .finishesTwice where role == .streamer && kind == "pickerFinished":
      return isTurn ? [message, secondEnd(reply)] : [message]
    case .losesAReply where isLast(reply, role): return isTurn ? [] : [message]
    case .doublesAReply where isLast(reply, role): return isTurn ? [message, message] : [message]
    case .closesTwice where role == .watcher && reply.parameters.text("closed") != nil:
      return isTurn ? [message, message] : [message]
    case .losesACommit, .losesACommitAtAPowerCut, .dropsAnEvent, .doublesAnEvent, .hidesAnAccessory,
      .hidesADismissal, .hidesARemovalAtStart,
      .finishesTwice, .sendsToAnotherApp, .refusesInOtherWords, .losesAReply, .doublesAReply, .closesTwice,
      .asksTheDiskTwice, .closesAnInnocent, .neverLeaves:
      return [message]
    }
  }

  private func isNumbered(_ kind: String) -> Bool { !kind.isEmpty && kind != "activated" }

  /// Whether the session returns from the previous run and must receive this removal.
  private func isOwed(_ reply: ReceivedReply, _ index: Int) -> Bool {
    let identifier = reply.parameters.object("event")?.object("accessory")?.text("identifier")
    return identifier.map { actors[index].book?.owed.contains($0) ?? false } ?? false
  }

  private func isLast(_ reply: ReceivedReply, _ role: Actor.Role) -> Bool {
    (role == .app || role == .operator) && !reply.continues
  }

  /// Counts, and returns whether to falsify this message; true once.
  private var isTurn: Bool {
    tamperings += 1
    return tamperings == Self.turn
  }

  private func hide(_ reply: ReceivedReply, _ index: Int) -> [[UInt8]] {
    let passed = reply.parameters.object("event")?.number("passed") ?? 0
    actors[index].book?.skipNumbers(passed + 1)
    return []
  }

  /// The end of the picker under the next number.
  private func secondEnd(_ reply: ReceivedReply) -> [UInt8] {
    let event = reply.parameters.object("event")
    let sequence = (event?.number("sequence") ?? 0) + 1
    let picker = event?.text("picker") ?? ""
    return Array(
      "{\"parameters\":{\"event\":{\"sequence\":\(sequence),\"event\":\"pickerFinished\",\"picker\":\"\(picker)\"}},\"continues\":true}"
        .utf8)
  }

  /// Gives one session's event about an accessory to a session of another user.
  func sendToAnotherApp(_ reply: ReceivedReply, _ index: Int) throws(Breach) {
    guard reply.parameters.object("event")?.object("accessory") != nil else { return }
    let user = actors[index].peer.uid
    guard
      let receiver = actors.first(where: { other in
        other.role == .streamer && other.peer.uid != user && other.book?.app != nil
          && other.book?.app != actors[index].book?.app
      })
    else { return }
    try checkIsolation(reply, ActorCall(method: ActorCall.session + "Activate", sentAt: now), [], receiver)
  }
}
