// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// What waits for operators, and every change of it, as lines of JSON until a signal or the last reader ends it.
struct PickerStream: ~Copyable {
  private let path: String
  private let interruption: Interruption
  private var printer = Printer()

  init(path: String) throws(Failure) {
    self.path = path
    interruption = try Interruption()
  }

  mutating func run() throws(Failure) {
    let path = path
    switch Result(catching: { () throws(GatewayProblem) in try Self.watch(path) }) {
    case .success(var connection): try follow(&connection)
    case .failure(let problem): throw problem.failure(at: path)
    }
  }

  private static func watch(_ path: String) throws(GatewayProblem) -> GatewayConnection {
    var connection = try GatewayConnection(path: path)
    try connection.begin(OperatorMethodName.watch)
    return connection
  }

  private mutating func follow(_ connection: inout GatewayConnection) throws(Failure) {
    var patience: MonotonicInstant? = try .patience(seconds: GatewayConnection.patienceSeconds)
    while true {
      if !connection.hasReply, try !printer.flush(interruption) { return }
      let reply: PickerReply
      do throws(GatewayProblem) {
        switch try connection.next(until: patience, interruption) {
        case .reply(let received): reply = try PickerReply(received)
        case .deadline: throw .silent(seconds: GatewayConnection.patienceSeconds)
        case .interruption, .noReader: return
        }
      } catch {
        _ = try printer.flush(interruption)
        throw error.failure(at: path)
      }
      patience = nil
      try printer.line(reply)
    }
  }
}

extension PickerReply {
  init(_ reply: ReceivedReply) throws(GatewayProblem) {
    do throws(JSONMemberError) { try self.init(reading: JSONObjectReader(reply.parameters)) } catch {
      throw .line(error)
    }
  }
}

extension MonotonicInstant {
  /// When somebody who answers at once should have answered.
  static func patience(seconds: Int) throws(Failure) -> MonotonicInstant {
    do throws(SystemError) { return try now().advanced(seconds: seconds) } catch { throw .clock(error) }
  }
}
