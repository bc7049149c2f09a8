// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxSystem
import SessionSupport
import Synchronization
import Varlink

/// An agent with a script of replies for each connection.
///
/// The script expects the connections in order. The socket is removed after the last.
final class ScriptedAgent: Sendable {
  enum Step: Sendable {
    /// Sends bytes as they are.
    case send([UInt8])
    /// Reads another call on the same connection.
    case readCall
    /// Waits until the client leaves.
    case waitForEnd
    /// Removes the socket and creates it again, so that no client can connect for a moment, as during a restart.
    case restart
  }

  private struct State {
    /// The steps of the connections that have not come yet.
    var connections: [[Step]]
    /// What is left to do on those that came.
    var steps: [ObjectIdentifier: [Step]] = [:]
    var calls: [Call] = []

    /// Returns the next step, which stays when it is the last of its connection.
    mutating func nextStep(_ connection: ObjectIdentifier) -> Step? {
      guard let step = steps[connection]?.first else { return nil }
      if case .waitForEnd = step { return step }
      return steps[connection]?.removeFirst()
    }

    var isOver: Bool { connections.isEmpty && steps.values.allSatisfy(\.isEmpty) }

    /// Whether every call has come that the script expects.
    var hasEveryCall: Bool {
      connections.isEmpty
        && steps.values.allSatisfy { steps in
          if case .waitForEnd? = steps.first { true } else { steps.isEmpty }
        }
    }
  }

  let path: String
  private let folder: TemporaryFolder
  private let state: Mutex<State>
  private let agent = Mutex<SocketAgent?>(nil)

  /// Each connection's steps, after its first call was read; then it is closed. A connection without steps is closed at
  /// once, its call unread.
  init(_ connections: [[Step]]) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/io.accessoryd"
    state = Mutex(State(connections: connections))
    let agent = SocketAgent(path: path, accepts: { self.accepts($0) }) { self.performSteps(of: $1, $0) }
    self.agent.withLock { $0 = agent }
  }

  /// The calls that came, once the script has all of them.
  var calls: [Call] {
    get throws {
      let deadline = try MonotonicInstant.now().advanced(seconds: 30)
      while !state.withLock({ $0.hasEveryCall }), try MonotonicInstant.now() < deadline { sched_yield() }
      return state.withLock { $0.calls }
    }
  }

  private func accepts(_ connection: SocketAgent.Connection) -> Bool {
    state.withLock { state in
      guard !state.connections.isEmpty else { return false }
      let steps = state.connections.removeFirst()
      state.steps[ObjectIdentifier(connection)] = steps
      return !steps.isEmpty
    }
  }

  /// Does the steps of a connection that has sent a call.
  private func performSteps(of connection: SocketAgent.Connection, _ call: Call) {
    state.withLock { $0.calls.append(call) }
    while let step = state.withLock({ $0.nextStep(ObjectIdentifier(connection)) }) {
      switch step {
      case .send(let bytes): connection.send(bytes: bytes)
      case .readCall, .waitForEnd: return
      case .restart: agent.withLock { $0 }?.restart()
      }
    }
    if state.withLock({ $0.isOver }) { agent.withLock { $0.take() }?.stop() }
    connection.close()
  }
}
