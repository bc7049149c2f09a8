// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Setup
import Varlink

// The clients' side: octets in, octets out.

extension AgentCore {
  /// Somebody connected.
  public func admit(_ peer: Peer, at now: Instant) -> Admission {
    let admission = clients.admit(peer, configuration.access)
    if case .refused(let refusal) = admission { perform(.log(.turnedAway(refusal, user: peer.user))) }
    return admission
  }

  /// How many octets may be received from a client now; 0 means not to read its socket.
  public func receivableByteCount(_ client: ClientID) -> Int {
    clients.place(of: client).flatMap { clients.places[$0]?.connection.receivableByteCount } ?? 0
  }

  /// Octets from a client, at most ``receivableByteCount(_:)``.
  public func receive(_ bytes: Span<UInt8>, from client: ClientID) {
    guard let place = clients.place(of: client) else { return }
    clients.places[place]?.connection.receive(bytes)
  }

  /// The client will send nothing more; it may still read.
  public func endInput(_ client: ClientID) {
    guard let place = clients.place(of: client) else { return }
    clients.places[place]?.connection.endInput()
  }

  /// The client's socket has failed or hung up. Its id means nothing any more; no action follows.
  public func drop(_ client: ClientID) {
    guard let place = clients.place(of: client) else { return }
    remove(place)
  }

  public func sendableByteCount(_ client: ClientID) -> Int {
    clients.place(of: client).flatMap { clients.places[$0]?.connection.sendableByteCount } ?? 0
  }

  /// Offers everything that waits for a client to `send`, which answers how many of the first octets the socket took.
  public func drain<Failure>(
    _ client: ClientID, _ send: (Span<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    guard let place = clients.place(of: client) else { return }
    let before = sendableByteCount(client)
    try clients.places[place]?.connection.drain(send)
    // Whoever waited for room has something to say now, and nothing else would wake us for it.
    guard sendableByteCount(client) < before, let drained = clients.places[place] else { return }
    if drained.pending != nil || drained.connection.hasPendingInput { isBusy = true }
  }

  func remove(_ place: Int) {
    guard let client = clients.places[place] else { return }
    release(client)
    tally.calls &+= client.connection.callCount
    tally.callsRefused &+= client.connection.refusalCount
    tally.rests &+= client.connection.yieldCount
    clients.remove(place)
    releaseUnused()
  }

  /// When a client's patience ends, or a device was listened to for long enough.
  var clientDeadline: Instant? {
    var soonest: Instant?
    for place in clients.taken {
      soonest = .earliest(soonest, clients.deadline(at: place))
    }
    return soonest
  }
}

extension ClientTable {
  func deadline(at place: Int) -> Instant? {
    .earliest(overdue(at: place), places[place]?.activity.end)
  }

  /// When the client's patience, or ours with it, ends.
  func overdue(at place: Int) -> Instant? {
    places[place]?.connection.overdueSince.map {
      Instant(microseconds: $0.wholeMicroseconds).advanced(milliseconds: AgentCore.patienceMilliseconds)
    }
  }
}

extension Activity {
  /// When it has listened for long enough.
  fileprivate var end: Instant? {
    if case .suggestion(let listening) = self { listening.end } else { nil }
  }
}

extension Instant {
  /// As a connection counts time.
  var duration: Duration { .microseconds(microseconds) }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
