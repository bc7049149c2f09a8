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
        completion(.failure(ConnectionRefusedError(CBError(code, "refused"), isTemporary: isTemporary)))
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

/// A ``DiceServer`` at one end of a pair of sockets, on a thread of its own.
final class ServerPeer: @unchecked Sendable {
  private struct State {
    var server: DiceServer
    /// Whether responses are lost.
    var isSilent = false
    var received: [[UInt8]] = []
  }

  private let lock = NSLock()
  private var state: State
  private let descriptor: Int32
  private let thread: DispatchQueue
  /// Taken for a moment after each packet: a test that takes it keeps the server from reading.
  let reading = DispatchSemaphore(value: 1)
  /// Signalled when the client has closed its socket.
  let hasEnded = DispatchSemaphore(value: 0)

  private init(_ server: DiceServer, _ descriptor: Int32) {
    state = State(server: server)
    self.descriptor = descriptor
    thread = DispatchQueue(label: "server")
  }

  deinit { close(descriptor) }

  private func locked<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }

  /// A server, and the descriptor of its client.
  static func pair(_ server: DiceServer) -> (ServerPeer, Int32) {
    var descriptors: [Int32] = [-1, -1]
    unsafe descriptors.withUnsafeMutableBufferPointer {
      precondition(
        unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, $0.baseAddress) == 0,
        "no pair of sockets")
    }
    let peer = ServerPeer(server, descriptors[0])
    peer.thread.async { peer.run() }
    return (peer, descriptors[1])
  }

  private func run() {
    var buffer = [UInt8](repeating: 0, count: 2_048)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard count > 0 else { break }
      reading.wait()
      reading.signal()
      let request = Array(buffer.prefix(count))
      let response = locked { state -> [UInt8]? in
        state.received.append(request)
        return state.isSilent ? nil : state.server.model.response(to: request)
      }
      if let response { send(response) }
    }
    hasEnded.signal()
  }

  /// Sends a packet as it is.
  func send(_ packet: [UInt8]) {
    _ = unsafe packet.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Notifies or indicates a value, if the client subscribed. Returns whether it did.
  @discardableResult
  func report(_ value: [UInt8], of handle: (DiceServer) -> UInt16) -> Bool {
    let packet = locked { $0.server.model.report(handle($0.server), value) }
    packet.map { send($0) }
    return packet != nil
  }

  var server: DiceServer { locked { $0.server } }
  var received: [[UInt8]] { locked { $0.received } }

  func setSilent() { locked { $0.isSilent = true } }
  func setEncrypted() { locked { $0.server.model.isEncrypted = true } }

  /// Ends the link.
  func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
