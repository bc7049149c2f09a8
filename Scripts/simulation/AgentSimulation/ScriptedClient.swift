// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Varlink
import VirtualRadio

/// One process at the other end of the agent's socket: what it writes, when it reads, and what it may be told.
struct ScriptedClient {
  let name: String
  let peer: Peer
  var role: ClientRole
  /// Nil before it connects and when the connection has ended.
  var id: ClientID?
  /// What the agent has not received yet.
  var outgoing: [UInt8] = []
  /// Nothing more will be written.
  var hasEnded = false
  /// What the agent has sent and the client has not read: its socket.
  var unread: [UInt8] = []
  var socketBytesMax: Int
  /// When it does something again.
  var nextAct: Int64
  /// When it leaves.
  var leaves: Int64
  var book: ReplyBook
  var dice: SeededGenerator

  var isOperator: Bool { peer.uid == 0 || peer.groups.contains(Self.operatorGroup) }
  /// Its members are operators.
  static var operatorGroup: UInt32 { 77 }

  init(name: String, peer: Peer, role: ClientRole, at time: Int64, until end: Int64, dice: SeededGenerator) {
    self.name = name
    self.peer = peer
    self.role = role
    self.dice = dice
    nextAct = time
    leaves = end
    socketBytesMax = 200_000
    book = ReplyBook(client: name, isLenient: role == .vandal)
    if role != .auditor { socketBytesMax = self.dice.pick([2048, 16_384, 200_000]) }
    book.mayCallGateway = isOperator
  }

  mutating func write(_ call: PendingCall, _ message: [UInt8], isOneway: Bool = false) {
    outgoing += message
    if !isOneway { book.pending.append(call) }
  }

  /// Whether it waits for nothing that will come.
  var hasItsAnswers: Bool { id == nil || !role.reads || (outgoing.isEmpty && book.isSettled) }

  /// The next bytes that it reads.
  mutating func read() -> [UInt8] {
    let count: Int
    switch role {
    case .watcher(let bytes): count = min(bytes, unread.count)
    case .auditor, .caller, .recorder, .vandal, .app, .stranger, .idler: count = unread.count
    }
    defer { unread.removeFirst(count) }
    return Array(unread[..<count])
  }
}
