// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Varlink

/// The connections.
///
/// Capacity: ``Limits/connections``, of which some are kept for operators, and so many of one user. Who finds no place
/// is turned away, which is counted by reason.
struct ClientTable: Sendable {
  var places: [Client?]
  /// The places that somebody has, in ascending order: every turn goes through them, most places are free.
  private(set) var taken: [Int] = []
  private var generation: UInt64 = 0
  private(set) var count = 0
  var limits: Limits
  private(set) var admitted: UInt64 = 0
  private(set) var refused: [AdmissionRefusal: UInt64] = [:]

  init(_ limits: Limits) {
    self.limits = limits
    places = Array(repeating: nil, count: Int(limits.connections))
  }

  /// The place of a client that is still here.
  func place(of id: ClientID) -> Int? {
    places.indices.contains(id.place) && places[id.place]?.id == id ? id.place : nil
  }

  mutating func admit(_ peer: Peer, _ access: AccessList) -> Admission {
    do throws(AdmissionRefusal) {
      let rights = try rights(of: peer, access)
      guard let place = places.firstIndex(where: { $0 == nil }) else { throw .full }
      generation &+= 1
      let id = ClientID(place: place, generation: generation)
      var connectionLimits = ConnectionLimits()
      connectionLimits.outputBytesMax = Int(limits.writeBufferBytes)
      connectionLimits.closingError = { GatewayError.closingError($0) }
      places[place] = Client(id, peer, rights, connectionLimits)
      taken.insert(place, at: taken.firstIndex { $0 > place } ?? taken.count)
      count += 1
      admitted &+= 1
      return .admitted(id)
    } catch {
      refused[error, default: 0] &+= 1
      return .refused(error)
    }
  }

  private func rights(of peer: Peer, _ access: AccessList) throws(AdmissionRefusal) -> Rights {
    guard let rights = access.rights(of: peer) else { throw .stranger }
    let kept = rights.isOperator ? 0 : limits.connectionsForOperators
    guard count < Int(limits.connections - kept) else { throw .full }
    let ofUser = places.count { $0?.peer.user == peer.user }
    guard ofUser < Int(limits.connectionsPerUser) else { throw .userFull }
    return rights
  }

  mutating func remove(_ place: Int) {
    precondition(places[place] != nil, "nobody is in this place")
    places[place] = nil
    taken.removeAll { $0 == place }
    count -= 1
  }

  /// Another manifest may give accounts to other apps.
  mutating func judgeAnew(_ access: AccessList) {
    for place in taken {
      guard let peer = places[place]?.peer else { continue }
      places[place]?.rights = access.rights(of: peer) ?? Rights(isOperator: false, apps: [])
    }
  }

  /// Another manifest may allow more or fewer. Those who are here stay: a place beyond the new number goes with its
  /// client.
  mutating func resize(_ limits: Limits) {
    self.limits = limits
    let needed = (places.lastIndex { $0 != nil } ?? -1) + 1
    let size = max(Int(limits.connections), needed)
    if size < places.count { places.removeLast(places.count - size) }
    while places.count < size { places.append(nil) }
  }
}

extension AdmissionRefusal: Error {}
