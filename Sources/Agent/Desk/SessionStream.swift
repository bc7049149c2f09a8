// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import JSON
import Manifest
import Registry
import Setup
import Varlink

/// What a call of Activate says: the token, the accessories with `activated`, then events.
struct SessionStream: Sendable {
  enum Phase: Sendable {
    case greeting(isReset: Bool, isActivated: Bool)
    /// The accessories up to that number were said.
    case activated(after: Int64)
    case live
  }

  /// Accessories in one reply take about so many octets; `activated` comes with the last of them.
  static let bytesPerReply = 8192

  var phase: Phase
  var position: SessionPosition

  init(_ activated: SetupCore.ActivatedSession) {
    phase = .greeting(isReset: activated.isReset, isActivated: activated.isActivated)
    position = activated.position
  }
}

extension AgentCore {
  func step(_ stream: inout SessionStream) -> Step {
    switch stream.phase {
    case .greeting(let isReset, let isActivated):
      stream.phase = isActivated ? .activated(after: 0) : .live
      return .say(greeting(stream.position, isReset: isReset))
    case .activated(let last): return .say(activated(&stream, after: last))
    case .live: return live(&stream)
    }
  }

  private func greeting(_ position: SessionPosition, isReset: Bool) -> [UInt8] {
    Message.reply(continues: true) { json in
      json.member("session", position.session.text)
      json.member("app", position.app)
      json.member("epoch", epoch.text)
      json.member("sequence", position.sequence)
      if isReset { json.member("reset", true) }
    }
  }

  private func activated(_ stream: inout SessionStream, after last: Int64) -> [UInt8] {
    var accessories: [AppAccessory] = []
    var byteCount = 0
    var last = last
    while byteCount < SessionStream.bytesPerReply {
      guard let next = setupCore.accessory(ofApp: stream.position.app, after: last) else { break }
      accessories.append(next.accessory)
      byteCount += next.accessory.textByteCount
      last = next.number
    }
    let isLast = setupCore.accessory(ofApp: stream.position.app, after: last) == nil
    stream.phase = isLast ? .live : .activated(after: last)
    return Message.reply(continues: true) { json in
      if isLast {
        json.object("event") { json in
          AppEvent(.activated, at: now).writeMembers(
            at: AppEvent.Place(sequence: stream.position.activatedAt, epoch: epoch.text), to: &json)
        }
      }
      json.objects("accessories", accessories) { $1.writeMembers(to: &$0) }
    }
  }

  private func live(_ stream: inout SessionStream) -> Step {
    switch setupCore.read(&stream.position) {
    case .end: return setupCore.isOpen(stream.position.session) ? .wait : .end(Message.reply())
    case .missed(let count):
      tally.appEventsMissed &+= count
      return .say(Message.reply(continues: true) { $0.member("missed", count) })
    case .event(let sequence, let passed, let event):
      tally.appEventsDelivered &+= 1
      return .say(
        Message.reply(continues: true) { json in
          json.object("event") { json in
            event.writeMembers(
              at: AppEvent.Place(sequence: sequence, passed: Int(passed), epoch: epoch.text), to: &json)
          }
        })
    }
  }
}

/// The accessories of a session's app, one a reply.
struct AppAccessoryList: Sendable {
  let session: Session
  /// The number in the registry of the last one said.
  var last: Int64 = 0

  init(_ session: Session) { self.session = session }
}

extension AgentCore {
  func step(_ list: inout AppAccessoryList) -> Step {
    guard let next = setupCore.accessory(ofApp: list.session.app, after: list.last) else {
      return .end(Message.reply())
    }
    list.last = next.number
    return .say(
      Message.reply(continues: true) { json in
        json.object("accessory") { next.accessory.writeMembers(to: &$0) }
      })
  }
}

extension AppAccessory {
  /// About how many octets it takes in a message.
  fileprivate var textByteCount: Int {
    400 + 2 * displayName.utf8.count + descriptor.textByteCount + (alternate?.textByteCount ?? 0)
  }
}

extension DiscoveryDescriptor {
  fileprivate var textByteCount: Int {
    let data = [manufacturerData, serviceData].compactMap { $0?.blob.count }
    return 4 * data.reduce(0, +) + 2 * (nameSubstring?.count ?? 0)
  }
}
