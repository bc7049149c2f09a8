// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// A watch that goes on when the agent does not: it connects again and takes up where it was, by epoch and sequence.
struct LiveWatch: ~Copyable {
  /// Between attempts to reach an agent that went away; the last one for as long as it takes.
  private static let backOffMilliseconds: [Int64] = [100, 200, 500, 1000, 2000, 5000]

  /// What a connection came to.
  private enum Outcome {
    case ended
    case lost(GatewayProblem)
  }

  private let path: String
  private let interruption: Interruption
  private let deadline: MonotonicInstant?
  private var printer: WatchPrinter
  /// Which run of the agent was heard, and the event that comes next in it; nil before the first word.
  private var cursor: WatchCursor?
  private var failedAttempts = 0

  init(path: String, lasting: Instant?, _ printer: consuming WatchPrinter) throws(Failure) {
    let now = try Self.now()
    interruption = try Interruption()
    deadline = lasting.map { now.advanced(nanoseconds: $0.microseconds * 1000) }
    self.path = path
    self.printer = printer
  }

  /// Until a signal, the deadline, the last event asked for, or the last reader.
  mutating func run() throws(Failure) {
    while case .lost(let problem) = try connect() {
      // An agent that was never there is not waited for.
      guard cursor != nil, problem.isPassing else {
        try printer.end(interruption)
        throw problem.failure(at: path)
      }
      try printer.agentWentAway()
      guard try pause() else { break }
    }
    try printer.end(interruption)
  }

  /// One connection, for as long as it lasts.
  private mutating func connect() throws(Failure) -> Outcome {
    let patience = try Self.now().advanced(seconds: GatewayConnection.patienceSeconds)
    let (path, cursor) = (path, cursor)
    switch Result(catching: { () throws(GatewayProblem) in try Self.connection(path, from: cursor) }) {
    case .success(var connection): return try follow(&connection, patience: patience)
    case .failure(let problem): return .lost(problem)
    }
  }

  private static func connection(
    _ path: String, from cursor: WatchCursor?
  ) throws(GatewayProblem) -> GatewayConnection {
    var connection = try GatewayConnection(path: path)
    try connection.begin(GatewayMethodName.watch) { json in
      guard let cursor else { return }
      json.member("epoch", cursor.epoch)
      json.member("sequence", cursor.sequence)
    }
    return connection
  }

  /// Shows what comes; the first word must come before `patience` ends.
  private mutating func follow(
    _ connection: inout GatewayConnection, patience: MonotonicInstant
  ) throws(Failure) -> Outcome {
    var isGreeted = false
    while true {
      let limit = isGreeted ? deadline : min(deadline ?? patience, patience)
      if !connection.hasReply, try !printer.flush(interruption) { return .ended }
      let reply: WatchReply
      do throws(GatewayProblem) {
        switch try connection.next(until: limit, interruption) {
        case .reply(let received): reply = try WatchReply(received)
        case .deadline where !isGreeted && limit != deadline:
          throw .silent(seconds: GatewayConnection.patienceSeconds)
        case .deadline, .interruption, .noReader: return .ended
        }
      } catch {
        return .lost(error)
      }
      isGreeted = true
      guard try take(reply) else { return .ended }
    }
  }

  /// Answers whether more is wanted.
  private mutating func take(_ reply: WatchReply) throws(Failure) -> Bool {
    switch reply {
    case .greeting(let epoch, let sequence, let time, _):
      failedAttempts = 0
      let next = WatchCursor(epoch: epoch, sequence: sequence)
      try printer.greet(AgentClock(saying: time), next, before: cursor)
      cursor = next
      return true
    case .present(let device): try printer.present(device)
    case .missed(let count):
      cursor?.sequence &+= count
      try printer.missed(count)
    case .event(let event):
      let sequence = Int64(clamping: event.sequence)
      // The agent says what it left out; if it ever did not, the gap shows in the numbers.
      if let expected = cursor?.sequence, sequence > expected { try printer.missed(sequence - expected) }
      cursor?.sequence = sequence &+ 1
      try printer.event(event)
    }
    return printer.wantsMore
  }

  /// Waits before the next attempt; answers whether there is to be one.
  private mutating func pause() throws(Failure) -> Bool {
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

  private static func now() throws(Failure) -> MonotonicInstant {
    do throws(SystemError) { return try .now() } catch { throw .clock(error) }
  }
}

/// A place among the events of one run of the agent.
struct WatchCursor: Equatable {
  var epoch: String
  /// Of the event that comes next.
  var sequence: Int64
}

extension WatchReply {
  fileprivate init(_ reply: ReceivedReply) throws(GatewayProblem) {
    do throws(JSONMemberError) { try self.init(reading: JSONObjectReader(reply.parameters)) } catch {
      throw .line(error)
    }
  }
}
