// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Varlink

/// The connections.
///
/// Capacity: ``Limits/connections``, some of which are kept for operators, and ``Limits/connectionsPerUser`` of one user.
/// A peer without a free slot is turned away, which is counted by reason.
struct ClientTable {
  private var slots: [Client?]
  /// The clients in the order of their slots. Every turn visits them, and most slots are free.
  private(set) var connected: [Client] = []
  private var generation: UInt64 = 0
  private(set) var limits: Limits
  /// Calls that were to be decided later; numbers them.
  var pendingCallCount: UInt64 = 0
  private(set) var admitted: UInt64 = 0
  private(set) var refused: [AdmissionError: UInt64] = [:]

  init(_ limits: Limits) {
    self.limits = limits
    slots = Array(repeating: nil, count: Int(limits.connections))
  }

  var count: Int { connected.count }

  /// The client of an id; nil when it has left.
  subscript(_ id: ClientID) -> Client? {
    guard slots.indices.contains(id.slot), let client = slots[id.slot], client.id == id else { return nil }
    return client
  }

  /// How many clients have a call in progress whose stream is of a type.
  func streamCount<Stream: ReplyStream>(_ type: Stream.Type) -> Int {
    connected.count { $0.stream is Stream }
  }

  mutating func admit(_ peer: Peer, _ access: AccessList) -> Admission {
    do throws(AdmissionError) {
      let rights = try rights(of: peer, access)
      guard let slot = slots.firstIndex(where: { $0 == nil }) else { throw .full }
      generation &+= 1
      let id = ClientID(slot: slot, generation: generation)
      var connectionLimits = ConnectionLimits()
      connectionLimits.outputBytesMax = Int(limits.writeBufferBytes)
      connectionLimits.closingError = { GatewayError.closingError($0) }
      let client = Client(id, peer, rights, connectionLimits)
      slots[slot] = client
      connected.insert(client, at: connected.firstIndex { $0.id.slot > slot } ?? connected.count)
      admitted &+= 1
      return .admitted(id)
    } catch {
      refused[error, default: 0] &+= 1
      return .refused(error)
    }
  }

  private func rights(of peer: Peer, _ access: AccessList) throws(AdmissionError) -> Rights {
    guard let rights = access.rights(of: peer) else { throw .unknownAccount }
    let kept = rights.isOperator ? 0 : limits.connectionsForOperators
    guard count < Int(limits.connections - kept) else { throw .full }
    let connectionsOfUser = connected.count { $0.peer.uid == peer.uid }
    guard connectionsOfUser < Int(limits.connectionsPerUser) else { throw .userFull }
    return rights
  }

  mutating func remove(_ client: Client) {
    precondition(slots[client.id.slot] === client, "the client has left already")
    slots[client.id.slot] = nil
    connected.removeAll { $0 === client }
  }

  /// Applies another manifest's accounts, which may belong to other apps.
  func updateRights(_ access: AccessList) {
    for client in connected { client.rights = access.rights(of: client.peer) ?? .none }
  }

  /// Applies another manifest's limits. No client is disconnected: a slot beyond the new number goes with its client.
  mutating func resize(_ limits: Limits) {
    self.limits = limits
    let needed = (slots.lastIndex { $0 != nil } ?? -1) + 1
    let size = max(Int(limits.connections), needed)
    if size < slots.count { slots.removeLast(slots.count - size) }
    while slots.count < size { slots.append(nil) }
  }

  /// Traps when the tables disagree, or a client passes a bound.
  func checkInvariants() {
    precondition(
      slots.compactMap { $0 }.elementsEqual(connected, by: ===), "every slot's client is connected")
    for client in connected {
      precondition(self[client.id] === client, "a client is found by its id")
      precondition(client.connection.sendableByteCount <= client.connection.limits.outputBytesMax)
      precondition(client.connection.receivableByteCount <= client.connection.limits.frameBytesMax + 1)
    }
  }
}
