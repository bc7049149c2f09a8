// SPDX-License-Identifier: Apache-2.0

/// Why a connection to a bus ended, or a message cannot be read.
public enum BusError: Error, Equatable, Sendable {
  /// The bus does not accept this account.
  case notAuthenticated
  /// The reply was the error of this name.
  case refused(String)
  /// A message is not as the specification of D-Bus demands, or has too many values.
  case malformed
  /// A message is longer than the connection allows.
  case tooLong
  /// The bus closed the connection.
  case closed
}

/// A client's connection to a bus.
///
/// Pure: bytes and the time, in microseconds, go in; events and bytes to send come out. A message that is too long, or whose
/// header is malformed, ends the connection; what came before it counts. A malformed body is an error of its message alone.
///
/// Capacity: ``callsMax`` calls that wait for a reply, and ``unsentMax`` bytes that wait to be sent: a further call is refused,
/// a further reply dropped and counted. More than ``descriptorsMax`` descriptors that no message has end the connection.
public struct BusConnection: Sendable {
  static let callsMax = 256
  static let unsentMax = 1 << 20
  static let descriptorsMax = 1024
  /// The longest line of the authentication.
  static let lineBytesMax = 1 << 14

  public enum Event: Equatable, Sendable {
    /// The bus has given the connection this name.
    case opened(name: String)
    /// The reply to a call. No reply in time is an error, too.
    case reply(to: UInt32, BusMessage)
    case signal(BusMessage)
    /// A method of an exported object is called: to be replied to or refused.
    case called(BusMessage)
    /// The unique name of the program that has a watched name; nil for none.
    case owner(of: String, String?)
    /// The last event: calls have no reply any more.
    case closed(BusError)
  }

  private enum Phase {
    case authenticating, negotiating, open, closed
  }

  /// What the connection asks of the bus itself.
  private enum Question {
    case hello
    case owner(of: String)
  }

  private static let bus = "org.freedesktop.DBus"

  private let wantsDescriptors: Bool
  private let messageBytesMax: Int
  private var phase = Phase.authenticating
  private var received: [UInt8] = []
  /// Those that belong to no message yet. The owner of the socket closes them with it.
  public private(set) var descriptors: [Int32] = []
  /// What to send next.
  public private(set) var unsent = Array("\0AUTH EXTERNAL\r\n".utf8)
  /// Messages that wait for the end of the authentication.
  private var held: [UInt8] = []
  private var lastSerial: UInt32 = 0
  private var questions: [UInt32: Question] = [:]
  /// The deadlines of the calls that wait for a reply.
  private var calls: [UInt32: Int64] = [:]
  private var watchedNames: Set<String> = []
  /// The methods of each interface of each exported object.
  private var objects: [String: [String: Set<String>]] = [:]
  /// How many replies to other programs were dropped because the bus does not read.
  public private(set) var droppedCount: UInt64 = 0

  /// A bus passes descriptors only to a connection that wants them.
  public init(wantsDescriptors: Bool = false, messageBytesMax: Int = 64 << 20) {
    (self.wantsDescriptors, self.messageBytesMax) = (wantsDescriptors, messageBytesMax)
    callBus("Hello", asking: .hello)
  }

  // MARK: - Output

  public mutating func wasSent(_ count: Int) { unsent = Array(unsent[count...]) }

  /// Returns the serial of the message; nil when there is no room.
  private mutating func send(_ message: BusMessage) -> UInt32? {
    var message = message
    lastSerial = lastSerial == .max ? 1 : lastSerial + 1
    message.serial = lastSerial
    let bytes = message.bytes
    guard phase != .closed, unsent.count + held.count + bytes.count <= Self.unsentMax else { return nil }
    if phase == .open { unsent += bytes } else { held += bytes }
    return lastSerial
  }

  /// Calls the bus itself. It replies if something is asked.
  private mutating func callBus(_ member: String, _ arguments: BusValue..., asking: Question? = nil) {
    let flags = asking == nil ? BusMessage.isNotReplied : 0
    let call = BusMessage.call(
      member, Self.bus, of: "/org/freedesktop/DBus", at: Self.bus, arguments, flags: flags)
    if let serial = send(call), let asking { questions[serial] = asking }
  }

  /// Makes a call, which has a reply by the deadline. Returns its serial; nil when there is no room.
  public mutating func call(_ call: BusMessage, until deadline: Int64) -> UInt32? {
    guard calls.count < Self.callsMax, let serial = send(call) else { return nil }
    calls[serial] = deadline
    return serial
  }

  /// Replies to a call of an exported object: with results, or with what an error says.
  public mutating func reply(to call: BusMessage, _ results: [BusValue] = [], error: String? = nil) {
    guard call.flags & BusMessage.isNotReplied == 0 else { return }
    let reply = BusMessage.reply(to: call.serial, of: call.sender, results, error: error)
    if send(reply) == nil { droppedCount += 1 }
  }

  /// Has the bus deliver the signals that a rule describes ("Match Rules"), or no longer.
  public mutating func match(_ rule: String, _ isOn: Bool = true) {
    callBus(isOn ? "AddMatch" : "RemoveMatch", .string(rule))
  }

  /// Reports which program has a name: now, and whenever that changes.
  public mutating func watchOwner(of name: String) {
    watchedNames.insert(name)
    match("type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(name)'")
    callBus("GetNameOwner", .string(name), asking: .owner(of: name))
  }

  /// Lets other programs call methods of an object. Its other methods, and other objects, are refused.
  public mutating func export(_ path: String, _ interface: String, _ members: Set<String>) {
    objects[path, default: [:]][interface] = members
  }

  // MARK: - Input

  /// Receives bytes, and the descriptors that came beside them.
  public mutating func receive(_ bytes: ArraySlice<UInt8>, descriptors new: [Int32] = []) -> [Event] {
    descriptors += new
    guard phase != .closed else { return [] }
    received += bytes
    var events: [Event] = []
    do throws(BusError) {
      while phase != .open, try receiveLine() {}
      while phase == .open, let message = try nextMessage() { try receive(message, &events) }
      guard descriptors.count <= Self.descriptorsMax else { throw .malformed }
    } catch { events += close(error) }
    return events
  }

  /// Ends the connection, as when the bus has closed its end.
  public mutating func close(_ error: BusError = .closed) -> [Event] {
    guard phase != .closed else { return [] }
    phase = .closed
    (received, unsent, held, questions, calls) = ([], [], [], [:], [:])
    return [.closed(error)]
  }

  /// Lets time pass: each call without a reply has an error.
  public mutating func advance(to now: Int64) -> [Event] {
    guard let deadline, deadline <= now else { return [] }
    let late = calls.filter { $0.value <= now }.keys.sorted()
    return late.map { serial in
      calls[serial] = nil
      return .reply(to: serial, .reply(to: serial, of: nil, [], error: "\(Self.bus).Error.NoReply"))
    }
  }

  /// When ``advance(to:)`` is due.
  public var deadline: Int64? { calls.values.min() }

  /// Receives a line ("Authentication Protocol"). The bus learns the account from the kernel. It is not named, because it may
  /// have another number there, as in a container. Returns false when there is no whole line.
  private mutating func receiveLine() throws(BusError) -> Bool {
    guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else {
      guard received.count < Self.lineBytesMax else { throw .malformed }
      return false
    }
    let word = String(decoding: received[..<end].prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    received.removeFirst(end + 1)
    switch (phase, word) {
    case (.authenticating, "DATA"): unsent += Array("DATA\r\n".utf8)
    case (.authenticating, "OK") where wantsDescriptors:
      phase = .negotiating
      unsent += Array("NEGOTIATE_UNIX_FD\r\n".utf8)
    case (.authenticating, "OK"), (.negotiating, "AGREE_UNIX_FD"), (.negotiating, "ERROR"):
      phase = .open
      unsent += Array("BEGIN\r\n".utf8) + held
      held = []
    case (.authenticating, "REJECTED"), (.authenticating, "ERROR"): throw .notAuthenticated
    default: throw .malformed
    }
    return true
  }

  /// Returns the first message that is whole, once.
  private mutating func nextMessage() throws(BusError) -> BusMessage? {
    guard let count = try BusMessage.byteCount(of: received, atMost: messageBytesMax), received.count >= count
    else { return nil }
    var message = try BusMessage(parsing: Array(received[..<count]))
    received = Array(received[count...])
    guard message.descriptorCount <= descriptors.count else { throw .malformed }
    message.descriptors = Array(descriptors[..<message.descriptorCount])
    descriptors.removeFirst(message.descriptorCount)
    return message
  }

  private mutating func receive(_ message: BusMessage, _ events: inout [Event]) throws(BusError) {
    switch message.kind {
    case .reply, .error:
      let serial = message.replySerial ?? 0
      switch questions.removeValue(forKey: serial) {
      case .hello: events.append(.opened(name: try message.arguments("s")[0].string ?? ""))
      case .owner(let name): events.append(.owner(of: name, (try? message.arguments("s"))?[0].string))
      case nil: if calls.removeValue(forKey: serial) != nil { events.append(.reply(to: serial, message)) }
      }
    case .call: receiveCall(message, &events)
    case .signal where message.sender == Self.bus && message.member == "NameOwnerChanged":
      let names = try message.arguments("sss").compactMap(\.string)
      guard watchedNames.contains(names[0]) else { return }
      events.append(.owner(of: names[0], names[2].isEmpty ? nil : names[2]))
    case .signal: events.append(.signal(message))
    case .other: break
    }
  }

  private mutating func receiveCall(_ call: BusMessage, _ events: inout [Event]) {
    let (interface, member) = (call.interface, call.member ?? "")
    if interface == "\(Self.bus).Peer", member == "Ping" { return reply(to: call) }
    let object = objects[call.path ?? ""] ?? [:]
    guard object.contains(where: { (interface ?? $0.key) == $0.key && $0.value.contains(member) }) else {
      let error = "\(Self.bus).Error.\(object.isEmpty ? "UnknownObject" : "UnknownMethod")"
      return reply(to: call, [.string("there is no \(member) of \(call.path ?? "")")], error: error)
    }
    events.append(.called(call))
  }
}
