// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// The last events, as messages for browsers.
///
/// Capacity: ``countMax``; a new one replaces the oldest.
struct EventBook {
  static let countMax = 60

  private(set) var messages: [[UInt8]] = []

  /// Takes a reply of `Watch`. Returns the message for the browsers; nil for what they are not told.
  mutating func add(_ reply: WatchReply) -> [UInt8]? {
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
