// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Varlink

/// `Activate`: opens a session of an app, or takes one up again, and sends its events: the session's token, the app's
/// accessories with the event `activated`, then one event a reply. Each change of the radio's state has a reply too. It is
/// no event with a number: a radio that fails again and again displaces no event.
struct SessionStream: ReplyStream {
  private enum Phase {
    /// The accessories up to that number were sent.
    case activated(after: Int64)
    case live
  }

  /// About how many bytes the accessories in one reply take; `activated` comes with the last of them.
  private static let bytesPerReply = 8192

  private var phase: Phase
  private var position: SessionPosition
  /// The radio's state as the client knows it.
  private var radio: RadioLine.State

  init(_ activated: SetupCore.ActivatedSession, radio: RadioLine.State) {
    phase = activated.isActivated ? .activated(after: 0) : .live
    (position, self.radio) = (activated.position, radio)
  }

  /// The first reply.
  func greeting(epoch: String, isReset: Bool) -> [UInt8] {
    Message.reply(continues: true) { json in
      json.member("session", position.session.text)
      json.member("app", position.app)
      json.member("epoch", epoch)
      json.member("sequence", position.sequence)
      if isReset { json.member("isReset", true) }
      json.member("radio", radio.rawValue)
    }
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    switch phase {
    case .activated(let last): .reply(nextAccessories(agent, after: last))
    case .live: nextEvent(agent)
    }
  }

  private mutating func nextAccessories(_ agent: AgentCore, after last: Int64) -> [UInt8] {
    var accessories: [AppAccessory] = []
    var byteCount = 0
    var last = last
    while byteCount < Self.bytesPerReply {
      guard let next = agent.setupCore.accessory(ofApp: position.app, after: last) else { break }
      accessories.append(next.accessory)
      byteCount += next.accessory.textByteCount
      last = next.number
    }
    let isLast = agent.setupCore.accessory(ofApp: position.app, after: last) == nil
    phase = isLast ? .live : .activated(after: last)
    return Message.reply(continues: true) { json in
      if isLast {
        let activated = AppEvent(.activated, at: agent.now)
        json.object(
          "event", AppEventLine(activated, sequence: position.activatedAt, epoch: agent.epochText))
      }
      json.objects("accessories", accessories.map { AppAccessoryLine($0) })
    }
  }

  private mutating func nextEvent(_ agent: AgentCore) -> StreamStep {
    switch agent.setupCore.read(&position) {
    case .end:
      guard agent.setupCore.isOpen(position.session) else { return .end(Message.reply()) }
      guard agent.radioStateForApps != radio else { return .wait }
      radio = agent.radioStateForApps
      let state = radio.rawValue
      return .reply(Message.reply(continues: true) { $0.member("radio", state) })
    case .missed(let count):
      agent.feeds.counters.appEventsMissed &+= count
      return .reply(Message.reply(continues: true) { $0.member("missed", count) })
    case .event(let sequence, let passed, let event):
      agent.feeds.counters.appEventsDelivered &+= 1
      let line = AppEventLine(event, sequence: sequence, passed: Int(passed), epoch: agent.epochText)
      return .reply(Message.element("event", line))
    }
  }

  /// The radio may change after the clients of a turn were served.
  func deadline(_ agent: AgentCore) -> Instant? {
    guard case .live = phase, agent.radioStateForApps != radio else { return nil }
    return agent.now
  }

  var session: RandomIdentifier? { position.session }

  func release(_ agent: AgentCore) { agent.setupCore.leave(position.session) }
}

extension AppAccessory {
  /// About how many bytes it takes in a message.
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

/// `List`: the accessories of the session's app, in the order they were added, one a reply. Accessories that are hidden from
/// the app are left out.
///
/// The position is a number of the registry, so that changes between replies repeat no accessory.
struct AppAccessoryStream: SetupStream {
  let app: String
  /// The number in the registry of the last accessory that was sent.
  var last: Int64 = 0

  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep {
    guard let next = setup.accessory(ofApp: app, after: last) else { return .end(Message.reply()) }
    last = next.number
    return .reply(Message.element("accessory", AppAccessoryLine(next.accessory)))
  }
}
