// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Interfaces
import JSON
import LinuxSystem
import PickerScreen
import ToolText
import Varlink

/// An action that is being sent to the agent, on a connection of its own, because a connection carries one call at a
/// time.
final class PendingAction {
  /// How many may be pending at a time.
  static let countMax = 8
  let action: PickerAction
  private let patienceSeconds: Int
  private let deadline: MonotonicInstant
  private var connection: GatewayConnection

  init(_ action: PickerAction, path: String) throws(AgentCallError) {
    self.action = action
    var connection = try GatewayConnection(path: path)
    let method: OperatorMethodName
    switch action {
    case .choose(let request, let candidate, let name, let ssid, let replaces):
      method = .choose
      try connection.startCall(method) { json in
        json.member("request", request)
        json.member("candidate", candidate)
        if let name { json.member("name", name) }
        if let ssid { json.member("ssid", ssid) }
        if let replaces { json.member("replaces", replaces) }
      }
    case .name(let request, let name):
      method = .name
      try connection.startCall(method) { json in
        json.member("request", request)
        json.member("name", name)
      }
    case .answer(let request, let decision):
      method = .answerPairing
      try connection.startCall(method) { json in
        json.member("request", request)
        json.member(decision)
      }
    case .deny(let request): method = try Self.start(.deny, request, &connection)
    case .cancel(let request): method = try Self.start(.cancel, request, &connection)
    case .agree(let request): method = try Self.start(.agree, request, &connection)
    case .quit: preconditionFailure("quitting is no call of the agent")
    }
    self.connection = connection
    patienceSeconds = method.patienceSeconds
    do throws(SystemError) { deadline = try .now().advanced(seconds: patienceSeconds) } catch {
      throw .system(error)
    }
  }

  private static func start(
    _ method: OperatorMethodName, _ request: String, _ connection: inout GatewayConnection
  ) throws(AgentCallError) -> OperatorMethodName {
    try connection.startCall(method) { $0.member("request", request) }
    return method
  }

  var entry: Polling.Entry { connection.entry }

  /// Sends and receives what the connection is ready for. Returns the agent's reply, if it has come.
  func advance(_ readiness: Readiness, at now: MonotonicInstant) throws(AgentCallError) -> PickerAnswer? {
    if !readiness.isEmpty { try connection.exchange(readiness) }
    guard let reply = try connection.receivedReply() else {
      guard now < deadline else { throw .silent(seconds: patienceSeconds) }
      return nil
    }
    guard case .choose = action else { return .done }
    do throws(JSONMemberError) {
      return .chosen(try SetupReply(reply.parameters))
    } catch {
      throw .line(error)
    }
  }
}
