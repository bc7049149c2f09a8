// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import TestSupport
import Varlink
import VarlinkClient

@Suite("A client")
struct ClientConnectionTests {
  /// What a service answers to `Count`: two replies that continue and the last.
  private static let stream =
    Message.reply(continues: true) { $0.member("number", 1) }
    + Message.reply(continues: true) { $0.member("number", 2) }
    + Message.reply { $0.member("number", 3) }

  /// What a client read: the numbers it received, and why it stopped.
  private struct Outcome: Equatable {
    var numbers: [Int64] = []
    var isOver = false
    var error: String?
    var problem: ClientError?
  }

  /// A client that called with `more` and receives `bytes` in chunks, and then their end.
  private func outcome(of bytes: [UInt8], piece: Int = .max, more: Bool = true) -> Outcome {
    var client = ClientConnection()
    var outcome = Outcome()
    _ = client.beginCall(Message.call("org.example.everything.Count", more: more), wantsMore: more)
    var rest = bytes[...]
    do throws(ClientError) {
      while true {
        switch try client.nextReply() {
        case .reply(let reply):
          if case .integer(let number)? = reply.parameters["number"] { outcome.numbers.append(number) }
          outcome.error = reply.error
          outcome.isOver = !client.isWaiting
        case .wait where rest.isEmpty && client.receivableByteCount == 0: return outcome
        case .wait:
          let count = min(piece, rest.count, client.receivableByteCount)
          client.receive(Array(rest.prefix(count)).span)
          rest = rest.dropFirst(count)
          if rest.isEmpty { client.endInput() }
        }
      }
    } catch {
      outcome.problem = error
      #expect(throws: error) { try client.nextReply() }
      #expect(client.receivableByteCount == 0)
      return outcome
    }
  }

  @Test("Takes a stream of replies in whatever pieces", arguments: [1, 2, 3, 7, 64, .max])
  func pieces(piece: Int) {
    #expect(outcome(of: Self.stream, piece: piece) == Outcome(numbers: [1, 2, 3], isOver: true))
  }

  @Test("Recognises where a stream was cut")
  func cuts() {
    withEveryPrefix(of: Self.stream) { bytes, damage in
      let whole = bytes.count { $0 == 0 }
      let unfinished = bytes.reversed().prefix { $0 != 0 }.count
      let outcome = outcome(of: bytes)
      let problem: ClientError = unfinished > 0 ? .frame(.truncated(byteCount: unfinished)) : .ended
      let numbers = [Int64](1...3).prefix(whole)
      #expect(outcome.numbers == Array(numbers), "\(damage)")
      #expect(outcome.problem == problem, "\(damage)")
    }
  }

  @Test("Survives every flipped bit, and makes up no replies")
  func flippedBits() {
    withEveryBitFlip(of: Self.stream) { bytes, damage in
      let outcome = outcome(of: bytes)
      #expect(outcome.numbers.count <= 3, "\(damage)")
      #expect(outcome.isOver || outcome.problem != nil || outcome.error != nil, "\(damage)")
    }
  }

  @Test("Receives an error by its whole name, which ends the call")
  func errors() {
    let failure = Message.error("org.example.everything.TooMuch") { $0.member("reason", "x") }
    #expect(outcome(of: failure) == Outcome(isOver: true, error: "org.example.everything.TooMuch"))
  }

  @Test("Refuses what is no reply, or not its own")
  func foreignMessages() {
    #expect(outcome(of: Array("[]\0".utf8)).problem == .notAReply)
    #expect(outcome(of: Array("{\"parameters\":1}\0".utf8)).problem == .notAReply)
    #expect(outcome(of: Array("{\0".utf8)).problem == .json(JSONError(.endOfText, at: 1)))
    #expect(outcome(of: Self.stream, more: false).problem == .unaskedContinuation)
    let twice = Message.reply { $0.member("number", 1) } + Message.reply { $0.member("number", 2) }
    #expect(outcome(of: twice, more: false) == Outcome(numbers: [1], isOver: true, problem: .unasked))
  }

  @Test("Takes a reply of 64 KiB and no longer one")
  func limits() {
    let shell = Message.reply { $0.member("text", "") }.count - 1
    let longest = Message.reply { $0.member("text", String(repeating: "x", count: (64 << 10) - shell)) }
    #expect(longest.count == 64 << 10 + 1)
    #expect(outcome(of: longest) == Outcome(isOver: true))
    let longer = Message.reply { $0.member("text", String(repeating: "x", count: (64 << 10) - shell + 1)) }
    #expect(outcome(of: longer).problem == .frame(.oversized(byteCount: (64 << 10) + 1)))
  }

  @Test("Does not begin a call that is too long, and can then begin another")
  func longCalls() {
    var client = ClientConnection()
    let long = Message.call("org.example.everything.Echo") {
      $0.member("text", String(repeating: "x", count: 16 << 10))
    }
    let isBegun = client.beginCall(long, wantsMore: false)
    #expect(!isBegun && !client.isWaiting && client.sendableByteCount == 0)
    let short = Message.call("org.example.everything.Nothing")
    let isShortBegun = client.beginCall(short, wantsMore: false)
    #expect(isShortBegun && client.isWaiting && client.sendableByteCount == short.count)
  }

  @Test("Speaks with a server, call by call", arguments: [1, 5, .max])
  func server(piece: Int) throws {
    var harness = try ConnectionHarness()
    var client = ClientConnection()
    var numbers: [Int64] = []
    for end in [3, 1, 5] {
      let call = Message.call("org.example.everything.Count", more: true) { $0.member("to", end) }
      let isBegun = client.beginCall(call, wantsMore: true)
      #expect(isBegun)
      while client.isWaiting {
        client.drain { span in
          harness.incoming += span.indices.prefix(piece).map { span[$0] }
          return min(piece, span.count)
        }
        harness.settle()
        client.receive(harness.takeOutgoing(piece).span)
        while case .reply(let reply) = try client.nextReply() {
          if case .integer(let number)? = reply.parameters["number"] { numbers.append(number) }
        }
      }
    }
    #expect(numbers == [1, 2, 3, 1, 1, 2, 3, 4, 5])
  }
}

extension ConnectionHarness {
  fileprivate mutating func takeOutgoing(_ count: Int) -> [UInt8] {
    defer { outgoing.removeFirst(min(count, outgoing.count)) }
    return Array(outgoing.prefix(count))
  }
}
