// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Varlink

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
    var owner = try Owner()
    for number in 0..<1000 { owner.incoming += Self.fail(number) }
    var turns = 0
    repeat {
      owner.turn()
      turns += 1
      #expect(owner.callsInLastTurn <= 16)
    } while !owner.incoming.isEmpty || owner.callsInLastTurn > 0
    #expect(owner.replies == (0..<1000).map(Self.failed))
    #expect(turns == 64 && owner.connection.callCount == 1000 && owner.connection.yieldCount >= 62)
    #expect(owner.closed == nil)
  }

  @Test("Refused calls count as calls of the turn")
  func refusedCallsCount() throws {
    var owner = try Owner()
    for _ in 0..<40 { owner.incoming += Array("{\"x\":1}\0".utf8) }
    let wantsTurn = owner.turn()
    #expect(wantsTurn && owner.replies.count == 16 && owner.connection.refusalCount == 16)
    owner.settle()
    #expect(owner.replies.count == 40 && Set(owner.replies).count == 1)
    #expect(
      owner.replies[0] == #"{"parameters":{"parameter":"x"},"error":"org.varlink.service.InvalidParameter"}"#)
  }

  @Test("Received byte by byte and sent byte by byte, it says the same", arguments: [1, 2, 7, 64])
  func pieces(size: Int) throws {
    var owner = try Owner()
    owner.incoming =
      Self.fail(1) + Self.call("Count", more: true) { $0.member("to", 3) }
      + Self.call("Nothing", oneway: true)
      + Message.call("org.example.absent.Ping") + Self.fail(2)
    for _ in 0..<3000 { owner.turn(receiving: size, sending: size) }
    #expect(
      owner.replies == [
        Self.failed(1), #"{"parameters":{"number":1},"continues":true}"#,
        #"{"parameters":{"number":2},"continues":true}"#, #"{"parameters":{"number":3}}"#,
        #"{"parameters":{"interface":"org.example.absent"},"error":"org.varlink.service.InterfaceNotFound"}"#,
        Self.failed(2),
      ])
  }

  @Test("A oneway call gets no reply, whatever becomes of it")
  func oneway() throws {
    var owner = try Owner()
    owner.incoming =
      Self.call("Nothing", oneway: true) + Self.call("Fail", oneway: true)
      + Self.call("Absent", oneway: true) + Message.call("org.varlink.service.GetInfo", oneway: true)
      + Self.call("Count", oneway: true, more: true) + Array("{\"method\":1,\"oneway\":true}\0".utf8)
      + Self.fail(1)
    owner.settle()
    #expect(owner.replies == [Self.failed(1)] && owner.connection.callCount == 7)
  }

  @Test("Calls behind a stream wait for its end")
  func streaming() throws {
    var owner = try Owner()
    owner.incoming = Self.call("Count", more: true) { $0.member("to", 5000) } + Self.fail(1)
    owner.turn(sending: 0)
    let held = owner.connection.sendableByteCount
    #expect(held > 32 << 10 - 128 && held <= 32 << 10)
    owner.turn(sending: 0)
    #expect(owner.connection.sendableByteCount == held)
    owner.settle()
    let numbers = (1..<5000).map { "{\"parameters\":{\"number\":\($0)},\"continues\":true}" }
    #expect(owner.replies == numbers + [#"{"parameters":{"number":5000}}"#, Self.failed(1)])
  }

  @Test("A client that does not read costs its buffers and no more")
  func neverReads() throws {
    var owner = try Owner()
    let calls = (0..<3000).flatMap { _ in Message.call("org.varlink.service.GetInfo") }
    owner.incoming = calls
    for _ in 0..<1000 { owner.turn(sending: 0) }
    #expect(owner.connection.sendableByteCount <= 64 << 10)
    #expect(owner.connection.receivableByteCount < 64 && !owner.incoming.isEmpty)
    let (performed, left) = (owner.connection.callCount, owner.incoming.count)
    for _ in 0..<100 { owner.turn(sending: 0) }
    #expect(owner.connection.callCount == performed && owner.incoming.count == left)
    owner.settle()
    #expect(owner.replies.count == 3000)
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
    var owner = try Owner()
    owner.incoming = Self.fail(1) + Array(text.utf8) + Self.fail(2)
    owner.turn(sending: 0, at: .seconds(5))
    for _ in 0..<3 { owner.turn(sending: 0, at: .seconds(6)) }
    #expect(owner.closed == nil && owner.connection.receivableByteCount == 0)
    #expect(owner.connection.overdueSince != nil)
    owner.settle()
    #expect(owner.closed == reason && owner.replies == [Self.failed(1)])
  }

  @Test("A message of 16 KiB is a message")
  func longest() throws {
    var owner = try Owner()
    let call = Self.fail(1).dropLast()
    owner.incoming = call + Array(repeating: 0x20, count: (16 << 10) - call.count) + [0]
    owner.settle()
    #expect(owner.replies == [Self.failed(1)] && owner.closed == nil)
  }

  @Test("A client that has finished gets its replies, then the end")
  func finished() throws {
    var owner = try Owner()
    for number in 0..<20 { owner.incoming += Self.fail(number) }
    owner.turn(sending: 0)
    owner.connection.endInput()
    #expect(owner.connection.receivableByteCount == 0)
    owner.settle()
    #expect(owner.replies.count == 20 && owner.closed == .finished)
  }

  @Test("The end inside a message is a mistake")
  func cut() throws {
    var owner = try Owner()
    owner.incoming = Self.fail(1) + [0x7B]
    owner.turn()
    owner.connection.endInput()
    owner.settle()
    #expect(owner.replies == [Self.failed(1)] && owner.closed == .frame(.truncated(byteCount: 1)))
  }

  @Test("The clock of an unfinished message runs, that of a finished one does not")
  func overdue() throws {
    var owner = try Owner()
    owner.turn(at: .seconds(1))
    #expect(owner.connection.overdueSince == nil)
    owner.incoming = [0x7B]
    owner.turn(at: .seconds(2))
    owner.turn(at: .seconds(3))
    #expect(owner.connection.overdueSince == .seconds(2))
    owner.incoming = [0x7D, 0]
    owner.turn(at: .seconds(4))
    #expect(owner.connection.overdueSince == nil && owner.connection.refusalCount == 1)
  }

  @Test("A reply longer than the limit ends the connection")
  func replyTooLong() throws {
    var connection = ServerConnection()
    connection.receive(Self.call("Nothing").span)
    _ = connection.nextAction(at: .zero)
    connection.reply([UInt8](repeating: 0x20, count: 32 << 10 + 1))
    #expect(connection.nextAction(at: .zero) == .close(.replyTooLong(byteCount: 32 << 10 + 1)))
  }

  @Test("The last reply fits behind the fullest stream")
  func lastReply() throws {
    var connection = ServerConnection()
    connection.receive(Self.call("Count", more: true).span)
    _ = connection.nextAction(at: .zero)
    connection.reply([UInt8](repeating: 0x20, count: connection.continuedReplyBytesMax), continues: true)
    #expect(connection.continuedReplyBytesMax == 0)
    connection.reply([UInt8](repeating: 0x20, count: 32 << 10))
    #expect(connection.sendableByteCount == 64 << 10 && connection.nextAction(at: .zero) == .wait)
  }

  @Test("Answering what nobody asked traps")
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
    var owner = try Owner()
    var expected: [String] = []
    for number in 0..<60 {
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: owner.incoming += Self.call("Nothing", oneway: true)
      case 1:
        let last = Int.random(in: 1...2000, using: &generator)
        owner.incoming += Self.call("Count", more: true) { $0.member("to", last) }
        expected += (1..<last).map { "{\"parameters\":{\"number\":\($0)},\"continues\":true}" }
        expected.append("{\"parameters\":{\"number\":\(last)}}")
      case 2:
        owner.incoming += Self.call("Nothing")
        expected.append(Self.nothing)
      default:
        owner.incoming += Self.fail(number)
        expected.append(Self.failed(number))
      }
    }
    for _ in 0..<200 {
      owner.turn(
        receiving: Int.random(in: 0...600, using: &generator),
        sending: Int.random(in: 0...9000, using: &generator))
      #expect(owner.connection.sendableByteCount <= 64 << 10 && owner.callsInLastTurn <= 16)
    }
    owner.settle()
    #expect(owner.replies == expected && owner.closed == nil)
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
