// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink
import VarlinkClient

/// A watch that outlives the agent: it connects again and resumes from `epoch` and `sequence`.
struct LiveWatch: ~Copyable {
  /// The pauses between attempts to reach an agent that went away; the last one repeats.
  private static let backOffMilliseconds: [Int64] = [100, 200, 500, 1000, 2000, 5000]
  /// A watch that has printed nothing for this long says what it waits for.
  private static let quietSeconds = 3

  /// How a connection ended.
  private enum Outcome {
    case ended
    case lost(AgentCallError)
  }

  private let path: String
  private let interruption: Interruption
  private let deadline: MonotonicInstant?
  private var printer: WatchPrinter
  /// The run of the agent and the next event in it; nil before the first reply.
  private var cursor: WatchCursor?
  private var failedAttempts = 0
  /// When to say what the watch waits for, while there is nothing to print; nil once that was said.
  private var quietDeadline: MonotonicInstant?

  init(path: String, lasting: Instant?, _ printer: consuming WatchPrinter) throws(ToolError) {
    let now = try Self.now()
    interruption = try Interruption()
    deadline = lasting.map { now.advanced(nanoseconds: $0.microseconds * 1000) }
    self.path = path
    self.printer = printer
    quietDeadline = now.advanced(seconds: Self.quietSeconds)
  }

  /// Runs until a signal, the deadline, the last requested event, or the end of the reader.
  mutating func run() throws(ToolError) {
    while case .lost(let error) = try connect() {
      // The watch does not wait for an agent that was never there.
      guard cursor != nil, error.isPassing else {
        try printer.end(interruption)
        throw error.toolError(at: path)
      }
      try printer.agentWentAway()
      guard try pause() else { break }
    }
    try printer.end(interruption)
    guard let deadline, printer.isEmpty, try Self.now() >= deadline else { return }
    throw .sentence("nothing was found; accessoryctl sightings --all lists what is heard", .no)
  }

  /// Follows one connection to its end.
  private mutating func connect() throws(ToolError) -> Outcome {
    let patience = try Self.now().advanced(seconds: GatewayConnection.patienceSeconds)
    let (path, cursor) = (path, cursor)
    switch Result(catching: { () throws(AgentCallError) in try Self.connection(path, from: cursor) }) {
    case .success(var connection): return try follow(&connection, patience: patience)
    case .failure(let error): return .lost(error)
    }
  }

  private static func connection(
    _ path: String, from cursor: WatchCursor?
  ) throws(AgentCallError) -> GatewayConnection {
    var connection = try GatewayConnection(path: path)
    try connection.startCall(GatewayMethodName.watch) { json in
      guard let cursor else { return }
      json.member("epoch", cursor.epoch)
      json.member("sequence", cursor.sequence)
    }
    return connection
  }

  /// Shows each reply; the first one must come before `patience`.
  private mutating func follow(
    _ connection: inout GatewayConnection, patience: MonotonicInstant
  ) throws(ToolError) -> Outcome {
    var isGreeted = false
    while true {
      let quietDeadline = isGreeted && printer.isQuiet ? quietDeadline : nil
      let end = isGreeted ? deadline : min(deadline ?? patience, patience)
      let limit = [end, quietDeadline].compactMap(\.self).min()
      if !connection.hasReply, try !printer.flush(interruption) { return .ended }
      let reply: WatchReply
      do throws(AgentCallError) {
        switch try connection.nextArrival(until: limit, interruption) {
        case .reply(let received): reply = try WatchReply(received)
        case .deadline where limit == quietDeadline && limit != deadline:
          printer.sayWhatItWaitsFor()
          self.quietDeadline = nil
          continue
        case .deadline where !isGreeted && limit != deadline:
          throw .silent(seconds: GatewayConnection.patienceSeconds)
        case .deadline, .interruption, .noReader: return .ended
        }
      } catch {
        return .lost(error)
      }
      isGreeted = true
      guard try show(reply) else { return .ended }
    }
  }

  /// Returns whether more events are wanted.
  private mutating func show(_ reply: WatchReply) throws(ToolError) -> Bool {
    if let epoch = reply.epoch, let sequence = reply.sequence, let time = reply.time {
      failedAttempts = 0
      let next = WatchCursor(epoch: epoch, sequence: Int64(clamping: sequence))
      if cursor == nil { try printer.printHeader() }
      try printer.noteGreeting(AgentClock(saying: time), next, before: cursor)
      cursor = next
      return true
    }
    if let device = reply.present { try printer.present(device) }
    if let connection = reply.connection { try printer.connection(connection) }
    if let change = reply.radioChanged { try printer.radioChanged(change) }
    if let count = reply.missedConnections { try printer.missedConnections(Int64(count)) }
    if let network = reply.presentNetwork { try printer.present(network) }
    if let event = reply.network { try printer.network(event) }
    if let count = reply.missedNetworks { try printer.missedNetworks(Int64(count)) }
    if let count = reply.missed {
      cursor?.sequence &+= Int64(count)
      try printer.missed(Int64(count))
    }
    if let event = reply.event {
      let sequence = Int64(clamping: event.sequence)
      cursor?.sequence &+= Int64(event.passed)
      // The agent reports the events that it left out; a gap in the numbers would show one that it did not report.
      if let expected = cursor?.sequence, sequence > expected { try printer.missed(sequence - expected) }
      cursor?.sequence = sequence &+ 1
      try printer.event(event)
    }
    return printer.wantsMore
  }

  /// Waits before the next attempt. Returns whether to make one.
  private mutating func pause() throws(ToolError) -> Bool {
    let pauses = Self.backOffMilliseconds
    let milliseconds = pauses[min(failedAttempts, pauses.count - 1)]
    failedAttempts += 1
    let end = try Self.now().advanced(nanoseconds: milliseconds * 1_000_000)
    guard try printer.flush(interruption) else { return false }
    do throws(SystemError) {
      let ready = try Polling.wait(interruption.entries(), until: min(deadline ?? end, end))
      guard ready.allSatisfy(\.isEmpty) else { return false }
      let now = try MonotonicInstant.now()
      return deadline.map { now < $0 } ?? true
    } catch {
      throw .system(error)
    }
  }

  private static func now() throws(ToolError) -> MonotonicInstant {
    do throws(SystemError) { return try .now() } catch { throw .clock(error) }
  }
}

/// A position among the events of one run of the agent.
struct WatchCursor: Equatable {
  var epoch: String
  /// The number of the next event.
  var sequence: Int64
}

extension WatchReply {
  fileprivate init(_ reply: ReceivedReply) throws(AgentCallError) {
    do throws(JSONMemberError) { try self.init(reading: JSONObjectReader(reply.parameters)) } catch {
      throw .line(error)
    }
  }
}
