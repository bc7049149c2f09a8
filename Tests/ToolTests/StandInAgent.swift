// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Interfaces
import JSON
import LinuxSystem
import Synchronization
import ToolText
import Varlink

/// A stand-in for the agent that answers operators: its status, the open requests, and prepared messages for each
/// method.
///
/// Every connection has a thread of its own, and may make many calls. The socket is removed with this object.
final class StandInAgent: Sendable {
  private struct State {
    var calls: [(method: String, parameters: JSONObject)] = []
    /// The connections with a call whose replies continue.
    var streams: [(method: String, connection: Connection)] = []
    var answers: [String: [[UInt8]]]
    var waiting: [PickerReply]
  }

  private final class Connection: Sendable {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
  }

  let path: String
  private let folder: TemporaryFolder
  private let state: Mutex<State>
  private let end: Waker

  /// `waiting` are the open requests when a watch begins, `answers` the messages that reply to each method. Of several
  /// for `Status`, each call takes one, and the last one stays.
  init(_ waiting: [PickerReply] = [], _ answers: [String: [[UInt8]]] = [:]) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/io.accessoryd"
    state = Mutex(State(answers: answers, waiting: waiting + [.synced]))
    end = try Waker()
    let owned = Mutex<UnixListener?>(try UnixListener(path: path, mode: 0o666))
    let thread = Thread { [self] in
      guard let listener = owned.withLock({ $0.take() }) else { return }
      try? serve(listener)
    }
    thread.start()
  }

  /// Closes every connection, as when the agent is killed.
  func stop() { end.wake() }

  /// Sends a change to the watches, the later ones included.
  func sendChange(_ replies: PickerReply...) throws {
    _ = try call("Watch")
    let connections = state.withLock { state in
      state.waiting += replies
      return state.streams.filter { $0.method == "Watch" }.map(\.connection)
    }
    for connection in connections { for reply in replies { try send(Self.message(reply), connection) } }
  }

  /// Sends messages to the connections that called a method with many replies.
  func answer(_ method: String, _ messages: [UInt8]...) throws {
    _ = try call(method)
    let connections = state.withLock { state in
      state.streams.filter { $0.method == method }.map(\.connection)
    }
    for connection in connections { for message in messages { try send(message, connection) } }
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

  // MARK: Threads

  private func serve(_ listener: borrowing UnixListener) throws {
    while try wait(listener.descriptor, .readable) {
      guard case .connection(let descriptor, _) = try listener.accept() else { continue }
      let connection = Connection(descriptor)
      let thread = Thread { [self] in try? serve(connection) }
      thread.start()
    }
  }

  private func serve(_ connection: Connection) throws {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var bytes: [UInt8] = []
    while try wait(connection.descriptor, .readable) {
      let count = try connection.descriptor.read(into: &buffer) ?? 0
      guard count > 0 else { break }
      bytes += buffer[..<count]
      while let length = bytes.firstIndex(of: 0) {
        let message = Array(bytes[..<length])
        bytes.removeFirst(length + 1)
        guard case .object(let call) = try JSONReader.read(message.span) else { continue }
        try answerCall(call, connection)
      }
    }
    state.withLock { state in state.streams.removeAll { $0.connection === connection } }
  }

  private func answerCall(_ call: JSONObject, _ connection: Connection) throws {
    guard case .string(let name)? = call["method"], let method = name.split(separator: ".").last else {
      return
    }
    var parameters = JSONObject()
    if case .object(let object)? = call["parameters"] { parameters = object }
    if method == "Status", state.withLock({ $0.answers["Status"] }) == nil {
      guard case .send(let status) = Replies.status() else { return }
      return try send(status, connection)
    }
    let messages = state.withLock { state in
      let answers = method == "Watch" ? state.waiting.map(Self.message) : state.answers[String(method)] ?? []
      guard method == "Status", answers.count > 1 else { return answers }
      state.answers["Status"]?.removeFirst()
      return [answers[0]]
    }
    // The call was made even if the tool has ended meanwhile and takes no reply.
    defer {
      state.withLock { state in
        if call["more"] == .bool(true) { state.streams.append((String(method), connection)) }
        state.calls.append((String(method), parameters))
      }
    }
    for message in messages { try send(message, connection) }
  }

  private func send(_ bytes: [UInt8], _ connection: Connection) throws {
    var rest = bytes[...]
    while !rest.isEmpty, try wait(connection.descriptor, .writable) {
      rest = rest.dropFirst(try connection.descriptor.write(rest) ?? 0)
    }
  }

  /// False once this stand-in has ended.
  private func wait(_ descriptor: borrowing Descriptor, _ wanted: Readiness) throws -> Bool {
    let entries = [
      Polling.Entry(descriptor.number, wanted), Polling.Entry(end.descriptor.number, .readable),
    ]
    return try Polling.wait(entries, until: nil)[1].isEmpty
  }
}
