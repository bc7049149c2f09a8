// SPDX-License-Identifier: Apache-2.0

import BusSupport
@testable import DBus
import Testing

@Suite("A client's connection to a bus")
struct BusConnectionTests {
  typealias Event = BusConnection.Event

  private static let bus = "org.freedesktop.DBus"
  private static let opened = Event.opened(name: ":1.7")

  /// The bus's reply to Hello, which has the serial 1.
  private static let welcome = BusBytes.message(.reply, serial: 1, [.replySerial(1), .signature("s")]) {
    $0.string(":1.7")
  }

  private static func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

  /// Removes and returns what the connection wants to send.
  private static func sent(_ connection: inout BusConnection) -> [UInt8] {
    let bytes = connection.unsent
    connection.wasSent(bytes.count)
    return bytes
  }

  /// Removes and returns the messages that the connection wants to send.
  private static func messages(_ connection: inout BusConnection) throws -> [BusMessage] {
    var (rest, messages) = (sent(&connection)[...], [BusMessage]())
    while let count = try BusMessage.byteCount(of: Array(rest.prefix(16)), atMost: .max) {
      messages.append(try BusMessage(parsing: Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    return messages
  }

  /// A connection that the bus has accepted.
  private static func open(wantsDescriptors: Bool = false) -> BusConnection {
    var connection = BusConnection(wantsDescriptors: wantsDescriptors, messageBytesMax: 4096)
    #expect(connection.receive(bytes("OK 00ff\r\n")) == [])
    if wantsDescriptors { #expect(connection.receive(bytes("AGREE_UNIX_FD\r\n")) == []) }
    #expect(connection.receive(welcome[...]) == [opened])
    _ = sent(&connection)
    return connection
  }

  private static func call(_ connection: inout BusConnection, until deadline: Int64 = 1000) throws -> UInt32 {
    let serial = connection.call(.call("Pair", "org.x.D", of: "/d", at: "org.x"), until: deadline)
    return try #require(serial)
  }

  private static func reply(to serial: UInt32, _ text: String? = nil) -> [UInt8] {
    let fields = [BusField.replySerial(UInt64(serial)), .sender(":1.2")]
    guard let text else { return BusBytes.message(.reply, serial: 9, fields) }
    return BusBytes.message(.error, serial: 9, fields + [.error("org.x.No"), .signature("s")]) {
      $0.string(text)
    }
  }

  private static func signal(
    _ member: String, _ texts: [String], _ interface: String = bus, from sender: String = bus
  ) -> [UInt8] {
    let fields: [BusField] = [
      .path("/"), .interface(interface), .member(member), .sender(sender),
      .signature(texts.map { _ in "s" }.joined()),
    ]
    return BusBytes.message(.signal, serial: 9, fields) { body in texts.forEach { body.string($0) } }
  }

  // MARK: - Authentication

  @Test("Authentication is a line at a time, without the account's number, and messages wait for its end")
  func authentication() throws {
    var connection = BusConnection()
    connection.match("type='signal'")
    #expect(Self.sent(&connection) == Array("\0AUTH EXTERNAL\r\n".utf8))
    #expect(connection.receive(Self.bytes("DA")) == [] && connection.receive(Self.bytes("TA\r\n")) == [])
    #expect(Self.sent(&connection) == Array("DATA\r\n".utf8))
    #expect(connection.receive(Self.bytes("OK 00ff\r\n")) == [])
    let sent = Self.sent(&connection)
    #expect(sent.starts(with: Array("BEGIN\r\n".utf8)))
    let hello = Array(sent.dropFirst(7))
    let count = try #require(try BusMessage.byteCount(of: hello, atMost: .max))
    let message = try BusMessage(parsing: Array(hello[..<count]))
    #expect(message.member == "Hello" && message.interface == Self.bus && message.serial == 1)
    #expect(try BusMessage(parsing: Array(hello[count...])).member == "AddMatch")
    #expect(connection.receive(Self.welcome[...]) == [Self.opened])
  }

  @Test(
    "A connection that wants descriptors asks for them, and goes on without",
    arguments: ["AGREE_UNIX_FD", "ERROR no"])
  func negotiation(answer: String) {
    var connection = BusConnection(wantsDescriptors: true)
    _ = connection.receive(Self.bytes("DATA\r\nOK 00ff\r\n"))
    #expect(Self.sent(&connection).suffix(19) == Self.bytes("NEGOTIATE_UNIX_FD\r\n"))
    #expect(connection.receive(Self.bytes("\(answer)\r\n") + Self.welcome) == [Self.opened])
    #expect(Self.sent(&connection).starts(with: Array("BEGIN\r\n".utf8)))
  }

  @Test("A bus that refuses the account, says something else or never ends a line ends the connection")
  func refusals() {
    let cases: [(String, BusError)] = [
      ("REJECTED EXTERNAL\r\n", .notAuthenticated), ("ERROR\r\n", .notAuthenticated),
      ("DATA\r\nREJECTED\r\n", .notAuthenticated), ("HTTP/1.1 400\r\n", .malformed), ("\n", .malformed),
      ("AGREE_UNIX_FD\r\n", .malformed), (String(repeating: "O", count: 1 << 14), .malformed),
    ]
    for (text, error) in cases {
      var connection = BusConnection()
      #expect(connection.receive(Self.bytes(text)) == [.closed(error)], "\(text.prefix(20))")
      #expect(connection.unsent == [] && connection.receive(Self.bytes("OK\r\n")) == [])
    }
    var connection = BusConnection()
    _ = connection.receive(Self.bytes("OK\r\n"))
    let refusal = BusBytes.message(.error, serial: 1, [.replySerial(1), .error("org.x.Limits")])
    #expect(connection.receive(refusal[...]) == [.closed(.refused("org.x.Limits"))])
  }

  // MARK: - Calls

  @Test("Replies come in any order, each once; those to no call are ignored")
  func replies() throws {
    var connection = Self.open()
    let (first, second) = (try Self.call(&connection), try Self.call(&connection))
    #expect(try Self.messages(&connection).map(\.serial) == [first, second] && first != second)
    let error = try BusMessage(parsing: Self.reply(to: second, "not now"))
    #expect(error.errorName == "org.x.No" && error.errorText == "not now")
    let success = try BusMessage(parsing: Self.reply(to: first))
    let bytes = Self.reply(to: 77) + Self.reply(to: second, "not now") + Self.reply(to: first)
    #expect(
      connection.receive((bytes + Self.reply(to: first))[...])
        == [.reply(to: second, error), .reply(to: first, success)])
    #expect(connection.deadline == nil)
  }

  @Test("A call without a reply has an error at its deadline, and a reply after it is ignored")
  func deadline() throws {
    var connection = Self.open()
    let late = try Self.call(&connection, until: 2000)
    let soon = try Self.call(&connection, until: 1000)
    #expect(connection.deadline == 1000 && connection.advance(to: 999) == [])
    let events = connection.advance(to: 1000)
    guard case .reply(to: soon, let message)? = events.first, events.count == 1 else {
      return _ = Issue.record("\(events)")
    }
    #expect(message.errorName == "org.freedesktop.DBus.Error.NoReply")
    #expect(connection.receive(Self.reply(to: soon)[...]) == [])
    #expect(connection.deadline == 2000)
    #expect(connection.receive(Self.reply(to: late)[...]).count == 1 && connection.deadline == nil)
  }

  @Test(
    "Calls beyond the most that wait, and beyond what may be unsent, are refused; replies are dropped and counted"
  )
  func capacity() throws {
    var connection = Self.open()
    for _ in 0..<BusConnection.callsMax { _ = try Self.call(&connection) }
    #expect(connection.call(.call("Pair", "org.x.D", of: "/d", at: "org.x"), until: 1) == nil)
    connection = Self.open()
    let big = [BusValue.bytes([UInt8](repeating: 0, count: BusConnection.unsentMax / 2))]
    #expect(connection.call(.call("Big", "org.x.D", of: "/d", at: "org.x", big), until: 1) != nil)
    #expect(connection.call(.call("Big", "org.x.D", of: "/d", at: "org.x", big), until: 1) == nil)
    let small = try Self.call(&connection)
    let ping = BusBytes.message(
      .call, serial: 9, [.path("/"), .interface("\(Self.bus).Peer"), .member("Ping"), .sender(":1.9")])
    while connection.droppedCount == 0, connection.unsent.count < 2 * BusConnection.unsentMax {
      #expect(connection.receive(ping[...]) == [])
    }
    #expect(connection.droppedCount == 1 && connection.unsent.count <= BusConnection.unsentMax)
    // It goes on once the bus reads again.
    #expect(try Self.messages(&connection).count > 1000)
    #expect(connection.receive((ping + Self.reply(to: small))[...]).count == 1 && connection.unsent.count > 0)
  }

  // MARK: - Names and signals

  @Test("The owner of a watched name is reported at once, and when it changes; only the bus can say so")
  func owner() throws {
    var connection = Self.open()
    connection.watchOwner(of: "org.x")
    let calls = try Self.messages(&connection)
    #expect(calls.map(\.member) == ["AddMatch", "GetNameOwner"])
    let none = BusBytes.message(
      .error, serial: 2, [.replySerial(UInt64(calls[1].serial)), .error("\(Self.bus).Error.NameHasNoOwner")])
    #expect(connection.receive(none[...]) == [.owner(of: "org.x", nil)])
    let changes =
      Self.signal("NameOwnerChanged", ["org.x", "", ":1.2"])
      + Self.signal("NameOwnerChanged", ["org.y", "", ":1.3"])
      + Self.signal("NameOwnerChanged", ["org.x", ":1.2", ""])
    #expect(connection.receive(changes[...]) == [.owner(of: "org.x", ":1.2"), .owner(of: "org.x", nil)])
    let forged = Self.signal("NameOwnerChanged", ["org.x", "", ":1.9"], from: ":1.9")
    #expect(connection.receive(forged[...]) == [.signal(try BusMessage(parsing: forged))])
    connection = Self.open()
    connection.watchOwner(of: "org.x")
    let serial = UInt64(try Self.messages(&connection)[1].serial)
    let some = BusBytes.message(.reply, serial: 2, [.replySerial(serial), .signature("s")]) {
      $0.string(":1.2")
    }
    #expect(connection.receive(some[...]) == [.owner(of: "org.x", ":1.2")])
  }

  @Test("Rules for signals are added and removed without replies, and signals are delivered")
  func signals() throws {
    var connection = Self.open()
    connection.match("type='signal'")
    connection.match("type='signal'", false)
    let calls = try Self.messages(&connection)
    #expect(calls.map(\.member) == ["AddMatch", "RemoveMatch"])
    #expect(try calls[0].arguments("s") == [.string("type='signal'")])
    #expect(calls.allSatisfy { $0.flags == BusMessage.isNotReplied })
    let signal = Self.signal("Changed", ["a"], "org.x.D", from: ":1.2")
    #expect(connection.receive(signal[...]) == [.signal(try BusMessage(parsing: signal))])
  }

  // MARK: - An exported object

  private static func asks(
    _ member: String, _ interface: String? = "org.x.Agent", of path: String = "/agent", flags: UInt8 = 0
  ) -> [UInt8] {
    var fields: [BusField] = [.path(path), .member(member), .sender(":1.2")]
    if let interface { fields.append(.interface(interface)) }
    var bytes = BusBytes.message(.call, serial: 42, fields)
    bytes[2] = flags
    return bytes
  }

  @Test("A method of an exported object is called and replied to, with results or an error")
  func exported() throws {
    var connection = Self.open()
    connection.export("/agent", "org.x.Agent", ["Ask"])
    for interface in ["org.x.Agent", nil] {
      guard case .called(let call)? = connection.receive(Self.asks("Ask", interface)[...]).first else {
        return _ = Issue.record("the call did not come")
      }
      #expect(call.member == "Ask" && call.path == "/agent" && call.sender == ":1.2")
      #expect(connection.unsent == [])
      connection.reply(to: call, [.uint32(123_456)])
      connection.reply(to: call, [.string("no")], error: "org.x.No")
      let replies = try Self.messages(&connection)
      #expect(replies.map(\.replySerial) == [42, 42] && replies.map(\.errorName) == [nil, "org.x.No"])
      #expect(try replies[0].arguments("u") == [.uint32(123_456)] && replies[1].errorText == "no")
    }
  }

  @Test(
    "Other methods and objects have the standard errors, a ping a reply, and a call without reply nothing")
  func unknown() throws {
    var connection = Self.open()
    connection.export("/agent", "org.x.Agent", ["Ask"])
    let cases: [([UInt8], String?)] = [
      (Self.asks("Tell"), "UnknownMethod"), (Self.asks("Ask", "org.x.Other"), "UnknownMethod"),
      (Self.asks("Tell", nil), "UnknownMethod"), (Self.asks("Ask", of: "/"), "UnknownObject"),
      (Self.asks("Ping", "\(Self.bus).Peer", of: "/any"), nil),
    ]
    for (bytes, error) in cases {
      #expect(connection.receive(bytes[...]) == [])
      let replies = try Self.messages(&connection)
      #expect(replies.map(\.replySerial) == [42])
      #expect(replies.first?.errorName == error.map { "\(Self.bus).Error.\($0)" })
    }
    #expect(connection.receive(Self.asks("Tell", flags: BusMessage.isNotReplied)[...]) == [])
    #expect(connection.unsent == [])
  }

  // MARK: - Descriptors

  /// A signal with one descriptor.
  private static func passing(_ count: UInt64) -> [UInt8] {
    BusBytes.message(
      .signal, serial: 1,
      [.path("/"), .interface("i.i"), .member("M"), .sender(":1.2"), .descriptorCount(count)])
  }

  @Test("Descriptors belong to the messages that name them, in order; the others are left to be closed")
  func descriptors() {
    var connection = Self.open(wantsDescriptors: true)
    let bytes = Self.passing(2) + Self.passing(0) + Self.passing(1)
    let events = connection.receive(bytes[...], descriptors: [5, 6, 7, 8])
    let passed = events.map { if case .signal(let message) = $0 { message.descriptors } else { [Int32]() } }
    #expect(passed == [[5, 6], [], [7]] && connection.descriptors == [8])
    #expect(connection.receive(Self.passing(2)[...]) == [.closed(.malformed)])
    #expect(connection.receive([], descriptors: [9]) == [] && connection.descriptors == [8, 9])
  }

  @Test("More descriptors than may wait for a message end the connection")
  func manyDescriptors() {
    var connection = Self.open(wantsDescriptors: true)
    let most = [Int32](repeating: 5, count: BusConnection.descriptorsMax)
    #expect(connection.receive([], descriptors: most) == [])
    #expect(connection.receive([], descriptors: [6]) == [.closed(.malformed)])
    #expect(connection.descriptors.count == most.count + 1)
  }

  // MARK: - The end

  @Test("A message that is too long or malformed ends the connection, and those before it are delivered")
  func ends() throws {
    let good = Self.signal("Changed", ["a"], "org.x.D", from: ":1.2")
    var long = BusBytes.message(.reply, serial: 9, [.replySerial(1)])
    long[6] = 1
    let cases: [([UInt8], BusError)] = [
      (long, .tooLong), ([UInt8](repeating: 0, count: 16), .malformed),
      (BusBytes.message(.call, serial: 9, [.path("/")]), .malformed),
    ]
    for (bad, error) in cases {
      var connection = Self.open()
      _ = try Self.call(&connection)
      let events = connection.receive((good + bad + good)[...])
      #expect(events == [.signal(try BusMessage(parsing: good)), .closed(error)])
      #expect(connection.unsent == [] && connection.deadline == nil && connection.advance(to: .max) == [])
      #expect(connection.close() == [])
      #expect(connection.call(.call("Pair", "org.x.D", of: "/d", at: "org.x"), until: 1) == nil)
    }
    var connection = Self.open()
    #expect(connection.close() == [.closed(.closed)] && connection.receive(good[...]) == [])
  }

  // MARK: - Bytes

  /// What a bus sends, after which there are five events.
  private static var conversation: [UInt8] {
    Array("DATA\r\nOK 00ff\r\n".utf8) + welcome + signal("NameOwnerChanged", ["org.x", "", ":1.2"])
      + BusBytes.message(.reply, serial: 3, [.replySerial(3), .signature("s")]) { $0.string(":1.2") }
      + asks("Ask") + asks("Tell") + signal("Changed", ["a"], "org.x.D", from: ":1.2")
  }

  private static func connection() -> BusConnection {
    var connection = BusConnection(messageBytesMax: 4096)
    connection.watchOwner(of: "org.x")
    connection.export("/agent", "org.x.Agent", ["Ask"])
    return connection
  }

  @Test("Bytes that come one by one have the same events and the same effects")
  func pieces() {
    var (whole, pieces) = (Self.connection(), Self.connection())
    let events = whole.receive(Self.conversation[...])
    #expect(events.count == 5)
    #expect(Self.conversation.flatMap { pieces.receive([$0]) } == events)
    #expect(pieces.unsent == whole.unsent)
  }

  @Test("Every prefix of what a bus sends and every flipped bit is read, or ends the connection")
  func torn() {
    let (bytes, count) = (Self.conversation, 5)
    for length in 0..<bytes.count {
      var connection = Self.connection()
      let events = connection.receive(bytes[..<length])
      #expect(events.count < count && connection.close() == [.closed(.closed)])
    }
    for bit in 0..<8 * bytes.count {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      var connection = Self.connection()
      let events = connection.receive(flipped[...])
      let ends = events.filter { if case .closed = $0 { true } else { false } }
      #expect(ends.count <= 1 && (ends.isEmpty || events.last == ends.first))
    }
  }
}
