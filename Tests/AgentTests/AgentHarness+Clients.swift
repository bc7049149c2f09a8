// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Varlink

extension AgentHarness {
  func id(of client: HarnessClient) -> ClientID {
    guard let id = client.id else { preconditionFailure("a client of this harness has an id") }
    return id
  }

  func connect(user: UInt32, atSocketOf app: String?) -> HarnessClient? {
    connect(Peer(process: 1, uid: user, groups: [], atSocketOf: app))
  }

  func connect(user: UInt32 = 0, groups: Set<UInt32>) -> HarnessClient? {
    connect(Peer(process: 1, uid: user, groups: groups))
  }

  /// Connects a client; nil when the agent refuses it.
  private func connect(_ peer: Peer) -> HarnessClient? {
    switch agent.admit(peer, at: now) {
    case .admitted(let id): return client(id)
    case .turnedAway(let id, _): agent.drop(id)
    case .refused: break
    }
    turn()
    return nil
  }

  /// Connects a client that may only learn why it is turned away; nil when it is refused at once, or admitted.
  func connectTurnedAway(user: UInt32) -> HarnessClient? {
    defer { turn() }
    guard case .turnedAway(let id, _) = agent.admit(Peer(process: 1, uid: user, groups: []), at: now) else {
      return nil
    }
    return client(id)
  }

  private func client(_ id: ClientID) -> HarnessClient {
    let client = HarnessClient(id)
    clients[id] = client
    return client
  }

  func send(_ bytes: [UInt8], by client: HarnessClient) {
    client.outgoing += bytes
    deliver(to: id(of: client))
    turn()
  }

  func endInput(of client: HarnessClient) {
    agent.endInput(id(of: client))
    turn()
  }

  func hangUp(_ client: HarnessClient) {
    agent.drop(id(of: client))
    client.isClosed = true
    turn()
  }
}
