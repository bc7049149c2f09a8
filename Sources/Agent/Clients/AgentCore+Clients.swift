// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Setup
import Varlink

// The clients' side: bytes in, bytes out.

extension AgentCore {
  /// A message, the reading of the last replies, and a reader of reports that takes nothing, may take this long.
  static let patienceMilliseconds: Int64 = 30_000

  /// The most connections there may be beside those of the manifest's limit.
  public static let extraConnectionsMax = ClientTable.extraMax

  /// Admits a peer that has connected, or turns it away.
  public func admit(_ peer: Peer, at now: Instant) -> Admission {
    turn.outlook.isOld = true
    let admission = clients.admit(peer, configuration.access, at: now)
    switch admission {
    case .admitted: break
    case .turnedAway(_, let refusal), .refused(let refusal):
      enqueue(.log(.turnedAway(refusal, user: peer.uid)))
    }
    return admission
  }

  /// How many bytes may be received from a client now; 0 means not to read its socket.
  public func receivableByteCount(_ client: ClientID) -> Int {
    clients[client]?.connection.receivableByteCount ?? 0
  }

  /// Receives bytes from a client, at most ``receivableByteCount(_:)``.
  public func receive(_ bytes: Span<UInt8>, from client: ClientID) {
    turn.outlook.isOld = true
    clients[client]?.connection.receive(bytes)
  }

  /// The client will send nothing more; it may still read.
  public func endInput(_ client: ClientID) {
    turn.outlook.isOld = true
    clients[client]?.connection.endInput()
  }

  /// The client's socket has failed or hung up. Its id means nothing any more; no action follows.
  public func drop(_ client: ClientID) {
    if let client = clients[client] { remove(client) }
  }

  /// Whether a client that is gone streamed a session that no other client has taken up again.
  public func hasLeftSession(_ client: ClientID) -> Bool {
    clients.sessionsLeft[client].map { setupCore.isLeft($0) } ?? false
  }

  /// The process of a client that is gone has ended: it cannot take up the session that it left.
  public func processEnded(of client: ClientID, at time: Instant) {
    turn.advance(to: time)
    guard let session = clients.sessionsLeft.removeValue(forKey: client) else { return }
    follow(setupCore.advance(to: now))
    follow(setupCore.expire(session))
    performSetupEffects()
  }

  public func sendableByteCount(_ client: ClientID) -> Int {
    clients[client]?.connection.sendableByteCount ?? 0
  }

  /// Offers everything that waits for a client to `send`, which returns how many of the first bytes the socket took.
  public func drain<Failure>(
    _ client: ClientID, _ send: (Span<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    guard let client = clients[client] else { return }
    turn.outlook.isOld = true
    let before = client.connection.sendableByteCount
    // A socket does not go with the bytes before its reply.
    let limit = client.passed?.precedingByteCount ?? 0
    try client.connection.drain { bytes throws(Failure) in
      guard limit > 0, limit < bytes.count else { return try send(bytes) }
      return try send(bytes.extracting(first: limit))
    }
    notePassed(client, byteCount: before - client.connection.sendableByteCount)
    // A reply that waited for room can go now, and nothing else would cause a turn for it.
    guard client.connection.sendableByteCount < before else { return }
    if client.unsentReply != nil || client.connection.hasPendingInput { turn.isBusy = true }
  }

  /// The socket that goes with the first of the next bytes to a client. Of a connection's, the shell closes its own copy once
  /// some of them were sent.
  public func socketToPass(to client: ClientID) -> ClientSocket? {
    guard let passed = clients[client]?.passed, passed.precedingByteCount == 0 else { return nil }
    return passed.socket
  }

  /// The socket of a connection goes with the first byte of its reply.
  private func notePassed(_ client: Client, byteCount: Int) {
    guard byteCount > 0, let passed = client.passed else { return }
    client.passed =
      passed.precedingByteCount == 0
      ? nil : PassedSocket(socket: passed.socket, precedingByteCount: passed.precedingByteCount - byteCount)
  }

  /// Serves a client until it has to wait: takes its calls, sends its replies, ends its connection.
  func serve(_ client: Client) {
    client.connection.beginTurn()
    sendReplies(to: client)
    while true {
      switch client.connection.nextAction(at: now.duration) {
      case .perform(let call):
        dispatch(call, of: client)
        sendReplies(to: client)
      case .yield:
        turn.isBusy = true
        return
      case .wait: return closeIfOverdue(client)
      case .close(let reason): return close(client, reason)
      }
    }
  }

  /// Sends the replies of the call in progress, as far as the client has room for them.
  private func sendReplies(to client: Client) {
    while true {
      if let reply = client.unsentReply {
        guard reply.count <= client.connection.continuedReplyBytesMax else { return }
        client.unsentReply = nil
        client.connection.reply(reply, continues: true)
      }
      switch client.stream?.nextReply(self) {
      case nil, .wait: return
      case .reply(let reply): client.unsentReply = reply
      case .end(let reply):
        client.stream?.release(self)
        return client.endCall(with: reply)
      case .endPassing(let socket, let reply):
        client.stream?.release(self)
        return pass(socket, to: client, reply)
      }
    }
  }

  /// Ends the call with a reply that a socket goes with.
  private func pass(_ socket: ClientSocket, to client: Client, _ reply: [UInt8]) {
    let precedingByteCount = client.connection.sendableByteCount
    client.endCall(with: reply)
    if client.connection.sendableByteCount > precedingByteCount {
      client.passed = PassedSocket(socket: socket, precedingByteCount: precedingByteCount)
    } else {
      // The call was one without a reply.
      abandon(socket)
    }
  }

  /// Forgets a socket that did not reach its client.
  private func abandon(_ socket: ClientSocket) {
    switch socket {
    case .link(let link): updateLinks { $0.abandon(link) }
    case .reports(let stream): endReports(stream)
    }
  }

  private func closeIfOverdue(_ client: Client) {
    if let end = client.end, end <= now { return disconnect(client, nil) }
    guard let end = client.overdueTime, end <= now, !client.connection.timeOut() else { return }
    counters.clients.closedOverdue &+= 1
    disconnect(client, .overdue)
  }

  private func close(_ client: Client, _ reason: ServerConnection.CloseReason) {
    switch reason {
    case .finished: disconnect(client, nil)
    case .frame(let problem):
      counters.clients.closedForFrame &+= 1
      disconnect(client, .frame(problem))
    case .call(let problem):
      counters.clients.closedForJSON &+= 1
      disconnect(client, .call(problem))
    case .overdue:
      counters.clients.closedOverdue &+= 1
      disconnect(client, .overdue)
    case .replyTooLong(let byteCount): disconnect(client, .replyTooLong(byteCount: byteCount))
    }
  }

  private func disconnect(_ client: Client, _ reason: ClosingReason?) {
    if let reason { enqueue(.log(.closed(reason, user: client.peer.uid))) }
    enqueue(.close(client.id))
    remove(client)
  }

  private func remove(_ client: Client) {
    turn.outlook.isOld = true
    client.stream?.release(self)
    if let session = client.stream?.session {
      clients.sessionsLeft = clients.sessionsLeft.filter { $0.value != session && setupCore.isOpen($0.value) }
      clients.sessionsLeft[client.id] = session
    }
    if let passed = client.passed.take() { abandon(passed.socket) }
    endReports(of: client.id)
    counters.clients.calls &+= client.connection.callCount
    counters.clients.callsRefused &+= client.connection.refusalCount
    counters.clients.yields &+= client.connection.yieldCount
    clients.remove(client)
    guard client.stream is RequestStream else { return }
    follow(setupCore.advance(to: now))
    follow(setupCore.operatorLeft(operatorCapability))
  }

  /// The earliest time at which a client's patience ends, or a stream has something new to send.
  var clientDeadline: Instant? {
    var earliest: Instant?
    for client in clients.connected {
      earliest = .earliest(earliest, .earliest(client.overdueTime, client.end))
      // A stream whose last reply waits for room is asked when that has gone.
      if client.unsentReply == nil { earliest = .earliest(earliest, client.stream?.deadline(self)) }
    }
    return earliest
  }
}

extension Client {
  /// When the client has taken too long to finish a message, or to read the last replies; nil when it owes nothing.
  fileprivate var overdueTime: Instant? {
    connection.overdueSince.map {
      Instant(microseconds: $0.wholeMicroseconds).advanced(milliseconds: AgentCore.patienceMilliseconds)
    }
  }
}

extension Instant {
  /// The time as a connection counts it.
  fileprivate var duration: Duration { .microseconds(microseconds) }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
