// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Varlink
import VarlinkClient

/// A call of the app that has not completed.
struct PendingCall: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// For the session, or for a connection.
    case waiting
    case sent(SessionLinkID)
    /// The agent has done it; the app learns of the event first. Without a cursor any event of the kind will do.
    case awaitingEvent(StreamCursor?, CallOutcome)
    /// The picker is open.
    case showing
  }

  let id: CallID
  let request: SessionRequest
  var state = State.waiting
  var deadline: Duration?
  /// The earliest time to send it again.
  var notBefore: Duration?
  /// The event that it causes was read before its reply.
  var hasSeenEvent = false
  /// The agent refused parameters that it does not know, which are left out now.
  var isReduced = false
  /// Where its stream goes on.
  var cursor: StreamCursor?

  init(id: CallID, request: SessionRequest, deadline: Duration?) {
    self.id = id
    self.request = request
    self.deadline = deadline
  }
}

extension CallID {
  /// A call of the library's own. No delivery has its result.
  static let internalCall = CallID(.max)
}

extension SessionClient {
  /// How long a call waits for the session.
  private static let waitMax = Duration.seconds(30)

  mutating func beginCall(_ id: CallID, _ request: SessionRequest) {
    switch phase {
    case .idle: deliver(.completion(id, .failure(.notActivated)))
    case .ended: deliver(.completion(id, .failure(endError)))
    case .pausing, .opening, .activating, .listing, .streaming:
      calls.append(PendingCall(id: id, request: request, deadline: waitEnd(of: request)))
    }
  }

  mutating func refuse(_ id: CallID, _ error: SessionError) {
    switch phase {
    case .idle: deliver(.completion(id, .failure(.notActivated)))
    case .ended: deliver(.completion(id, .failure(endError)))
    case .pausing, .opening, .activating, .listing, .streaming: deliver(.completion(id, .failure(error)))
    }
  }

  private func waitEnd(of request: SessionRequest) -> Duration? {
    request.limit == nil ? nil : now + Self.waitMax
  }

  /// Gives a call up. A picker that is open stays.
  mutating func cancel(_ id: CallID) {
    guard let call = calls.first(where: { $0.id == id }), call.state != .showing else { return }
    if call.request.needsOwnLink, let link = links.link(of: id) { close(link.id) }
    complete(id, .failure(.cancelled))
  }

  mutating func change(_ id: CallID, _ body: (inout PendingCall) -> Void) {
    guard let index = calls.firstIndex(where: { $0.id == id }) else { return }
    body(&calls[index])
  }

  mutating func complete(_ id: CallID, _ result: Result<CallOutcome, SessionError>) {
    guard let index = calls.firstIndex(where: { $0.id == id }) else { return }
    calls.remove(at: index)
    if id != .internalCall { deliver(.completion(id, result)) }
  }

  // MARK: - Sending

  /// Sends the calls that can be sent, in their order.
  mutating func startCalls() {
    guard case .streaming = phase, let token else { return }
    for call in calls where call.state == .waiting && call.notBefore ?? .zero <= now {
      let existing = call.request.needsOwnLink ? links.link(of: call.id) : links.shortCalls
      guard let link = existing else {
        performAction(
          call.request.needsOwnLink
            ? .open(links.add(.single(call.id)), call.request.isStream ? nil : .long)
            : .open(links.add(.calls), .short))
        continue
      }
      guard link.isOpen, link.call == nil else { continue }
      let message = call.request.message(session: token, cursor: call.cursor, isReduced: call.isReduced)
      guard send(message, wantsMore: call.request.isStream, on: link.id) else {
        complete(call.id, .failure(.tooLong))
        if call.request.needsOwnLink { close(link.id) }
        continue
      }
      links[link.id]?.call = call.id
      let deadline = call.request.limit.map { now + $0 }
      change(call.id) { call in
        call.state = .sent(link.id)
        (call.deadline, call.notBefore, call.hasSeenEvent) = (deadline, nil, false)
      }
    }
  }

  /// The next call gets another connection: the process has one for the short calls of all its sessions.
  mutating func closeIdleLink() {
    if let link = links.shortCalls, link.isOpen, link.call == nil { close(link.id) }
  }

  // MARK: - Replies

  mutating func receivedCallReply(_ reply: ReceivedReply, on link: SessionLinkID) {
    let descriptor = links.takeDescriptor(of: link)
    let hasLostDescriptor = links[link]?.hasLostDescriptor ?? false
    let call = links[link]?.call.flatMap { id in calls.first { $0.id == id } }
    if !reply.continues {
      if links[link]?.purpose == .calls { links[link]?.call = nil } else { close(link) }
    }
    var isTaken = false
    if let call {
      if reply.error != nil {
        callFailed(call, reply)
      } else {
        isTaken = callSucceeded(call, reply, descriptor, hasLostDescriptor: hasLostDescriptor)
      }
    }
    if let descriptor, !isTaken { performAction(.closeDescriptor(descriptor)) }
  }

  private mutating func callFailed(_ call: PendingCall, _ reply: ReceivedReply) {
    let error = SessionError(reply: reply)
    if error.code == .invalidated, !isStreaming {
      // The session is about to be replaced, and the agent did nothing.
      let deadline = waitEnd(of: call.request)
      return change(call.id) { ($0.state, $0.deadline) = (.waiting, deadline) }
    }
    if case .updatePicker = call.request, !call.isReduced, let field = error.field,
      ShownDevice.newParameters.contains(where: { field.hasSuffix(".\($0)") })
    {
      return change(call.id) { ($0.state, $0.isReduced) = (.waiting, true) }
    }
    complete(call.id, .failure(error))
  }

  private var isStreaming: Bool { if case .streaming = phase { true } else { false } }

  /// Returns whether the app gets the descriptor.
  private mutating func callSucceeded(
    _ call: PendingCall, _ reply: ReceivedReply, _ descriptor: Int32?, hasLostDescriptor: Bool
  ) -> Bool {
    let reader = JSONObjectReader(reply.parameters)
    switch call.request {
    case .showPicker:
      guard let picker = try? reader.string("picker") else { return malformed(call) }
      for object in (try? reader.objectsIfPresent("leftOut")) ?? [] {
        guard let failure = try? FailureLine(reading: object) else { continue }
        deliver(.leftOut(call.id, SessionError(failure)))
      }
      showed(picker, call)
    case .updatePicker, .finishPickerDiscovery, .cancelPicker: complete(call.id, .success(.done))
    case .renameAccessory, .removeAccessory, .finishAuthorization, .failAuthorization, .updateAuthorization:
      awaitEvent(of: call, reader)
    case .resolve:
      guard let address = try? reader.string("address"), let type = try? reader.string("addressType") else {
        return malformed(call)
      }
      complete(call.id, .success(.address(address, type: type)))
    case .connect:
      guard let descriptor else {
        complete(call.id, .failure(hasLostDescriptor ? .noDescriptor : .noConnection))
        return false
      }
      complete(call.id, .success(.descriptor(descriptor)))
      return true
    case .readRSSI:
      guard let rssi: Int = try? reader.integer("rssi") else { return malformed(call) }
      complete(call.id, .success(.rssi(rssi)))
    case .advertisements: receivedAdvertisement(reply, reader, of: call)
    }
    return false
  }

  private mutating func malformed(_ call: PendingCall) -> Bool {
    complete(call.id, .failure(.unreachable("the reply to \(call.request.method) cannot be read")))
    return false
  }

  private mutating func receivedAdvertisement(
    _ reply: ReceivedReply, _ reader: JSONObjectReader, of call: PendingCall
  ) {
    var cursor = call.cursor
    if let epoch = try? reader.string("epoch"), let sequence: UInt64 = try? reader.integer("sequence") {
      cursor = StreamCursor(epoch: epoch, sequence: sequence)
    }
    if let line: AdvertisementLine = (try? reader.lineIfPresent("advertisement")) ?? nil {
      if let last = cursor?.sequence, last < line.sequence { cursor?.sequence = line.sequence }
      deliver(.advertisement(call.id, line))
    }
    let pause = now + .milliseconds(250)
    change(call.id) { call in
      call.cursor = cursor
      if !reply.continues { (call.state, call.notBefore) = (.waiting, pause) }
    }
  }

  // MARK: - Events that calls cause

  private mutating func awaitEvent(of call: PendingCall, _ reader: JSONObjectReader) {
    let epoch = try? reader.string("epoch")
    let sequence: UInt64? = try? reader.integer("sequence")
    guard let epoch else {
      // An agent of the first version does not name the event.
      guard !call.hasSeenEvent else { return complete(call.id, .success(.done)) }
      let end = now + .seconds(1)
      return change(call.id) { ($0.state, $0.deadline) = (.awaitingEvent(nil, .done), end) }
    }
    guard let sequence, !(cursor?.epoch == epoch && cursor?.sequence ?? 0 > sequence) else {
      return complete(call.id, .success(.done))
    }
    let (event, end) = (StreamCursor(epoch: epoch, sequence: sequence), now + Self.waitMax)
    change(call.id) { ($0.state, $0.deadline) = (.awaitingEvent(event, .done), end) }
  }

  /// Completes the calls that waited for an event. They follow it.
  mutating func completeCalls(upTo event: AppEventLine) {
    for call in calls {
      let isCaused =
        call.request.causedEvent.map {
          "\($0.type)" == event.event && $0.accessory == event.accessory?.identifier
        } ?? false
      switch call.state {
      case .awaitingEvent(let wanted?, let outcome):
        guard wanted.epoch != event.epoch || wanted.sequence <= event.sequence else { continue }
        complete(call.id, .success(outcome))
      case .awaitingEvent(nil, let outcome): if isCaused { complete(call.id, .success(outcome)) }
      case .sent: if isCaused { change(call.id) { $0.hasSeenEvent = true } }
      case .waiting, .showing: break
      }
    }
  }

  /// Completes the calls whose events the list of accessories includes.
  mutating func completeCalls(listedAt activated: AppEventLine) {
    for call in calls {
      guard case .awaitingEvent(let wanted, let outcome) = call.state else { continue }
      // An event that came after `activated` is yet to be read.
      let isListed = wanted.map { $0.epoch != activated.epoch || $0.sequence < activated.sequence } ?? true
      if isListed { complete(call.id, .success(outcome)) }
    }
  }

  // MARK: - Ends of connections and time

  mutating func linkOfCallIsGone(_ id: CallID, _ error: SessionError) {
    guard let call = calls.first(where: { $0.id == id }) else { return }
    guard call.request.isStream, case .sent = call.state else {
      return complete(id, .failure(error))
    }
    let pause = now + .milliseconds(250)
    change(id) { ($0.state, $0.notBefore) = (.waiting, pause) }
  }

  mutating func expireCalls() {
    for call in calls {
      guard let deadline = call.deadline, deadline <= now else { continue }
      switch call.state {
      case .waiting:
        complete(call.id, .failure(silence.error ?? (isStreaming ? .busy : .silent)))
      case .sent(let link):
        close(link)
        complete(call.id, .failure(.late(call.request.method)))
      case .awaitingEvent(nil, let outcome): complete(call.id, .success(outcome))
      case .awaitingEvent(_?, _): complete(call.id, .failure(.eventIsLate(call.request.method)))
      case .showing: break
      }
    }
  }
}
