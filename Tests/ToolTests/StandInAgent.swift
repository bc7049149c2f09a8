// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Interfaces
import JSON
import LinuxSystem
import SessionSupport
import Synchronization
import Varlink

/// A stand-in for the agent that answers operators: its status, the open requests, and prepared messages for each
/// method.
final class StandInAgent: Sendable {
  private struct State {
    var calls: [Call] = []
    /// The connections with a call whose replies continue.
    var streams: [(method: String, connection: SocketAgent.Connection)] = []
    var answers: [String: [[UInt8]]]
    var waiting: [PickerReply]
  }

  let path: String
  private let folder: TemporaryFolder
  private let state: Mutex<State>
  private let agent = Mutex<SocketAgent?>(nil)

  /// `waiting` are the open requests when a watch begins, `answers` the messages that reply to each method. Of several
  /// for `Status`, each call takes one, and the last one stays.
  init(_ waiting: [PickerReply] = [], _ answers: [String: [[UInt8]]] = [:]) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/io.accessoryd"
    state = Mutex(State(answers: answers, waiting: waiting + [.synced]))
    let agent = SocketAgent(path: path) { self.reply(to: $0, $1) }
    self.agent.withLock { $0 = agent }
  }

  /// Closes every connection, as when the agent is killed.
  func stop() { agent.withLock { $0 }?.stop() }

  /// Sends a change to the watches, the later ones included.
  func sendChange(_ replies: PickerReply...) throws {
    try send(replies.map(Self.message), onStreamsOf: "Watch") { $0.waiting += replies }
  }

  /// Sends messages to the connections that called a method with many replies.
  func answer(_ method: String, _ messages: [UInt8]...) throws {
    try send(messages, onStreamsOf: method)
  }

  private func send(
    _ messages: [[UInt8]], onStreamsOf method: String, _ change: (inout State) -> Void = { _ in }
  ) throws {
    _ = try call(method)
    let streams = state.withLock { state in
      change(&state)
      return state.streams.filter { $0.method == method }
    }
    for stream in streams { for message in messages { stream.connection.send(bytes: message) } }
  }

  /// Waits for the first call of a method, and returns its parameters.
  func call(_ method: String) throws -> JSONObject {
    let deadline = try MonotonicInstant.now().advanced(seconds: 30)
    while try MonotonicInstant.now() < deadline {
      let call = state.withLock { state in state.calls.first { $0.method == method } }
      if let call { return call.parameters }
      sched_yield()
    }
    throw CancellationError()
  }

  static func message(_ reply: PickerReply) -> [UInt8] {
    Message.reply(continues: true) { reply.writeMembers(to: &$0) }
  }

  private func reply(to call: Call, _ connection: SocketAgent.Connection) {
    let messages = state.withLock { state in
      guard call.method != "Watch" else { return state.waiting.map(Self.message) }
      guard let answers = state.answers[call.method] else {
        guard call.method == "Status", case .send(let status) = Replies.status() else { return [] }
        return [status]
      }
      guard call.method == "Status", answers.count > 1 else { return answers }
      state.answers["Status"]?.removeFirst()
      return [answers[0]]
    }
    for message in messages { connection.send(bytes: message) }
    state.withLock { state in
      if call.wantsMore { state.streams.append((call.method, connection)) }
      state.calls.append(call)
    }
  }
}
