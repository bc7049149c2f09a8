// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Varlink
import VirtualRadio

/// One connection of an app or an operator: what it wrote, what it waits for, and what it read.
struct Actor {
  enum Role: Equatable {
    /// Streams a session.
    case streamer
    /// Calls an app's methods with whatever tokens and identifiers it can think of.
    case app
    /// Watches the advertisements of accessories.
    case listener
    /// Watches requests.
    case watcher
    /// Decides, and keeps the registry.
    case `operator`
    /// Opens requests on behalf of apps.
    case opener
  }

  let name: String
  let peer: Peer
  let role: Role
  /// Nil while it is not connected.
  var id: ClientID?
  var outgoing: [UInt8] = []
  var unread: [UInt8] = []
  var begun: [UInt8] = []
  var pending: [ActorCall] = []
  /// What it was told of its session; kept when the connection ends, to go on from there.
  var book: SessionBook?
  /// Where it stood in its app's events when the power went.
  var cursor: (app: String, epoch: String, next: UInt64)?
  var watched = RequestBook()
  /// 0 is all at once.
  let bytesPerRead: Int
  var nextAct: Int64
  var dice: SeededGenerator

  var isApp: Bool { role == .streamer || role == .app || role == .listener }

  mutating func write(_ call: ActorCall, _ parameters: (inout JSONWriter) -> Void = { _ in }) {
    outgoing += Message.call(call.method, more: call.wantsMore, parameters)
    pending.append(call)
  }

  mutating func read(all: Bool) -> [UInt8] {
    let count = bytesPerRead == 0 || all ? unread.count : min(bytesPerRead, unread.count)
    defer { unread.removeFirst(count) }
    return Array(unread[..<count])
  }

  mutating func disconnect() {
    (id, outgoing, unread, begun, pending) = (nil, [], [], [], [])
    watched = RequestBook()
  }
}

/// A call whose replies are awaited.
struct ActorCall {
  var method: String
  var wantsMore = false
  /// Microseconds; nil for a stream.
  var deadline: Int64?
  var sentAt: Int64
  /// Which session's token it carries, and whose accessory it names.
  var subject = Subject.none
  /// The app of the session, the accessory, or the request that it is about.
  var app: String?
  var accessory: String?
  var request: String?
  var name: String?
  /// The token it carries.
  var session: String?

  enum Subject: Equatable {
    case none
    /// The caller's own session, and accessory if any.
    case own
    /// A token that is not the caller's, was, or never was.
    case foreignToken
    /// The caller's own session, and an accessory that is not its app's.
    case foreignAccessory
  }

  static let session = "io.accessoryd.Session."
  static let picker = "io.accessoryd.Operator."
}
