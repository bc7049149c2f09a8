// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import Interfaces
import Manifest
import Registry
import Setup
import Varlink

/// `List`: the accessories of every app, or of one, one a reply; then, if it is asked for, what changes.
///
/// It keeps no backlog: it compares what there is with what was sent, at most once a second.
struct AccessoryStream: ReplyStream {
  private static let pauseMilliseconds: Int64 = 1000

  /// nil for all.
  let apps: Set<String>?
  let follows: Bool
  /// The number in the registry of the last accessory that was looked at; nil between two comparisons.
  private var last: Int64? = 0
  /// What the client knows; the level is not compared.
  private var sent: [RandomIdentifier: AccessoryLine] = [:]
  private var isSynced = false
  private var comparedAt: Instant?
  /// Something may have happened since the last comparison.
  private var isStale = false

  init(apps: Set<String>?, follows: Bool) { (self.apps, self.follows) = (apps, follows) }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    if last == nil {
      isStale = true
      guard let due = deadline(agent), due <= agent.now else { return .wait }
      last = 0
    }
    while let accessory = nextAccessory(agent.setupCore.registry) {
      let line = agent.line(of: accessory)
      if let before = sent[accessory.identifier], before.isLike(line) { continue }
      if follows { sent[accessory.identifier] = line }
      return .reply(Message.element("accessory", line))
    }
    guard follows else { return .end(Message.reply()) }
    if let gone = sent.keys.first(where: { agent.setupCore.registry.accessory($0) == nil }) {
      sent[gone] = nil
      return .reply(Message.reply(continues: true) { $0.member("gone", gone.text) })
    }
    (last, comparedAt, isStale) = (nil, agent.now, false)
    guard !isSynced else { return .wait }
    isSynced = true
    return .reply(Message.reply(continues: true) { $0.member("isSynced", true) })
  }

  private mutating func nextAccessory(_ registry: AccessoryRegistry) -> RegistryAccessory? {
    let apps = apps
    let next = registry.accessory(after: last ?? 0) { apps.includes($0.app) }
    if let next { last = next.number }
    return next
  }

  func deadline(_ agent: AgentCore) -> Instant? {
    isStale ? comparedAt?.advanced(milliseconds: Self.pauseMilliseconds) : nil
  }
}

extension AccessoryLine {
  /// Whether it says the same beside how and when it was heard.
  fileprivate func isLike(_ other: AccessoryLine) -> Bool {
    var same = other
    (same.filteredRSSI, same.silence) = (filteredRSSI, silence)
    (same.intervalMilliseconds, same.rhythmMilliseconds) = (intervalMilliseconds, rhythmMilliseconds)
    return same == self
  }
}
