// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Varlink
import VarlinkClient
import VirtualRadio

/// One client of an app or an operator: its connection, its pending calls, and what it has read.
struct Actor {
  enum Role: Equatable {
    /// Streams a session.
    case streamer
    /// Calls an app's methods with any tokens and identifiers, its own and others.
    case app
    /// Watches the advertisements of accessories.
    case listener
    /// Watches the operators' requests.
    case watcher
    /// Decides requests, and edits the registry.
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
  var partial: [UInt8] = []
  var pending: [ActorCall] = []
  /// The replies to its session's stream; kept when the connection ends, so that the next one can resume.
  var book: SessionBook?
  /// Its position in its app's events when the power was cut.
  var cursor: (app: String, epoch: String, next: UInt64)?
  var watched = RequestBook()
  /// 0 reads everything at once.
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
    (id, outgoing, unread, partial, pending) = (nil, [], [], [], [])
    watched = RequestBook()
  }
}

/// A call whose last reply has not come.
struct ActorCall {
  var method: String
  var wantsMore = false
  /// Microseconds that the reply may take; nil for a stream.
  var deadline: Int64?
  var sentAt: Int64
  /// Whose token it carries, and whose accessory it names.
  var subject = Subject.none
  /// The app, the accessory and the request that it is about.
  var app: String?
  var accessory: String?
  var request: String?
  var name: String?
  /// The token it carries.
  var session: String?

  enum Subject: Equatable {
    case none
    /// The caller's own session and, if it names one, its own accessory.
    case own
    /// A token that is another user's, or never existed.
    case foreignToken
    /// The caller's own session, and an accessory that is another app's, or never existed.
    case foreignAccessory
  }

  static let session = "io.accessoryd.Session."
  static let picker = "io.accessoryd.Operator."
}
