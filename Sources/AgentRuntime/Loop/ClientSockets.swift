// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

/// The agent's socket, the apps' own sockets, and the clients connected to them: accepted, read from, written to, closed.
///
/// Capacity: as many clients as the agent admits; a connection beyond that is closed at once.
struct ClientSockets: ~Copyable {
  /// The most connections accepted in one turn; remaining connections are accepted in the next turn.
  private static let acceptsPerTurn = 16
  /// How long the listener pauses after no descriptor was free for a connection. A client that leaves ends the pause.
  private static let pauseMilliseconds: Int64 = 1000

  private final class Client {
    var socket: WatchedDescriptor
    /// Whether the client will send nothing more.
    var hasEnded = false

    init(_ socket: WatchedDescriptor) { self.socket = socket }

    var descriptor: SharedDescriptor { socket.shared }
  }

  let socket: ServiceSocket
  private let listenerToken: UInt64
  private var apps: AppSockets
  private var clients: [ClientID: Client] = [:]
  /// The processes of clients that have left sessions which nothing has taken up again; readable when they have ended.
  private var processes: [ClientID: WatchedDescriptor] = [:]
  /// The end of the pause in accepting, after no descriptor was free.
  private(set) var pauseEnd: Instant?
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  init(_ socket: consuming ServiceSocket, _ loop: inout LoopContext) throws(SystemError) {
    listenerToken = loop.insert(.listener(app: nil))
    apps = AppSockets(besideSocket: socket.path)
    try loop.epoll.add(socket.listener.descriptor, .readable, token: listenerToken)
    self.socket = socket
  }

  /// Opens and removes apps' own sockets as a manifest says. Returns a sentence for each socket that cannot be there.
  mutating func follow(_ wanted: [AppSockets.Wanted], _ loop: inout LoopContext) -> [String] {
    apps.follow(wanted, isWatching: pauseEnd == nil, &loop)
  }

  /// Removes the sockets' names, so that no client finds the agent any more.
  func withdraw() {
    apps.withdraw()
    socket.withdraw()
  }

  // MARK: - Accepting

  /// Accepts the connections that wait at the socket of an app, or at the agent's own.
  mutating func acceptClients(ofApp app: String?, _ loop: inout LoopContext) {
    for _ in 0..<Self.acceptsPerTurn {
      do throws(SystemError) {
        switch try accept(ofApp: app) {
        case .connection(let descriptor, let peer): admit(descriptor, peer, atSocketOf: app, &loop)
        case .noConnection: return
        case .exhausted(let error):
          loop.counters.exhaustions &+= 1
          loop.say(
            .warning, "a client has to wait, because the agent cannot open its connection: \(error.reason)",
            limitedAs: .exhaustions)
          return pauseListening(&loop)
        }
      } catch {
        loop.log.say(.warning, "no connection can be accepted for a while: \(error.sentence)")
        return pauseListening(&loop)
      }
    }
  }

  private func accept(ofApp app: String?) throws(SystemError) -> UnixListener.Acceptance {
    guard let app else { return try socket.listener.accept() }
    return try apps.listening(forApp: app)?.listener.accept() ?? .noConnection
  }

  /// A refused connection is closed without a reply, because its descriptor ends here. One that is turned away stays
  /// until its first call.
  private mutating func admit(
    _ descriptor: consuming Descriptor, _ credentials: PeerCredentials, atSocketOf app: String?,
    _ loop: inout LoopContext
  ) {
    let peer = Peer(
      process: credentials.process, uid: credentials.uid,
      groups: Set(credentials.groups + [credentials.gid]), atSocketOf: app)
    let id: ClientID
    switch loop.agent.admit(peer, at: loop.now) {
    case .admitted(let admitted), .turnedAway(let admitted, _): id = admitted
    case .refused: return
    }
    guard let socket = try? WatchedDescriptor(SharedDescriptor(descriptor), as: .client(id), &loop) else {
      return loop.agent.drop(id)
    }
    clients[id] = Client(socket)
  }

  private mutating func pauseListening(_ loop: inout LoopContext) {
    guard pauseEnd == nil else { return }
    pauseEnd = loop.now.advanced(milliseconds: Self.pauseMilliseconds)
    try? loop.epoll.remove(socket.listener.descriptor)
    for app in apps.sockets { try? loop.epoll.remove(app.listener.descriptor) }
    loop.counters.watchCalls &+= 1
  }

  /// Accepts connections again when the pause is over.
  mutating func resumeListeningIfDue(_ loop: inout LoopContext) {
    if let end = pauseEnd, end <= loop.now { resumeListening(&loop) }
  }

  private mutating func resumeListening(_ loop: inout LoopContext) {
    guard pauseEnd != nil else { return }
    do throws(SystemError) {
      try loop.epoll.add(socket.listener.descriptor, .readable, token: listenerToken)
      for app in apps.sockets { try loop.epoll.add(app.listener.descriptor, .readable, token: app.token) }
      loop.counters.watchCalls &+= 1
      pauseEnd = nil
    } catch {
      // The kernel has no memory for it now.
      try? loop.epoll.remove(socket.listener.descriptor)
      for app in apps.sockets { try? loop.epoll.remove(app.listener.descriptor) }
      pauseEnd = loop.now.advanced(milliseconds: Self.pauseMilliseconds)
    }
  }

  // MARK: - Reading

  mutating func receiveBytes(from id: ClientID, _ readiness: Readiness, _ loop: inout LoopContext) {
    guard let client = clients[id], !readiness.isDisjoint(with: [.readable, .hungUp]) else { return }
    let hasHungUp = !readiness.isDisjoint(with: .hungUp)
    let byteCountMax = client.hasEnded ? 0 : min(loop.agent.receivableByteCount(id), buffer.count)
    guard byteCountMax > 0 else {
      if hasHungUp { drop(id, &loop) }
      return
    }
    loop.counters.clientCalls &+= 1
    do throws(SystemError) {
      let count = try client.descriptor.descriptor.read(into: &buffer, 0..<byteCountMax)
      switch count {
      case nil: break
      case 0? where hasHungUp: drop(id, &loop)
      case 0?:
        client.hasEnded = true
        loop.agent.endInput(id)
      case let count?:
        let bytes = buffer
        loop.agent.receive(bytes.span.extracting(0..<count), from: id)
      }
    } catch {
      drop(id, &loop)
    }
  }

  // MARK: - Writing

  /// Sends every client its replies, once each, and updates the readiness that its descriptor is watched for.
  mutating func serve(_ sockets: inout PassedSockets, _ loop: inout LoopContext) {
    guard !clients.isEmpty else { return }
    for id in clients.keys where flush(id, &sockets, &loop) { updateReadiness(id, &loop) }
  }

  /// Sends every client its replies a last time.
  mutating func flushAll(_ sockets: inout PassedSockets, _ loop: inout LoopContext) {
    for id in clients.keys { _ = flush(id, &sockets, &loop) }
  }

  /// Returns whether the client is still connected.
  private mutating func flush(
    _ id: ClientID, _ sockets: inout PassedSockets, _ loop: inout LoopContext
  ) -> Bool {
    guard let client = clients[id] else { return false }
    guard loop.agent.sendableByteCount(id) > 0 else { return true }
    loop.counters.clientCalls &+= 1
    do throws(SystemError) {
      let passed = loop.agent.socketToPass(to: id)
      try loop.agent.drain(id) { bytes throws(SystemError) in
        try sockets.send(bytes, with: passed, over: client.descriptor.descriptor) ?? 0
      }
      // The client has the socket now, and it alone.
      if let passed, loop.agent.socketToPass(to: id) == nil { sockets.forget(passed, &loop) }
    } catch {
      drop(id, &loop)
      return false
    }
    return true
  }

  private mutating func updateReadiness(_ id: ClientID, _ loop: inout LoopContext) {
    guard let client = clients[id] else { return }
    var wanted: Readiness = []
    if !client.hasEnded, loop.agent.receivableByteCount(id) > 0 { wanted.insert(.readable) }
    if loop.agent.sendableByteCount(id) > 0 { wanted.insert(.writable) }
    do throws(SystemError) { try client.socket.watch(for: wanted, &loop) } catch { drop(id, &loop) }
  }

  // MARK: - Closing

  /// Ends a client whose socket has failed or was hung up.
  private mutating func drop(_ id: ClientID, _ loop: inout LoopContext) {
    loop.agent.drop(id)
    close(id, &loop)
  }

  mutating func close(_ id: ClientID, _ loop: inout LoopContext) {
    guard let client = clients.removeValue(forKey: id) else { return }
    loop.registry.remove(client.socket.token)
    if loop.agent.hasLeftSession(id) { followProcess(of: client, id, &loop) }
    resumeListening(&loop)
  }

  // MARK: - Processes of clients that have left

  private mutating func followProcess(of client: Client, _ id: ClientID, _ loop: inout LoopContext) {
    switch PeerProcess(of: client.descriptor.descriptor) {
    case .running(let process):
      processes[id] = try? WatchedDescriptor(SharedDescriptor(process), as: .process(id), &loop)
    case .ended: loop.agent.processEnded(of: id, at: loop.now)
    case .unknown: break
    }
  }

  /// Ends what a client has left, because nothing can take it up again.
  mutating func receiveEnd(ofProcessOf id: ClientID, _ loop: inout LoopContext) {
    guard let entry = processes.removeValue(forKey: id) else { return }
    loop.registry.remove(entry.token)
    loop.agent.processEnded(of: id, at: loop.now)
  }

  /// Forgets the processes whose sessions were taken up again, or are over.
  mutating func forgetProcesses(_ loop: inout LoopContext) {
    guard !processes.isEmpty else { return }
    for (id, entry) in processes where !loop.agent.hasLeftSession(id) {
      loop.registry.remove(entry.token)
      processes[id] = nil
    }
  }
}
