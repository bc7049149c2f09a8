// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Varlink
import VarlinkClient

extension SessionClient {
  // MARK: - Opening

  mutating func openStream() {
    let link = links.add(.stream)
    enter(.opening(link))
    performAction(.open(link, nil))
  }

  mutating func linkOpened(_ id: SessionLinkID) {
    guard var link = links[id] else { return performAction(.close(id)) }
    link.isOpen = true
    links[id] = link
    switch link.purpose {
    case .stream: activate(on: id)
    case .ending(let message, _): _ = send(message, wantsMore: false, on: id)
    // ``startCalls()`` follows each input.
    case .calls, .single: break
    }
  }

  /// Sends `Activate`: with the session's token to take it up again, else with the cursor alone.
  mutating func activate(on link: SessionLinkID) {
    let (app, token, cursor) = (app, token, cursor)
    let message = Message.call(SessionMethodName.activate.rawValue, more: true) { json in
      if let token {
        json.member("session", token)
      } else if let app {
        json.member("app", app)
      }
      if let cursor {
        json.member("epoch", cursor.epoch)
        json.member("sequence", cursor.sequence)
      }
    }
    guard send(message, wantsMore: true, on: link) else {
      return end(
        because: SessionError(
          .activationFailed, field: "app", "the app's name is too long", cure: "use the name in the manifest")
      )
    }
    enter(.activating(link, isResuming: token != nil, until: now + .seconds(45)))
  }

  /// Sends a call on an idle connection. Returns false when it is too long.
  mutating func send(_ message: [UInt8], wantsMore: Bool, on id: SessionLinkID) -> Bool {
    guard var link = links[id] else { return true }
    guard link.connection.beginCall(message, wantsMore: wantsMore) else { return false }
    link.connection.drain { $0.count }
    links[id] = link
    performAction(.send(id, message))
    return true
  }

  // MARK: - Receiving

  /// Takes bytes in as the connection has room for them, and handles each complete reply.
  mutating func received(_ bytes: [UInt8], on id: SessionLinkID) {
    var start = 0
    while start < bytes.count {
      guard var link = links[id] else { return }
      let count = min(link.connection.receivableByteCount, bytes.count - start)
      guard count > 0 else { return linkBroke(id) }
      link.connection.receive(bytes.span.extracting(start..<(start + count)))
      links[id] = link
      start += count
      handleReplies(on: id)
    }
  }

  private mutating func handleReplies(on id: SessionLinkID) {
    while var link = links[id] {
      let next: ClientConnection.NextReply
      do throws(ClientError) {
        next = try link.connection.nextReply()
      } catch {
        return linkBroke(id)
      }
      links[id] = link
      guard case .reply(let reply) = next else { return }
      switch link.purpose {
      case .stream: receivedStreamReply(reply, on: id)
      case .calls, .single: receivedCallReply(reply, on: id)
      case .ending: close(id)
      }
    }
  }

  // MARK: - Ending

  /// The agent sent what is no reply.
  mutating func linkBroke(_ id: SessionLinkID) {
    guard let link = links[id] else { return }
    close(id)
    linkIsGone(
      link,
      .unreachable(
        "the agent sent a message that cannot be read", cure: "check that this is the socket of accessoryd"))
  }

  mutating func linkEnded(_ id: SessionLinkID, reason: String?, cure: String?, isPermanent: Bool) {
    guard let link = links[id] else { return }
    if let descriptor = links.remove(id) { performAction(.closeDescriptor(descriptor)) }
    if link.purpose == .stream, !hasReportedActivated {
      if isPermanent {
        return end(
          because: SessionError(
            .activationFailed, reason ?? "the socket cannot be opened",
            cure: cure ?? "give the path of the agent's socket"))
      }
      if case .activating = phase, retry.noteRefusal(at: now) { return end(because: .notAccepted) }
    }
    linkIsGone(link, .unreachable(reason, cure: cure))
  }

  /// No descriptor was free for the connection.
  mutating func linkIsExhausted(_ id: SessionLinkID) {
    guard let link = links[id] else { return }
    _ = links.remove(id)
    linkIsGone(link, .noDescriptor)
  }

  private mutating func linkIsGone(_ link: Link, _ error: SessionError) {
    switch link.purpose {
    case .stream:
      silence.error = error
      streamIsGone(link.id)
    case .single(let call): linkOfCallIsGone(call, error)
    case .calls: shortCallsAreGone(link, error)
    case .ending: break
    }
  }

  private mutating func shortCallsAreGone(_ link: Link, _ error: SessionError) {
    if let call = link.call { return linkOfCallIsGone(call, error) }
    // The connection could not be opened: the calls that waited for it fail.
    guard !link.isOpen else { return }
    for call in calls where call.state == .waiting && !call.request.needsOwnLink {
      complete(call.id, .failure(error))
    }
  }
}
