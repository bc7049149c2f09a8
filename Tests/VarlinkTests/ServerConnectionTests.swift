// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Varlink
import VarlinkClient

@Suite("A connection")
struct ServerConnectionTests {
  private static func call(
    _ method: String, oneway: Bool = false, more: Bool = false,
    _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [UInt8] {
    Message.call("org.example.everything.\(method)", oneway: oneway, more: more, parameters)
  }

  private static func fail(_ reason: Int) -> [UInt8] { call("Fail") { $0.member("reason", String(reason)) } }

  private static func failed(_ reason: Int) -> String {
    #"{"parameters":{"reason":"\#(reason)"},"error":"org.example.everything.TooMuch"}"#
  }

  private static let nothing = #"{"parameters":{}}"#

  @Test("A thousand pipelined calls are answered in order, sixteen a turn at most")
  func pipelining() throws {
    var harness = try ConnectionHarness()
    for number in 0..<1000 { harness.incoming += Self.fail(number) }
    var turns = 0
    repeat {
      harness.turn()
      turns += 1
      #expect(harness.callsInLastTurn <= 16)
    } while !harness.incoming.isEmpty || harness.callsInLastTurn > 0
    #expect(harness.replies == (0..<1000).map(Self.failed))
    #expect(turns == 64 && harness.connection.callCount == 1000 && harness.connection.yieldCount >= 62)
    #expect(harness.closed == nil)
  }

  @Test("Refused calls count as calls of the turn")
  func refusedCallsCount() throws {
    var harness = try ConnectionHarness()
    for _ in 0..<40 { harness.incoming += Array("{\"x\":1}\0".utf8) }
    let wantsTurn = harness.turn()
    #expect(wantsTurn && harness.replies.count == 16 && harness.connection.refusalCount == 16)
    harness.settle()
    #expect(harness.replies.count == 40 && Set(harness.replies).count == 1)
    #expect(
      harness.replies[0]
        == #"{"parameters":{"parameter":"x"},"error":"org.varlink.service.InvalidParameter"}"#)
  }

  @Test("Received byte by byte and sent byte by byte, it says the same", arguments: [1, 2, 7, 64])
  func pieces(size: Int) throws {
    var harness = try ConnectionHarness()
    harness.incoming =
      Self.fail(1) + Self.call("Count", more: true) { $0.member("to", 3) }
      + Self.call("Nothing", oneway: true)
      + Message.call("org.example.absent.Ping") + Self.fail(2)
    for _ in 0..<3000 { harness.turn(receiving: size, sending: size) }
    #expect(
      harness.replies == [
        Self.failed(1), #"{"parameters":{"number":1},"continues":true}"#,
        #"{"parameters":{"number":2},"continues":true}"#, #"{"parameters":{"number":3}}"#,
        #"{"parameters":{"interface":"org.example.absent"},"error":"org.varlink.service.InterfaceNotFound"}"#,
        Self.failed(2),
      ])
  }

  @Test("A oneway call gets no reply, not even an error")
  func oneway() throws {
    var harness = try ConnectionHarness()
    harness.incoming =
      Self.call("Nothing", oneway: true) + Self.call("Fail", oneway: true)
      + Self.call("Absent", oneway: true) + Message.call("org.varlink.service.GetInfo", oneway: true)
      + Self.call("Count", oneway: true, more: true) + Array("{\"method\":1,\"oneway\":true}\0".utf8)
      + Self.fail(1)
    harness.settle()
    #expect(harness.replies == [Self.failed(1)] && harness.connection.callCount == 7)
  }

  @Test("Calls behind a stream wait for its end")
  func streaming() throws {
    var harness = try ConnectionHarness()
    harness.incoming = Self.call("Count", more: true) { $0.member("to", 5000) } + Self.fail(1)
    harness.turn(sending: 0)
    let held = harness.connection.sendableByteCount
    let room = ConnectionLimits().outputBytesMax - ConnectionLimits().replyBytesMax
    #expect(held > room - 128 && held <= room)
    harness.turn(sending: 0)
    #expect(harness.connection.sendableByteCount == held)
    harness.settle()
    let numbers = (1..<5000).map { "{\"parameters\":{\"number\":\($0)},\"continues\":true}" }
    #expect(harness.replies == numbers + [#"{"parameters":{"number":5000}}"#, Self.failed(1)])
  }

  @Test("A client that does not read costs its buffers and no more")
  func neverReads() throws {
    var harness = try ConnectionHarness()
    let calls = (0..<3000).flatMap { _ in Message.call("org.varlink.service.GetInfo") }
    harness.incoming = calls
    for _ in 0..<1000 { harness.turn(sending: 0) }
    #expect(harness.connection.sendableByteCount <= 64 << 10)
    #expect(harness.connection.receivableByteCount < 64 && !harness.incoming.isEmpty)
    let (performed, left) = (harness.connection.callCount, harness.incoming.count)
    for _ in 0..<100 { harness.turn(sending: 0) }
    #expect(harness.connection.callCount == performed && harness.incoming.count == left)
    harness.settle()
    #expect(harness.replies.count == 3000)
  }

  @Test(
    "What is no message ends the connection, after the replies before it",
    arguments: [
      ("hello\0", .call(.json(JSONError(.unexpectedByte(0x68), at: 0)))), ("[]\0", .call(.notAnObject)),
      ("\0", .call(.json(JSONError(.endOfText, at: 0)))),
      (String(repeating: "[", count: 17) + "\0", .call(.json(JSONError(.tooDeep, at: 16)))),
      (String(repeating: " ", count: 16_385), .frame(.oversized(byteCount: 16_385))),
    ] as [(String, ServerConnection.CloseReason)])
  func violations(text: String, reason: ServerConnection.CloseReason) throws {
    var harness = try ConnectionHarness()
    harness.incoming = Self.fail(1) + Array(text.utf8) + Self.fail(2)
    harness.turn(sending: 0, at: .seconds(5))
    for _ in 0..<3 { harness.turn(sending: 0, at: .seconds(6)) }
    #expect(harness.closed == nil && harness.connection.receivableByteCount == 0)
    #expect(harness.connection.overdueSince != nil)
    harness.settle()
    #expect(harness.closed == reason && harness.replies == [Self.failed(1)])
  }

  @Test("A message of 16 KiB is a message")
  func longest() throws {
    var harness = try ConnectionHarness()
    let call = Self.fail(1).dropLast()
    harness.incoming = call + Array(repeating: 0x20, count: (16 << 10) - call.count) + [0]
    harness.settle()
    #expect(harness.replies == [Self.failed(1)] && harness.closed == nil)
  }

  @Test("A client that has finished gets its replies, then the end")
  func finished() throws {
    var harness = try ConnectionHarness()
    for number in 0..<20 { harness.incoming += Self.fail(number) }
    harness.turn(sending: 0)
    harness.connection.endInput()
    #expect(harness.connection.receivableByteCount == 0)
    harness.settle()
    #expect(harness.replies.count == 20 && harness.closed == .finished)
  }

  @Test("The end inside a message is a mistake")
  func cut() throws {
    var harness = try ConnectionHarness()
    harness.incoming = Self.fail(1) + [0x7B]
    harness.turn()
    harness.connection.endInput()
    harness.settle()
    #expect(harness.replies == [Self.failed(1)] && harness.closed == .frame(.truncated(byteCount: 1)))
  }

  @Test("The clock of an unfinished message runs, that of a finished one does not")
  func overdue() throws {
    var harness = try ConnectionHarness()
    harness.turn(at: .seconds(1))
    #expect(harness.connection.overdueSince == nil)
    harness.incoming = [0x7B]
    harness.turn(at: .seconds(2))
    harness.turn(at: .seconds(3))
    #expect(harness.connection.overdueSince == .seconds(2))
    harness.incoming = [0x7D, 0]
    harness.turn(at: .seconds(4))
    #expect(harness.connection.overdueSince == nil && harness.connection.refusalCount == 1)
  }

  @Test("A reply longer than the limit ends the connection")
  func replyTooLong() throws {
    var connection = ServerConnection()
    connection.receive(Self.call("Nothing").span)
    _ = connection.nextAction(at: .zero)
    connection.reply([UInt8](repeating: 0x20, count: ConnectionLimits().replyBytesMax + 1))
    #expect(
      connection.nextAction(at: .zero)
        == .close(.replyTooLong(byteCount: ConnectionLimits().replyBytesMax + 1)))
  }

  @Test("The last reply fits behind the fullest stream")
  func lastReply() throws {
    var connection = ServerConnection()
    connection.receive(Self.call("Count", more: true).span)
    _ = connection.nextAction(at: .zero)
    connection.reply([UInt8](repeating: 0x20, count: connection.continuedReplyBytesMax), continues: true)
    #expect(connection.continuedReplyBytesMax == 0)
    connection.reply([UInt8](repeating: 0x20, count: ConnectionLimits().replyBytesMax))
    #expect(connection.sendableByteCount == 64 << 10 && connection.nextAction(at: .zero) == .wait)
  }

  @Test("A reply without a call traps")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      var connection = ServerConnection()
      connection.reply(Message.reply())
    }
    await #expect(processExitsWith: .failure) {
      var connection = ServerConnection()
      connection.receive(Message.call("a.b.C").span)
      _ = connection.nextAction(at: .zero)
      connection.reply(Message.reply(continues: true), continues: true)
    }
  }

  @Test("Random clients get exactly the replies that are due", arguments: 0..<40)
  func random(seed: UInt64) throws {
    var generator = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    var harness = try ConnectionHarness()
    var expected: [String] = []
    for number in 0..<60 {
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: harness.incoming += Self.call("Nothing", oneway: true)
      case 1:
        let last = Int.random(in: 1...2000, using: &generator)
        harness.incoming += Self.call("Count", more: true) { $0.member("to", last) }
        expected += (1..<last).map { "{\"parameters\":{\"number\":\($0)},\"continues\":true}" }
        expected.append("{\"parameters\":{\"number\":\(last)}}")
      case 2:
        harness.incoming += Self.call("Nothing")
        expected.append(Self.nothing)
      default:
        harness.incoming += Self.fail(number)
        expected.append(Self.failed(number))
      }
    }
    for _ in 0..<200 {
      harness.turn(
        receiving: Int.random(in: 0...600, using: &generator),
        sending: Int.random(in: 0...9000, using: &generator))
      #expect(harness.connection.sendableByteCount <= 64 << 10 && harness.callsInLastTurn <= 16)
    }
    harness.settle()
    #expect(harness.replies == expected && harness.closed == nil)
  }
}

/// Marsaglia's generator, enough to vary a test.
private struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
