// SPDX-License-Identifier: Apache-2.0

import JSON
import Varlink

/// One connection without a socket. The harness performs the calls of the tests' service.
struct ConnectionHarness {
  let service: Service<ExampleMethod>
  var connection: ServerConnection
  /// The client's bytes for which the connection had no space yet.
  var incoming: [UInt8] = []
  /// What the client received.
  var outgoing: [UInt8] = []
  /// Where the counting of the call in progress stands, and ends.
  private var counting: ClosedRange<Int64>?
  private(set) var closed: ServerConnection.CloseReason?
  private(set) var callsInLastTurn = 0

  init(_ limits: ConnectionLimits = ConnectionLimits()) throws {
    service = ServiceTests.service()
    connection = ServerConnection(limits: limits)
  }

  /// One turn: receives at most `received` bytes, performs what may be performed, sends at most `sent`. Returns
  /// whether it asked for another turn.
  @discardableResult
  mutating func turn(receiving received: Int = .max, sending sent: Int = .max, at time: Duration = .zero)
    -> Bool
  {
    connection.beginTurn()
    callsInLastTurn = 0
    receive(received)
    var wantsTurn = performCalls(at: time)
    send(sent)
    // Space may have become free for what waits, and an ended connection is empty now.
    if !wantsTurn { wantsTurn = performCalls(at: time) }
    return wantsTurn
  }

  /// Makes turns until nothing moves.
  mutating func settle() {
    while closed == nil {
      let (before, waiting) = (outgoing.count, incoming.count)
      let wantsTurn = turn()
      if !wantsTurn, before == outgoing.count, waiting == incoming.count { return }
    }
  }

  private mutating func receive(_ count: Int) {
    let count = min(count, incoming.count, connection.receivableByteCount)
    connection.receive(Array(incoming[..<count]).span)
    incoming.removeFirst(count)
  }

  private mutating func send(_ count: Int) {
    connection.drain { span in
      let bytes = span.indices.prefix(count).map { span[$0] }
      outgoing += bytes
      return bytes.count
    }
  }

  private mutating func performCalls(at time: Duration) -> Bool {
    while closed == nil {
      count()
      switch connection.nextAction(at: time) {
      case .wait: return false
      case .yield: return true
      case .close(let reason): closed = reason
      case .perform(let call):
        callsInLastTurn += 1
        answer(call)
      }
    }
    return false
  }

  private mutating func answer(_ call: Call) {
    switch service.dispatch(call) {
    case .reply(let message): connection.reply(message)
    case .refuse(let error): connection.reply(Message.error(error))
    case .perform(.count, let parameters): counting = 1...((try? parameters.integer("to")) ?? 1)
    case .perform(.fail, let parameters):
      let reason = try? parameters.string("reason")
      connection.reply(Message.error("org.example.everything.TooMuch") { $0.member("reason", reason) })
    case .perform(let method, let parameters):
      connection.reply(
        Message.reply { json in
          if method != .nothing {
            for member in parameters.object.members { json.member(member.name, member.value) }
          }
        })
    }
  }

  /// Counts as far as the client's reading allows.
  private mutating func count() {
    while let range = counting {
      let number = range.lowerBound
      if number == range.upperBound {
        counting = nil
        connection.reply(Message.reply { $0.member("number", number) })
      } else if connection.continuedReplyBytesMax >= 64 {
        counting = (number + 1)...range.upperBound
        connection.reply(Message.reply(continues: true) { $0.member("number", number) }, continues: true)
      } else {
        return
      }
    }
  }

  /// The replies that the client received whole, in order.
  var replies: [String] {
    outgoing.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
