// SPDX-License-Identifier: GPL-3.0-or-later

import CoreBluetooth
import Dispatch
import Foundation
import GATTSupport
import Glibc

/// A gateway in miniature: accessories, a radio, and a ``DiceServer`` at the other end of each connection.
final class SourceModel: PeripheralSource, @unchecked Sendable {
  /// What the next attempt to connect leads to; `.accept` when the list is empty.
  enum Answer: Sendable {
    case accept
    case refuse(CBError.Code, isTemporary: Bool)
    /// Nothing, until the attempt is cancelled.
    case wait
  }

  // Mutex is invisible to ThreadSanitizer on Linux.
  private let lock = NSLock()
  private var state = State()
  private struct State {
    var queue: DispatchQueue?
    var receive: @Sendable (SourceEvent) -> Void = { _ in }
    var answers: [Answer] = []
    var attempts = 0
    var cancelled = 0
    var scanMode = ScanMode.off
    var isStopped = false
    var peers: [ServerPeer] = []
  }

  /// Changes the server of each new connection before it starts.
  let prepare: @Sendable (inout DiceServer) -> Void

  init(prepare: @escaping @Sendable (inout DiceServer) -> Void = { _ in }) { self.prepare = prepare }

  private func locked<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }

  // MARK: What tests do

  var attempts: Int { locked { $0.attempts } }
  var cancelled: Int { locked { $0.cancelled } }
  var scanMode: ScanMode { locked { $0.scanMode } }
  var isWaitingForStart: Bool { locked { $0.queue == nil } }
  var isStopped: Bool { locked { $0.isStopped } }
  /// The servers, one for each connection.
  var peers: [ServerPeer] { locked { $0.peers } }

  func answer(_ answers: Answer...) { locked { $0.answers = answers } }

  func send(_ event: SourceEvent) {
    let (queue, receive) = locked { ($0.queue, $0.receive) }
    queue?.async { receive(event) }
  }

  // MARK: PeripheralSource

  func start(on queue: DispatchQueue, receive: @escaping @Sendable (SourceEvent) -> Void) {
    locked {
      $0.queue = queue
      $0.receive = receive
    }
  }

  func connect(
    to identifier: UUID, completion: @escaping @Sendable (Result<Int32, ConnectionRefusedError>) -> Void
  ) -> any PendingConnection {
    let (queue, answer) = locked { state in
      state.attempts += 1
      return (state.queue, state.answers.isEmpty ? Answer.accept : state.answers.removeFirst())
    }
    switch answer {
    case .wait: break
    case .refuse(let code, let isTemporary):
      queue?.async {
        completion(
          .failure(ConnectionRefusedError(CBError(code, "refused", cure: "wait"), isTemporary: isTemporary)))
      }
    case .accept:
      var server = DiceServer()
      prepare(&server)
      let (peer, descriptor) = ServerPeer.pair(server)
      locked { $0.peers.append(peer) }
      queue?.async { completion(.success(descriptor)) }
    }
    return Attempt(source: self)
  }

  func readRSSI(of identifier: UUID, completion: @escaping @Sendable (Result<Int, CBError>) -> Void) {
    locked { $0.queue }?.async { completion(.success(-61)) }
  }

  func setScanning(_ mode: ScanMode) { locked { $0.scanMode = mode } }

  func stop() { locked { $0.isStopped = true } }

  private struct Attempt: PendingConnection {
    let source: SourceModel
    func cancel() { source.locked { $0.cancelled += 1 } }
  }
}
