// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText
import Varlink
import VarlinkClient

/// A connection to the agent, with one call at a time. Every wait has a deadline.
struct GatewayConnection: ~Copyable {
  /// What ended a wait.
  enum Arrival: Equatable {
    case reply(ReceivedReply)
    /// The deadline passed.
    case deadline
    /// A signal asked the program to end.
    case interruption
    /// The reader of the output has gone.
    case noReader
  }

  /// How long the agent may take to reply. Its loop turns every few milliseconds, so a longer silence means it is
  /// stuck.
  static let patienceSeconds = 5
  private static let chunkByteCount = 1 << 14
  /// The most that a call is given as a list: more than the agent's tables can hold.
  private static let listMax = (replies: 1 << 17, bytes: 64 << 20)

  private let descriptor: Descriptor
  private var client = ClientConnection()
  /// The bytes of the call that the socket has not accepted yet.
  private var unsent: ArraySlice<UInt8> = []
  private let made: MonotonicInstant
  private var hasReplied = false
  private var receivedByteCount = 0
  /// The descriptor that came with a reply.
  private(set) var passed: SharedDescriptor?
  /// A reply that ``hasReply`` found before the caller asked for it.
  private var arrived: ReceivedReply?

  init(path: String) throws(AgentCallError) {
    let now = try Self.now()
    do throws(SystemError) {
      descriptor = try Self.connected(to: path, until: now.advanced(seconds: Self.patienceSeconds))
    } catch {
      throw .connecting(error)
    }
    made = now
  }

  /// Connects; while the agent has yet to accept others, it tries again.
  private static func connected(
    to path: String, until deadline: MonotonicInstant
  ) throws(SystemError) -> Descriptor {
    while true {
      do throws(SystemError) { return try UnixConnection.open(path: path) } catch {
        let now = try MonotonicInstant.now()
        guard error.isFull, now < deadline else { throw error }
        _ = try Polling.wait([], until: now.advanced(milliseconds: 20))
      }
    }
  }

  /// Starts a call. Bytes go out with ``exchange(_:)``.
  mutating func startCall(
    _ method: some ServedMethod, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) throws(AgentCallError) {
    let call = Message.call(method.rawValue, more: method.replies == .many, parameters)
    guard client.beginCall(call, wantsMore: method.replies == .many) else { throw .callTooLong }
    var bytes: [UInt8] = []
    client.drain { span in
      bytes = span.indices.map { span[$0] }
      return span.count
    }
    unsent = bytes[...]
  }

  /// Whether a reply has arrived already, so that the caller need not wait.
  var hasReply: Bool {
    mutating get {
      // An error is thrown when the caller asks for the reply: the connection stays broken.
      if arrived == nil, case .reply(let reply)? = try? client.nextReply() { arrived = reply }
      return arrived != nil
    }
  }

  /// Waits for a reply, the deadline or the interruption. Throws a reply that is an error. With an interruption it also
  /// notices when the reader of `output` has gone.
  mutating func nextArrival(
    until deadline: MonotonicInstant?, _ interruption: Interruption? = nil,
    output: Int32 = OutputFile.standardOutput().number
  ) throws(AgentCallError) -> Arrival {
    while true {
      if let reply = try receivedReply() { return .reply(reply) }
      var entries = [entry]
      if let interruption { entries += interruption.entries(output: output) }
      let ready: [Readiness]
      do throws(SystemError) { ready = try Polling.wait(entries, until: deadline) } catch {
        throw .system(error)
      }
      if ready.count > 1, !ready[1].isEmpty { return .interruption }
      if ready.count > 2, ready[2].contains(.hungUp) { return .noReader }
      guard !ready[0].isEmpty else { return .deadline }
      try exchange(ready[0])
    }
  }

  /// Waits for the next reply of a call that the agent answers without delay; nil after the last one. `update` is called
  /// with the deadline and the time, and returns when to call it next.
  mutating func nextReply(
    within seconds: Int = patienceSeconds,
    _ update: (MonotonicInstant, MonotonicInstant) -> MonotonicInstant? = { _, _ in nil }
  ) throws(AgentCallError) -> ReceivedReply? {
    guard client.isWaiting else { return nil }
    var now = try Self.now()
    let deadline = now.advanced(seconds: seconds)
    while now < deadline {
      if case .reply(let reply) = try nextArrival(until: min(deadline, update(deadline, now) ?? deadline)) {
        return reply
      }
      now = try Self.now()
    }
    throw .silent(seconds: seconds)
  }

  /// Waits for the next reply, and leaves it to the caller of ``receivedReply()``.
  mutating func waitForReply() throws(AgentCallError) {
    if let reply = try nextReply() { arrived = reply }
  }

  private static func now() throws(AgentCallError) -> MonotonicInstant {
    do throws(SystemError) { return try .now() } catch { throw .system(error) }
  }

  /// Waits for the only reply of a call.
  mutating func onlyReply<Value>(
    within seconds: Int = patienceSeconds, _ value: (JSONObjectReader) throws(JSONMemberError) -> Value
  ) throws(AgentCallError) -> Value {
    guard let reply = try nextReply(within: seconds) else { throw .ended(.afterReply) }
    do throws(JSONMemberError) { return try value(JSONObjectReader(reply.parameters)) } catch {
      throw .line(error)
    }
  }

  /// Waits for every reply of a call, up to more than the agent's tables can hold.
  mutating func allReplies<Element>(
    within seconds: Int = patienceSeconds,
    update: (MonotonicInstant, MonotonicInstant) -> MonotonicInstant? = { _, _ in nil },
    _ element: (JSONObjectReader) throws(JSONMemberError) -> Element?
  ) throws(AgentCallError) -> [Element] {
    var elements: [Element] = []
    var replyCount = 0
    let start = receivedByteCount
    while let reply = try nextReply(within: seconds, update) {
      replyCount += 1
      guard replyCount <= Self.listMax.replies, receivedByteCount - start <= Self.listMax.bytes else {
        throw .listTooLong
      }
      do throws(JSONMemberError) {
        guard let next = try element(JSONObjectReader(reply.parameters)) else { continue }
        elements.append(next)
      } catch {
        throw .line(error)
      }
    }
    return elements
  }

  // MARK: For callers that wait for several things at once

  /// What to poll.
  var entry: Polling.Entry {
    Polling.Entry(descriptor.number, unsent.isEmpty ? .readable : [.readable, .writable])
  }

  /// Whether a call is in progress.
  var isWaiting: Bool { client.isWaiting }

  /// The next reply that has arrived; nil when there is none. Throws a reply that is an error.
  mutating func receivedReply() throws(AgentCallError) -> ReceivedReply? {
    if arrived == nil {
      do throws(ClientError) {
        if case .reply(let reply) = try client.nextReply() { arrived = reply }
      } catch {
        throw error == .ended ? .ended(try ending()) : .stream(error)
      }
    }
    guard let reply = arrived else { return nil }
    arrived = nil
    hasReplied = true
    guard reply.error == nil else { throw .refused(reply) }
    return reply
  }

  /// Sends as much of the call as the socket accepts, and receives the bytes that have arrived.
  mutating func exchange(_ readiness: Readiness) throws(AgentCallError) {
    do throws(SystemError) {
      if readiness.contains(.writable) { try sendUnsentBytes() }
      guard !readiness.isDisjoint(with: [.readable, .hungUp]) else { return }
      var bytes = [UInt8](repeating: 0, count: min(client.receivableByteCount, Self.chunkByteCount))
      guard let count = try descriptor.read(into: &bytes, passed: &passed) else { return }
      receivedByteCount += count
      if count == 0 { client.endInput() } else { client.receive(bytes.span.extracting(first: count)) }
    } catch {
      // An agent that refuses a client may close the connection before it reads the call.
      throw error.isGone ? .ended(try ending()) : .system(error)
    }
  }

  private func ending() throws(AgentCallError) -> AgentCallError.Ending {
    hasReplied ? .afterReply : try Self.now() < made.advanced(seconds: 1) ? .atOnce : .beforeReply
  }

  private mutating func sendUnsentBytes() throws(SystemError) {
    let count = try descriptor.write(unsent) ?? 0
    unsent = unsent.dropFirst(count)
  }
}

extension OperatorMethodName {
  /// How long the reply may take: the limit in the interface, and 2 s for the transfer.
  var patienceSeconds: Int {
    switch self {
    case .watch, .deny, .cancel, .open, .replace, .list, .registry, .export, .answerPairing:
      GatewayConnection.patienceSeconds
    case .agree: 42
    case .name, .rename, .remove, .allow, .authorize, .import, .reset, .importBond: 32
    case .disconnect: 14
    case .choose: 162
    case .pair: 102
    }
  }
}

/// SIGINT, SIGTERM and SIGHUP as a descriptor to poll, so that a stream ends cleanly.
final class Interruption {
  private let signals: SignalDescriptor

  init() throws(ToolError) {
    do throws(SystemError) { signals = try SignalDescriptor() } catch { throw .system(error) }
  }

  /// The descriptor; it becomes readable with the first signal, and stays so.
  var number: Int32 { signals.descriptor.number }

  /// Returns the signal that came, once; nil for none.
  func nextSignal() throws(ToolError) -> SignalDescriptor.Signal? {
    do throws(SystemError) { return try signals.next() } catch { throw .system(error) }
  }

  /// The descriptor itself, and the output, to notice when its reader goes.
  func entries(output: Int32 = OutputFile.standardOutput().number) -> [Polling.Entry] {
    [Polling.Entry(number, .readable), Polling.Entry(output, [])]
  }
}
