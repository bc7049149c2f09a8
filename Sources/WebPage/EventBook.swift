// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// The last events, as messages for browsers.
///
/// Capacity: ``countMax``; a new one replaces the oldest.
struct EventBook {
  static let countMax = 60

  private(set) var messages: [[UInt8]] = []
  /// The run of the agent in which the events happened; their times count from its start.
  private var epoch: String?

  /// Before the events: their list is empty.
  var beginning: [UInt8] { StreamMessage.event("events") { $0.member("count", messages.count) } }

  /// Takes a reply of `Watch`. Returns the message for the browsers; nil for what they are not told.
  mutating func add(_ reply: WatchReply) -> [UInt8]? {
    if let new = reply.epoch, new != epoch {
      (epoch, messages) = (new, [])
      return beginning
    }
    guard let message = Self.message(reply) else { return nil }
    messages.append(message)
    if messages.count > Self.countMax { messages.removeFirst() }
    return message
  }

  private static func message(_ reply: WatchReply) -> [UInt8]? {
    if let event = reply.event {
      return StreamMessage.event("event") { $0.object("event", event) }
    }
    if let connection = reply.connection {
      return StreamMessage.event("event") { json in
        json.object("connection", connection)
        json.member("endSentence", connection.end?.sentence)
      }
    }
    if let change = reply.radioChanged {
      return StreamMessage.event("event") { $0.object("radio", change) }
    }
    return reply.network.map { network in StreamMessage.event("event") { $0.object("network", network) } }
  }
}
