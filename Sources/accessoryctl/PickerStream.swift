// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink
import VarlinkClient

/// Prints the open requests and every change of them as lines of JSON, until a signal comes or the reader goes.
struct PickerStream: ~Copyable {
  private let path: String
  private let capabilities: [PairingCapabilityName]
  private let interruption: Interruption
  private var printer = Printer()

  init(path: String, isAnswered: Bool) throws(ToolError) {
    self.path = path
    capabilities = isAnswered ? PairingCapabilityName.allCases : []
    interruption = try Interruption()
  }

  mutating func run() throws(ToolError) {
    let (path, capabilities) = (path, capabilities)
    switch Result(catching: { () throws(AgentCallError) in
      try GatewayConnection.watchingRequests(path, capabilities)
    }) {
    case .success(var connection): try follow(&connection)
    case .failure(let error): throw error.toolError(at: path)
    }
  }

  private mutating func follow(_ connection: inout GatewayConnection) throws(ToolError) {
    var patience: MonotonicInstant? = try .patience(seconds: GatewayConnection.patienceSeconds)
    while true {
      if !connection.hasReply, try !printer.flush(interruption) { return }
      let reply: PickerReply
      do throws(AgentCallError) {
        switch try connection.nextArrival(until: patience, interruption) {
        case .reply(let received): reply = try PickerReply(received)
        case .deadline: throw .silent(seconds: GatewayConnection.patienceSeconds)
        case .interruption, .noReader: return
        }
      } catch {
        _ = try printer.flush(interruption)
        throw error.toolError(at: path)
      }
      patience = nil
      try printer.line(reply)
    }
  }
}

extension PickerReply {
  init(_ reply: ReceivedReply) throws(AgentCallError) {
    do throws(JSONMemberError) { try self.init(reading: JSONObjectReader(reply.parameters)) } catch {
      throw .line(error)
    }
  }
}

extension MonotonicInstant {
  /// The deadline for a reply that should come at once.
  static func patience(seconds: Int) throws(ToolError) -> MonotonicInstant {
    do throws(SystemError) { return try now().advanced(seconds: seconds) } catch { throw .clock(error) }
  }
}
