// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Varlink
import VarlinkClient

extension SessionClient {
  /// More accessories than any gateway has; a longer list is a mistake of the agent.
  private static let accessoriesMax = 4096

  /// Until the author of the app receives the reason, and then from one time to the next.
  static let noticeDelay = Duration.seconds(2)
  private static let noticePause = Duration.seconds(60)

  /// Closes the stream, and tries again after a while.
  mutating func dropStream(_ link: SessionLinkID, because error: SessionError) {
    close(link)
    silence.error = error
    streamIsGone(link)
  }

  mutating func reportSilence() {
    guard let time = silence.noticeTime, time <= now else { return }
    silence.noticeTime = now + Self.noticePause
    deliver(.unreachable(silence.error ?? .silent))
  }

  mutating func streamIsGone(_ link: SessionLinkID) {
    switch phase {
    case .opening(link), .activating(link, _, _), .listing(link, _, _), .streaming(link): break
    case .opening, .activating, .listing, .streaming, .idle, .pausing, .ended: return
    }
    if silence.noticeTime == nil { silence.noticeTime = now + Self.noticeDelay }
    enter(.pausing(until: now + retry.takePause()))
    report(radio: nil)
  }

  mutating func receivedStreamReply(_ reply: ReceivedReply, on link: SessionLinkID) {
    switch phase {
    case .activating(link, let isResuming, _):
      if reply.error != nil { return activationFailed(reply, on: link, isResuming: isResuming) }
      receivedGreeting(reply, on: link, isResuming: isResuming)
    case .listing(link, let greeting, let until):
      receivedAccessories(reply, of: greeting, on: link, until: until)
    case .streaming(link): receivedEvent(reply, on: link)
    case .activating, .listing, .streaming, .opening, .idle, .pausing, .ended: return
    }
    if !reply.continues, links[link] != nil { dropStream(link, because: .unreachable(nil)) }
  }

  // MARK: - Activate

  private mutating func activationFailed(_ reply: ReceivedReply, on link: SessionLinkID, isResuming: Bool) {
    let error = SessionError(reply: reply)
    switch error.code {
    case .invalidated where isResuming:
      loseSession()
      activate(on: link)
    // The agent has not noticed yet that the stream before has ended.
    case .invalidRequest where isResuming: dropStream(link, because: error)
    case .connectionFailed: dropStream(link, because: error)
    // It cannot read its registry now.
    case .unknown where reply.error == SessionErrorName.unknown.rawValue:
      dropStream(link, because: error)
    case .success, .unknown, .activationFailed, .discoveryTimeout, .extensionNotFound, .invalidated,
      .invalidRequest, .pickerAlreadyActive, .pickerRestricted, .userCancelled, .userRestricted:
      end(because: error)
    }
  }

  /// The agent's session is gone: what it was asked for will not come.
  private mutating func loseSession() {
    token = nil
    pickers.areLost = true
    for call in calls {
      guard case .sent(let link) = call.state else { continue }
      close(link)
      if call.request.isStream {
        change(call.id) { $0.state = .waiting }
      } else {
        complete(call.id, .failure(.sessionLost))
      }
    }
  }

  private mutating func receivedGreeting(_ reply: ReceivedReply, on link: SessionLinkID, isResuming: Bool) {
    let reader = JSONObjectReader(reply.parameters)
    guard let token = try? reader.string("session"), let epoch = try? reader.string("epoch"),
      let sequence: UInt64 = try? reader.integer("sequence")
    else { return linkBroke(link) }
    self.token = token
    let isReset = reply.parameters["isReset"] == .bool(true)
    let next = StreamCursor(epoch: epoch, sequence: sequence)
    reportRadio(of: reader)
    guard isResuming, !isReset, cursor != nil else {
      let greeting = Greeting(token: token, cursor: next, isReset: isReset, isResumed: isResuming)
      return enter(.listing(link, greeting, until: now + .seconds(45)))
    }
    beginStreaming(on: link, from: next)
    settlePickers(openingsUntil: nil)
  }

  private mutating func beginStreaming(on link: SessionLinkID, from next: StreamCursor) {
    cursor = next
    silence = Silence()
    retry.reset()
    enter(.streaming(link))
  }

  /// Collects the accessories; `activated` comes with the last of them.
  private mutating func receivedAccessories(
    _ reply: ReceivedReply, of greeting: Greeting, on link: SessionLinkID, until: Duration
  ) {
    let reader = JSONObjectReader(reply.parameters)
    var greeting = greeting
    for object in (try? reader.objectsIfPresent("accessories")) ?? [] {
      // An accessory that cannot be read is left out; the others stay.
      guard let accessory = try? AppAccessoryLine(reading: object) else { continue }
      greeting.accessories.append(accessory)
    }
    guard greeting.accessories.count <= Self.accessoriesMax else { return linkBroke(link) }
    guard let activated: AppEventLine = (try? reader.lineIfPresent("event")) ?? nil else {
      return enter(.listing(link, greeting, until: until))
    }
    let hasOpenings = greeting.isReset && greeting.cursor.sequence < activated.sequence
    beginStreaming(on: link, from: greeting.cursor)
    if hasReportedActivated {
      reconcile(with: greeting.accessories)
    } else {
      hasReportedActivated = true
      accessories = greeting.accessories
      deliver(SessionEvent(AccessoryEventType.activated.rawValue, accessories: accessories))
    }
    settlePickers(openingsUntil: hasOpenings ? activated.sequence : nil)
    completeCalls(listedAt: activated)
  }

  /// Reports how the present accessories differ from those that the app knows.
  private mutating func reconcile(with present: [AppAccessoryLine]) {
    for accessory in accessories where !present.contains(where: { $0.identifier == accessory.identifier }) {
      remove(accessory)
    }
    for accessory in present where knows(accessory) { store(accessory, as: .accessoryChanged) }
    for accessory in present where !knows(accessory) { store(accessory, as: .accessoryAdded) }
  }

  // MARK: - Events

  private mutating func receivedEvent(_ reply: ReceivedReply, on link: SessionLinkID) {
    guard reply.error == nil else { return dropStream(link, because: SessionError(reply: reply)) }
    let reader = JSONObjectReader(reply.parameters)
    reportRadio(of: reader)
    if reply.parameters["missed"] != nil { return receivedMissed(on: link) }
    // An event that cannot be read is left out; those after it stay.
    guard let event: AppEventLine = (try? reader.lineIfPresent("event")) ?? nil else { return }
    cursor = StreamCursor(epoch: event.epoch, sequence: event.sequence &+ 1)
    if !(event.picker.map(pickers.isAbandoned) ?? false) { handle(event) }
    completeCalls(upTo: event)
    if let until = pickers.openingsUntil, event.sequence &+ 1 >= until { abandonPickers() }
  }

  /// Events were overwritten: the session resumes from the present, with the list of accessories. What an open picker
  /// did may be among them, or that one was presented, so it is given up.
  private mutating func receivedMissed(on link: SessionLinkID) {
    cursor = nil
    let showing = calls.filter(\.isShowingUnnamed)
    if pickers.hasOpen || !showing.isEmpty {
      pickers.areLost = true
      calls.append(PendingCall(id: .internalCall, request: .cancelPicker, deadline: now + .seconds(30)))
    }
    for call in showing { complete(call.id, .failure(.sessionLost)) }
    dropStream(link, because: .eventsMissed)
  }

  private mutating func handle(_ event: AppEventLine) {
    let error = event.error.map { SessionError($0) }
    guard let type = AccessoryEventType.allCases.first(where: { "\($0)" == event.event }) else {
      if event.event == "pickerFinished" { return finishPicker(event.picker, error) }
      guard let number = event.eventType else { return }
      return deliver(
        SessionEvent(number, accessory: event.accessory, error: error, accessories: accessories))
    }
    switch type {
    case .accessoryAdded, .accessoryChanged:
      guard let accessory = event.accessory else { return }
      let isAwaited = type == .accessoryAdded && accessory.state == 10 && pickers.beginSetup()
      let isAnother = event.changed?.contains("device") ?? false
      store(accessory, as: type, isAwaited: isAwaited, isAnotherDevice: isAnother)
    case .accessoryRemoved: if let accessory = event.accessory { remove(accessory) }
    case .accessoryDiscovered:
      guard let line = event.discovered, let picker = event.picker, pickers.isPresented(picker) else {
        return
      }
      let device = DiscoveredDevice(
        line, picker: picker, item: requestedItem(of: picker, at: line.itemIndex))
      deliver(SessionEvent(type.rawValue, discovered: device, accessories: accessories))
    case .pickerDidPresent, .pickerDidDismiss, .pickerSetupBridging, .pickerSetupFailed, .pickerSetupPairing,
      .pickerSetupRename:
      // Without an identifier the event ends a picker of the agent's run before.
      guard pickers.note(type, of: event.picker) else { return }
      deliver(SessionEvent(type.rawValue, error: error, accessories: accessories))
    case .migrationComplete: deliver(SessionEvent(type.rawValue, accessories: accessories))
    case .invalidated: end(because: error)
    // It comes with the accessories, once.
    case .activated, .unknown: break
    }
  }

  // MARK: - Accessories and radio

  private func knows(_ accessory: AppAccessoryLine) -> Bool {
    accessories.contains { $0.identifier == accessory.identifier }
  }

  /// Reports an accessory that is new or has changed; what the app knows already is not reported again.
  private mutating func store(
    _ accessory: AppAccessoryLine, as type: AccessoryEventType, isAwaited: Bool = false,
    isAnotherDevice: Bool = false
  ) {
    var type = type
    if let index = accessories.firstIndex(where: { $0.identifier == accessory.identifier }) {
      guard isAnotherDevice || accessories[index] != accessory else { return }
      accessories[index] = accessory
      type = .accessoryChanged
    } else {
      accessories.append(accessory)
      type = .accessoryAdded
    }
    var event = SessionEvent(type.rawValue, accessory: accessory, accessories: accessories)
    event.isAwaited = isAwaited
    deliver(event)
  }

  private mutating func remove(_ accessory: AppAccessoryLine) {
    guard let index = accessories.firstIndex(where: { $0.identifier == accessory.identifier }) else { return }
    accessories.remove(at: index)
    deliver(
      SessionEvent(
        AccessoryEventType.accessoryRemoved.rawValue, accessory: accessory, accessories: accessories))
  }

  private mutating func reportRadio(of reader: JSONObjectReader) {
    guard let state = (try? reader.stringIfPresent("radio")) ?? nil else { return }
    report(radio: state)
  }

  private mutating func report(radio state: String?) {
    guard state != radio else { return }
    radio = state
    deliver(.radio(state))
  }
}
