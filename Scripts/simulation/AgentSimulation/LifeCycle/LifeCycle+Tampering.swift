// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Varlink

// What somebody reads in place of what was sent, when rules have to prove themselves.

extension LifeCycle {
  /// A few go by first, so that there is something to be wrong about.
  private static let patience = 3

  func tampered(_ message: [UInt8], _ place: Int) -> [[UInt8]] {
    guard let tampering, let reply = ReceivedReply(reading: message.span) else { return [message] }
    let role = actors[place].role
    let kind = reply.parameters.object("event")?.text("event") ?? ""
    switch tampering {
    case .dropsAnEvent where role == .streamer && isNumbered(kind): return isTurn ? [] : [message]
    case .doublesAnEvent where role == .streamer && isNumbered(kind):
      return isTurn ? [message, message] : [message]
    case .hidesAnAccessory where role == .streamer && kind == "accessoryAdded":
      return isTurn ? hide(reply, place) : [message]
    case .hidesWhatWasTakenBack where kind == "accessoryRemoved" && isOwed(reply, place):
      return hide(reply, place)
    case .hidesADismissal where role == .streamer && kind == "pickerDidDismiss":
      return isTurn ? hide(reply, place) : [message]
    case .finishesTwice where role == .streamer && kind == "pickerFinished":
      return isTurn ? [message, again(reply)] : [message]
    case .losesAReply where isLast(reply, role): return isTurn ? [] : [message]
    case .doublesAReply where isLast(reply, role): return isTurn ? [message, message] : [message]
    case .closesTwice where role == .watcher && reply.parameters.text("closed") != nil:
      return isTurn ? [message, message] : [message]
    case .losesACommit, .losesACommitAtACut, .dropsAnEvent, .doublesAnEvent, .hidesAnAccessory,
      .hidesADismissal, .hidesWhatWasTakenBack,
      .finishesTwice, .tellsAStranger, .refusesInOtherWords, .losesAReply, .doublesAReply, .closesTwice,
      .asksTheDiskTwice, .closesAnInnocent, .neverLeaves:
      return [message]
    }
  }

  private func isNumbered(_ kind: String) -> Bool { !kind.isEmpty && kind != "activated" }

  /// Whether the session comes from the run before and has to be told.
  private func isOwed(_ reply: ReceivedReply, _ place: Int) -> Bool {
    let identifier = reply.parameters.object("event")?.object("accessory")?.text("identifier")
    return identifier.map { actors[place].book?.owed.contains($0) ?? false } ?? false
  }

  private func isLast(_ reply: ReceivedReply, _ role: Actor.Role) -> Bool {
    (role == .app || role == .operator) && !reply.continues
  }

  /// Whether it is done this time: once.
  private var isTurn: Bool {
    tamperings += 1
    return tamperings == Self.patience
  }

  private func hide(_ reply: ReceivedReply, _ place: Int) -> [[UInt8]] {
    let passed = reply.parameters.object("event")?.number("passed") ?? 0
    actors[place].book?.slip(by: passed + 1)
    return []
  }

  /// The end of the picker under the next number.
  private func again(_ reply: ReceivedReply) -> [UInt8] {
    let event = reply.parameters.object("event")
    let sequence = (event?.number("sequence") ?? 0) + 1
    let picker = event?.text("picker") ?? ""
    return Array(
      "{\"parameters\":{\"event\":{\"sequence\":\(sequence),\"event\":\"pickerFinished\",\"picker\":\"\(picker)\"}},\"continues\":true}"
        .utf8)
  }

  /// What one session was told of an accessory reaches one of another user.
  func tellAStranger(_ reply: ReceivedReply, _ place: Int) throws(Breach) {
    guard reply.parameters.object("event")?.object("accessory") != nil else { return }
    let user = actors[place].peer.uid
    guard
      let stranger = actors.first(where: { other in
        other.role == .streamer && other.peer.uid != user && other.book?.app != nil
          && other.book?.app != actors[place].book?.app
      })
    else { return }
    try checkIsolation(reply, ActorCall(method: ActorCall.session + "Activate", sentAt: now), [], stranger)
  }
}
