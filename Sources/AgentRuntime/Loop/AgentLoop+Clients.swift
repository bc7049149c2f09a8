// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem

// Programs at the socket: accepted, read, written to, let go.

extension AgentLoop {
  /// Who waits longer is accepted in the next turn.
  private static let acceptsPerTurn = 16
  /// How long nobody is accepted when no descriptor is free; one that is freed ends it.
  private static let restMilliseconds: Int64 = 1000

  // MARK: - Coming

  mutating func accept() {
    for _ in 0..<Self.acceptsPerTurn {
      do throws(SystemError) {
        switch try socket.listener.accept() {
        case .connection(let descriptor, let peer): admit(descriptor, peer)
        case .nobody: return
        case .exhausted:
          counters.exhaustions &+= 1
          return restListening()
        }
      } catch {
        log.say(.warning, "nobody can be accepted for a while: \(error.sentence)")
        return restListening()
      }
    }
  }

  /// Who is refused is closed at once, without a word: the descriptor ends here.
  private mutating func admit(_ descriptor: consuming Descriptor, _ credentials: PeerCredentials) {
    let peer = Peer(
      process: credentials.process, uid: credentials.user,
      groups: Set(credentials.groups + [credentials.group]))
    guard case .admitted(let id) = agent.admit(peer, at: now) else { return }
    guard let token = watches.insert(.client(id)) else { return agent.drop(id) }
    do throws(SystemError) {
      try epoll.add(descriptor, .readable, token: token)
      counters.watchCalls &+= 1
    } catch {
      watches.remove(token)
      return agent.drop(id)
    }
    clients[id] = ClientSocket(descriptor, token: token, watchedFor: .readable)
  }

  private mutating func restListening() {
    guard listenerRestEnd == nil else { return }
    listenerRestEnd = now.advanced(milliseconds: Self.restMilliseconds)
    try? epoll.remove(socket.listener.descriptor)
    counters.watchCalls &+= 1
  }

  mutating func resumeListening() {
    guard listenerRestEnd != nil else { return }
    do throws(SystemError) {
      try epoll.add(socket.listener.descriptor, .readable, token: listenerToken)
      counters.watchCalls &+= 1
      listenerRestEnd = nil
    } catch {
      // No memory for it: later.
      listenerRestEnd = now.advanced(milliseconds: Self.restMilliseconds)
    }
  }

  // MARK: - Reading

  mutating func receive(from id: ClientID, _ readiness: Readiness) {
    guard let client = clients[id], !readiness.isDisjoint(with: [.readable, .hungUp]) else { return }
    let hasHungUp = !readiness.isDisjoint(with: .hungUp)
    let room = client.hasEnded ? 0 : min(agent.receivableByteCount(id), buffer.count)
    guard room > 0 else {
      if hasHungUp { drop(id) }
      return
    }
    counters.clientCalls &+= 1
    do throws(SystemError) {
      let count = try client.descriptor.read(into: &buffer, 0..<room)
      switch count {
      case nil: break
      case 0? where hasHungUp: drop(id)
      case 0?:
        client.hasEnded = true
        agent.endInput(id)
      case let count?:
        let bytes = buffer
        agent.receive(bytes.span.extracting(0..<count), from: id)
      }
    } catch {
      drop(id)
    }
  }

  // MARK: - Writing

  /// Offers everything that waits, once each, and watches for what is needed next.
  mutating func serveClients() {
    for id in clients.keys where flush(id) { watch(id) }
  }

  /// Whether the client is still there.
  mutating func flush(_ id: ClientID) -> Bool {
    guard let client = clients[id] else { return false }
    guard agent.sendableByteCount(id) > 0 else { return true }
    counters.clientCalls &+= 1
    do throws(SystemError) {
      try agent.drain(id) { bytes throws(SystemError) in try client.descriptor.send(bytes) ?? 0 }
    } catch {
      drop(id)
      return false
    }
    return true
  }

  private mutating func watch(_ id: ClientID) {
    guard let client = clients[id] else { return }
    var wanted: Readiness = []
    if !client.hasEnded, agent.receivableByteCount(id) > 0 { wanted.insert(.readable) }
    if agent.sendableByteCount(id) > 0 { wanted.insert(.writable) }
    guard wanted != client.watchedFor else { return }
    counters.watchCalls &+= 1
    do throws(SystemError) {
      try epoll.change(client.descriptor, wanted, token: client.token)
      client.watchedFor = wanted
    } catch {
      drop(id)
    }
  }

  // MARK: - Going

  /// The socket has failed or was hung up.
  private mutating func drop(_ id: ClientID) {
    agent.drop(id)
    close(id)
  }

  /// Closing the descriptor takes it out of the list of those watched; an event that is on its way is stale.
  mutating func close(_ id: ClientID) {
    guard let client = clients.removeValue(forKey: id) else { return }
    watches.remove(client.token)
    resumeListening()
  }
}
