// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
public import LinuxSystem

/// The calls of a bridge to the agent, in its loop.
public final class AgentPort<Owner: Sendable> {
  private let loop: BridgeLoop<Owner>
  private let owner: (BridgeCallID) -> Owner
  private var links: AgentLinks
  private var connections: [BridgeCallID: BridgeLoop<Owner>.Connection] = [:]

  /// `path` is that of the agent's socket. `owner` is what the loop reports when a call's socket is ready.
  public init(path: String, in loop: BridgeLoop<Owner>, owner: @escaping (BridgeCallID) -> Owner) {
    self.loop = loop
    self.owner = owner
    links = AgentLinks(path: path)
  }

  /// Does what a bridge wants of a socket. Returns what results from it at once.
  public func performEffect(_ effect: AgentSocketEffect) -> AgentSocketEvent? {
    switch effect {
    case .open(let id): return open(id).map { .ended(id, $0) } ?? .opened(id)
    case .send(let id, let bytes): send(bytes, on: id)
    case .close(let id): close(id)
    case .hold(let id, let isHeld): hold(id, isHeld)
    }
    return nil
  }

  /// Reads what has arrived, after the socket was ready; a bridge that is passed descriptors uses `receive`.
  public func nextEvent(of id: BridgeCallID) -> AgentSocketEvent? {
    var passed: SharedDescriptor?
    switch receive(id, passed: &passed) {
    case .nothing: return nil
    case .bytes(let bytes): return .received(id, bytes)
    case .end(let reason): return .ended(id, reason)
    }
  }

  /// Opens a connection. Returns why there is none, as a sentence.
  public func open(_ id: BridgeCallID) -> String? {
    switch links.open(id) {
    case .failure(let error): return error.sentence
    case .success(let socket):
      guard let connection = loop.watch(socket, owner(id)) else {
        links.close(id)
        return "the system has no room for a connection"
      }
      connections[id] = connection
      return nil
    }
  }

  public func send(_ bytes: [UInt8], on id: BridgeCallID) {
    let isKept = links.send(bytes, on: id)
    loop.watchForSpace(connections[id], isKept)
  }

  /// Leaves the agent's bytes in the socket for now, so that the agent waits.
  public func hold(_ id: BridgeCallID, _ isHeld: Bool) { loop.hold(connections[id], isHeld) }

  public func close(_ id: BridgeCallID) {
    links.close(id)
    loop.forget(connections.removeValue(forKey: id))
  }

  /// Reads what has arrived, after the socket was ready. At the end of the connection, it is closed.
  public func receive(_ id: BridgeCallID, passed: inout SharedDescriptor?) -> AgentLinks.Arrival {
    if let connection = connections[id], connection.isWatchedForSpace {
      loop.watchForSpace(connection, links.flush(id))
    }
    let arrival = links.receive(id, passed: &passed)
    if case .end = arrival { close(id) }
    return arrival
  }
}
