// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Varlink

/// A client of a harness: what it sends, and what it was sent.
class HarnessClient {
  /// Who it is to the agent of a harness; nil at a socket.
  let id: ClientID?
  var isClosed = false
  var outgoing: [UInt8] = []
  private(set) var replies: [ReceivedReply] = []
  /// The same as they came, without their ends.
  private(set) var messages: [[UInt8]] = []
  private var unfinished: [UInt8] = []
  private(set) var receivedByteCount = 0
  /// How many bytes it still reads; a client that never reads has none.
  var appetite = Int.max

  init(_ id: ClientID?) { self.id = id }

  func take(_ bytes: Span<UInt8>) -> Int {
    let count = min(bytes.count, appetite)
    appetite -= count
    receivedByteCount += count
    for index in 0..<count {
      guard bytes[index] == 0 else {
        unfinished.append(bytes[index])
        continue
      }
      guard let reply = ReceivedReply(reading: unfinished.span) else {
        preconditionFailure("what the agent sends is a reply: \(String(decoding: unfinished, as: UTF8.self))")
      }
      replies.append(reply)
      messages.append(unfinished)
      unfinished = []
    }
    return count
  }

  func forget() { replies = [] }
}
