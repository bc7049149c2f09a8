// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Varlink
import VirtualRadio

/// One process at the other end of the agent's socket: what it writes, when it reads, and which replies it may receive.
struct ScriptedClient {
  let name: String
  let peer: Peer
  var role: ClientRole
  /// Nil before it connects and after the connection has ended.
  var id: ClientID?
  /// Bytes that the agent has not received yet.
  var outgoing: [UInt8] = []
  /// Whether it has closed its side for writing.
  var hasEnded = false
  /// Bytes that the agent has sent and the client has not read.
  var unread: [UInt8] = []
  var socketBytesMax: Int
  /// Whether the stream of reports that it asked for has all of them.
  var wantsEveryReport = false
  /// When it acts next.
  var nextAct: Int64
  /// When it disconnects.
  var leaveTime: Int64
  var book: ReplyBook
  var dice: SeededGenerator

  var isOperator: Bool { peer.uid == 0 || peer.groups.contains(Self.operatorGroup) }
  /// The group whose members are operators.
  static var operatorGroup: UInt32 { 77 }

  init(name: String, peer: Peer, role: ClientRole, at time: Int64, until end: Int64, dice: SeededGenerator) {
    self.name = name
    self.peer = peer
    self.role = role
    self.dice = dice
    nextAct = time
    leaveTime = end
    socketBytesMax = 200_000
    book = ReplyBook(client: name, isLenient: role == .vandal)
    if role != .auditor { socketBytesMax = self.dice.pick([2048, 16_384, 200_000]) }
    book.mayCallGateway = isOperator
  }

  mutating func write(_ call: PendingCall, _ message: [UInt8], isOneway: Bool = false) {
    outgoing += message
    if !isOneway { book.pending.append(call) }
  }

  /// Whether it has received every reply that it will receive.
  var hasAllReplies: Bool { id == nil || !role.reads || (outgoing.isEmpty && book.isSettled) }

  /// The next bytes that it reads.
  mutating func read() -> [UInt8] {
    let count: Int
    switch role {
    case .watcher(let bytes): count = min(bytes, unread.count)
    case .auditor, .caller, .recorder, .reporter, .vandal, .app, .unauthorized, .idler: count = unread.count
    }
    defer { unread.removeFirst(count) }
    return Array(unread[..<count])
  }
}
