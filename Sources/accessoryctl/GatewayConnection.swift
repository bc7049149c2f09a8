// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// A connection to the agent: one call at a time, and waiting that ends.
struct GatewayConnection: ~Copyable {
  /// What came first.
  enum Arrival: Equatable {
    case reply(ReceivedReply)
    /// The deadline passed.
    case deadline
    /// A signal asked the program to end.
    case interruption
    /// Nobody reads what is printed.
    case noReader
  }

  /// An agent turns every few milliseconds; one that says nothing for so long is stuck.
  static let patienceSeconds = 5
  private static let chunkByteCount = 1 << 14

  private let descriptor: Descriptor
  private var client = ClientConnection()
  /// What the socket did not take of the call.
  private var unsent: ArraySlice<UInt8> = []
  private var hasAnswered = false
  /// A reply that was looked for before it was asked for.
  private var arrived: ReceivedReply?

  init(path: String) throws(GatewayProblem) {
    do throws(SystemError) {
      descriptor = try UnixConnection.open(path: path)
    } catch {
      throw .connecting(error)
    }
  }

  mutating func begin(
    _ method: some ServedMethod, _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) throws(GatewayProblem) {
    let call = Message.call(method.rawValue, more: method.replies == .many, parameters)
    guard client.beginCall(call, wantsMore: method.replies == .many) else { throw .callTooLong }
    var bytes: [UInt8] = []
    client.drain { span in
      bytes = span.indices.map { span[$0] }
      return span.count
    }
    unsent = bytes[...]
  }

  /// Whether a reply is here already, so that nothing has to be waited for.
  var hasReply: Bool {
    mutating get {
      // What is wrong is thrown when the reply is asked for: the connection stays broken.
      if arrived == nil, case .reply(let reply)? = try? client.nextReply() { arrived = reply }
      return arrived != nil
    }
  }

  /// Waits for what comes first. A reply that is an error is thrown. With an interruption, that nobody reads `output` any
  /// more is noticed too.
  mutating func next(
    until deadline: MonotonicInstant?, _ interruption: Interruption? = nil,
    output: Int32 = OutputFile.standardOutput().number
  ) throws(GatewayProblem) -> Arrival {
    while true {
      if let reply = try taken() { return .reply(reply) }
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

  /// The next reply of a call that is answered without delay; nil behind its last.
  mutating func answer(within seconds: Int = patienceSeconds) throws(GatewayProblem) -> ReceivedReply? {
    guard client.isWaiting else { return nil }
    let deadline: MonotonicInstant
    do throws(SystemError) { deadline = try .now().advanced(seconds: seconds) } catch { throw .system(error) }
    switch try next(until: deadline) {
    case .reply(let reply): return reply
    case .deadline, .interruption, .noReader: throw .silent(seconds: seconds)
    }
  }

  /// The only answer of a call.
  mutating func one<Value>(
    within seconds: Int = patienceSeconds, _ value: (JSONObjectReader) throws(JSONMemberError) -> Value
  ) throws(GatewayProblem) -> Value {
    guard let reply = try answer(within: seconds) else { throw .ended(hasAnswered: true) }
    do throws(JSONMemberError) { return try value(JSONObjectReader(reply.parameters)) } catch {
      throw .line(error)
    }
  }

  /// Every element of the list that a call is answered with, up to as many as the agent's tables could ever hold.
  mutating func list<Element>(
    within seconds: Int = patienceSeconds, _ element: (JSONObjectReader) throws(JSONMemberError) -> Element?
  ) throws(GatewayProblem) -> [Element] {
    var elements: [Element] = []
    while let reply = try answer(within: seconds) {
      do throws(JSONMemberError) {
        guard let next = try element(JSONObjectReader(reply.parameters)) else { continue }
        elements.append(next)
      } catch {
        throw .line(error)
      }
      guard elements.count <= 1 << 17 else { throw .stream(.notAReply) }
    }
    return elements
  }

  // MARK: For those who wait for several things at once

  /// What is to be waited for.
  var entry: Polling.Entry {
    Polling.Entry(descriptor.number, unsent.isEmpty ? .readable : [.readable, .writable])
  }

  /// Whether a call is in progress.
  var isWaiting: Bool { client.isWaiting }

  /// The next reply that is here; nil when there is none. A reply that is an error is thrown.
  mutating func taken() throws(GatewayProblem) -> ReceivedReply? {
    if arrived == nil {
      do throws(ClientError) {
        if case .reply(let reply) = try client.nextReply() { arrived = reply }
      } catch {
        throw error == .ended ? .ended(hasAnswered: hasAnswered) : .stream(error)
      }
    }
    guard let reply = arrived else { return nil }
    arrived = nil
    hasAnswered = true
    guard reply.error == nil else { throw .refused(reply) }
    return reply
  }

  /// Sends what can be sent, and receives what is there.
  mutating func exchange(_ readiness: Readiness) throws(GatewayProblem) {
    do throws(SystemError) {
      if readiness.contains(.writable) { try send() }
      guard !readiness.isDisjoint(with: [.readable, .hungUp]) else { return }
      var bytes = [UInt8](repeating: 0, count: min(client.receivableByteCount, Self.chunkByteCount))
      guard let count = try descriptor.read(into: &bytes) else { return }
      if count == 0 { client.endInput() } else { client.receive(bytes.span.extracting(first: count)) }
    } catch {
      // Who turns us away may close before our call was read.
      throw error.isGone ? .ended(hasAnswered: hasAnswered) : .system(error)
    }
  }

  private mutating func send() throws(SystemError) {
    let count = try descriptor.write(unsent) ?? 0
    unsent = unsent.dropFirst(count)
  }
}

extension OperatorMethodName {
  /// How long the reply may take: what the interface says, and 2 s for the way.
  var patienceSeconds: Int {
    switch self {
    case .watch, .deny, .cancel, .open, .list, .registry, .export: GatewayConnection.patienceSeconds
    case .name, .agree, .rename, .remove, .allow, .authorize, .import, .reset: 32
    case .choose: 92
    }
  }
}

/// SIGINT, SIGTERM and SIGHUP as something to wait for: what streams is ended cleanly by them.
final class Interruption {
  private let signals: SignalDescriptor

  init() throws(Failure) {
    do throws(SystemError) { signals = try SignalDescriptor() } catch { throw .system(error) }
  }

  /// Becomes readable with the first signal, and stays so.
  var number: Int32 { signals.descriptor.number }

  /// The signal that came; nil for none. It is told once.
  func taken() throws(Failure) -> SignalDescriptor.Signal? {
    do throws(SystemError) { return try signals.next() } catch { throw .system(error) }
  }

  /// Itself, and whether somebody reads the output.
  func entries(output: Int32 = OutputFile.standardOutput().number) -> [Polling.Entry] {
    [Polling.Entry(number, .readable), Polling.Entry(output, [])]
  }
}
