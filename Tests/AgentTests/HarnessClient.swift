// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import JSON
import Varlink
import VarlinkClient

/// A client of a harness, with what it sends and what it received.
class HarnessClient {
  /// Its id in the agent of an ``AgentHarness``; nil at a socket.
  let id: ClientID?
  var isClosed = false
  var outgoing: [UInt8] = []
  private(set) var replies: [ReceivedReply] = []
  /// The same as bytes, without the closing NUL.
  private(set) var messages: [[UInt8]] = []
  private var unfinished: [UInt8] = []
  private(set) var receivedByteCount = 0
  /// How many bytes it still reads; 0 for a client that never reads.
  var readableByteCount = Int.max

  init(_ id: ClientID?) { self.id = id }

  func receive(_ bytes: Span<UInt8>) -> Int {
    let count = min(bytes.count, readableByteCount)
    readableByteCount -= count
    receivedByteCount += count
    for index in 0..<count {
      guard bytes[index] == 0 else {
        unfinished.append(bytes[index])
        continue
      }
      guard let reply = ReceivedReply(reading: unfinished.span) else {
        preconditionFailure("the agent sends only replies: \(String(decoding: unfinished, as: UTF8.self))")
      }
      replies.append(reply)
      messages.append(unfinished)
      unfinished = []
    }
    return count
  }

  func forgetReplies() { replies = [] }
}

extension ReceivedReply {
  subscript(_ name: String) -> JSONValue? { parameters[name] }

  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = parameters[name] { object } else { nil }
  }

  func text(_ name: String) -> String? {
    if case .string(let text)? = parameters[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? {
    if case .integer(let integer)? = parameters[name] { integer } else { nil }
  }
}

extension JSONObject {
  func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? {
    if case .integer(let integer)? = self[name] { integer } else { nil }
  }
}
