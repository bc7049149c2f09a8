// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Registry
import Varlink

/// The connections.
///
/// Capacity: ``Limits/connections``, some of which are kept for operators, ``Limits/connectionsPerUser`` of one user or at
/// one app's own socket, and of each app and bridge its share (``PlaceShares``), however many users may act as it. Beside them, operators that find these taken have ``reservedMax`` slots, and root one more, for calls that end by
/// themselves, so that a gateway full of watchers can still be examined. A peer without a slot is turned away, which is
/// counted by reason; ``turnedAwayMax`` of them at a time learn the reason.
package struct ClientTable {
  /// The slots beside the regular ones for operators, without root's own.
  static let reservedMax = 2
  /// The peers that are connected only to learn why they are turned away.
  static let turnedAwayMax = 4
  /// The slots beside the regular ones.
  static let extraMax = reservedMax + 1 + turnedAwayMax
  /// How long a reserved slot is held: a call that ends by itself waits no longer for the disk.
  private static let reservedMilliseconds: Int64 = 30_000
  private static let turnedAwayMilliseconds: Int64 = 2000

  package private(set) var slots: [Client?]
  /// The clients in the order of their slots. Every turn visits them, and most slots are free.
  package private(set) var connected: [Client] = []
  private var generation: UInt64 = 0
  private(set) var limits: Limits
  /// Calls that were to be decided later; numbers them.
  var pendingCallCount: UInt64 = 0
  /// The sessions that clients streamed when they left: of each session the last client.
  var sessionsLeft: [ClientID: RandomIdentifier] = [:]
  private(set) var admitted: UInt64 = 0
  private(set) var refused: [AdmissionError: UInt64] = [:]

  init(_ limits: Limits) {
    self.limits = limits
    slots = Array(repeating: nil, count: Int(limits.connections) + Self.extraMax)
  }

  /// The number of clients, without those that are turned away.
  var count: Int { connected.count { !$0.isTurnedAway } }

  /// The client of an id; nil when it has left.
  package subscript(_ id: ClientID) -> Client? {
    guard slots.indices.contains(id.slot), let client = slots[id.slot], client.id == id else { return nil }
    return client
  }

  /// How many clients have a call in progress whose stream is of a type.
  func streamCount<Stream: ReplyStream>(_ type: Stream.Type) -> Int {
    connected.count { $0.stream is Stream }
  }

  mutating func admit(_ peer: Peer, _ access: AccessList, at now: Instant) -> Admission {
    let rights = access.rights(of: peer)
    guard let lack = lack(of: peer, rights, ownerCount: access.accounts.count + access.bridgeOfUser.count)
    else {
      return insert(peer, rights, .regular, end: nil).map(Admission.admitted) ?? refuse(.full)
    }
    let reservedCount = connected.count { if case .reserved = $0.place { true } else { false } }
    if rights?.isOperator == true, reservedCount < Self.reservedMax + (peer.uid == 0 ? 1 : 0) {
      let end = now.advanced(milliseconds: Self.reservedMilliseconds)
      if let id = insert(peer, rights, .reserved(lack: lack), end: end) { return .admitted(id) }
    }
    guard connected.count(where: \.isTurnedAway) < Self.turnedAwayMax,
      let id = insert(
        peer, nil, .turnedAway(lack), end: now.advanced(milliseconds: Self.turnedAwayMilliseconds))
    else { return refuse(lack) }
    refused[lack, default: 0] &+= 1
    return .turnedAway(id, lack)
  }

  private mutating func refuse(_ error: AdmissionError) -> Admission {
    refused[error, default: 0] &+= 1
    return .refused(error)
  }

  /// Returns why the peer gets no regular slot; nil if one is free for it.
  private func lack(of peer: Peer, _ rights: Rights?, ownerCount: Int) -> AdmissionError? {
    guard let rights else { return .unknownAccount }
    let regular = connected.filter { $0.place == .regular }
    let kept = rights.isOperator ? 0 : limits.connectionsForOperators
    if regular.count >= Int(limits.connections - kept) { return .full }
    guard regular.count(where: { $0.peer.owner == peer.owner }) < Int(limits.connectionsPerUser) else {
      return .userFull
    }
    guard let owner = rights.shareOwner else { return nil }
    let isAdmitted = PlaceShares.admit(
      owner, among: regular.compactMap(\.rights.shareOwner), appCount: ownerCount,
      capacity: Int(limits.connections - kept))
    return isAdmitted ? nil : .full
  }

  /// Connects a client; nil if every slot is taken, because a reload has reduced their number.
  private mutating func insert(
    _ peer: Peer, _ rights: Rights?, _ place: Client.Place, end: Instant?
  ) -> ClientID? {
    guard let slot = slots.firstIndex(where: { $0 == nil }) else { return nil }
    generation &+= 1
    let id = ClientID(slot: slot, generation: generation)
    var connectionLimits = ConnectionLimits()
    connectionLimits.outputBytesMax = Int(limits.writeBufferBytes)
    connectionLimits.closingError = { GatewayError.closingError($0) }
    let client = Client(id, peer, rights ?? .none, place, end: end, connectionLimits)
    slots[slot] = client
    connected.insert(client, at: connected.firstIndex { $0.id.slot > slot } ?? connected.count)
    if !client.isTurnedAway { admitted &+= 1 }
    return id
  }

  /// The limit that left a peer without a regular slot.
  func limit(for lack: AdmissionError) -> Int32 {
    lack == .userFull ? limits.connectionsPerUser : limits.connections
  }

  mutating func remove(_ client: Client) {
    precondition(slots[client.id.slot] === client, "the client has left already")
    slots[client.id.slot] = nil
    connected.removeAll { $0 === client }
  }

  /// Applies another manifest's accounts, which may belong to other apps. Returns the clients with a call in progress that
  /// they have made as a bridge which may see or do something else now.
  func updateRights(_ access: AccessList) -> [Client] {
    connected.filter { client in
      let bridge = client.rights.bridge
      client.rights = access.rights(of: client.peer) ?? .none
      return client.stream != nil && client.callsAsBridge && client.rights.bridge != bridge
    }
  }

  /// Applies another manifest's limits. No client is disconnected: a slot beyond the new number goes with its client.
  mutating func resize(_ limits: Limits) {
    self.limits = limits
    let needed = (slots.lastIndex { $0 != nil } ?? -1) + 1
    let size = max(Int(limits.connections) + Self.extraMax, needed)
    if size < slots.count { slots.removeLast(slots.count - size) }
    while slots.count < size { slots.append(nil) }
  }
}
