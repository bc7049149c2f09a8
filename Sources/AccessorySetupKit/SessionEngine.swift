// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Interfaces
package import SessionClient

/// Drives a session's state machine: a serial queue of its own for sockets and time, and the app's queue for everything
/// that the app learns. It never holds the session.
package final class SessionEngine: @unchecked Sendable {
  package typealias Completion = @Sendable (Result<CallOutcome, SessionError>) -> Void

  /// The app's event handler, which is called on its queue alone.
  private struct EventHandler: @unchecked Sendable {
    let call: (ASAccessoryEvent) -> Void
  }

  /// What the app can read, from any thread. It changes on the app's queue.
  private struct Readable {
    var accessories: [ASAccessory] = []
    var radio: String?
    var radioHandler: (@Sendable (ASRadioState) -> Void)?
    var silenceHandler: (@Sendable () -> Void)?
    var handler: EventHandler?
    /// The app ended the session: nothing follows but `invalidated`.
    var isInvalidated = false
    var hasActivated = false
    var nextCall: UInt64 = 0
    /// For the calls that have not completed.
    var completions: [CallID: Completion] = [:]
    var advertisements: [CallID: @Sendable (ASAdvertisement) -> Void] = [:]
  }

  /// The session that this engine drives; set once, before anything else.
  weak var session: ASAccessorySession?

  private let gateway: ASGateway
  private let readable = Locked(Readable())
  private let queue = DispatchQueue(label: "io.accessoryd.session")

  // On the own queue.
  private var client: SessionClient
  private var sockets: [SessionLinkID: SessionSocket] = [:]
  /// The links that wait for their turn.
  private var linksInLine: Set<SessionLinkID> = []
  private var inputs: [SessionInput] = []
  private var isStepping = false
  private var timer: (any DispatchSourceTimer)?
  /// A thread sleeps until the next attempt, because no timer can be made.
  private var isSleeping = false
  /// Where deliveries go. Before the session is activated there is only the refusal of calls.
  private var appQueue = DispatchQueue(label: "io.accessoryd.session.refusals")

  init(_ gateway: ASGateway) {
    self.gateway = gateway
    client = SessionClient(app: gateway.app)
  }

  // MARK: - The app's side, from any thread

  var accessories: [ASAccessory] { readable.withLock { $0.accessories } }

  var radioState: ASRadioState { Self.state(readable.withLock { $0.radio }) }

  var radioHandler: (@Sendable (ASRadioState) -> Void)? {
    get { readable.withLock { $0.radioHandler } }
    set { readable.withLock { $0.radioHandler = newValue } }
  }

  /// Called on the session's queue when the agent could not be reached for 2 s, and again each minute.
  package func setSilenceHandler(_ handler: (@Sendable () -> Void)?) {
    readable.withLock { $0.silenceHandler = handler }
  }

  func activate(on appQueue: DispatchQueue, handler: @escaping (ASAccessoryEvent) -> Void) {
    let handler = EventHandler(call: handler)
    let isFirst = readable.withLock { readable in
      guard !readable.hasActivated, !readable.isInvalidated else { return false }
      readable.hasActivated = true
      readable.handler = handler
      return true
    }
    guard isFirst else { return Notices.say("activate(on:eventHandler:) was called again, and is ignored") }
    queue.async {
      self.appQueue = appQueue
      self.step(.activate)
    }
  }

  func invalidate(isReported: Bool) {
    let isFirst = readable.withLock { readable in
      guard !readable.isInvalidated else { return false }
      readable.isInvalidated = true
      if !isReported { readable.handler = nil }
      return true
    }
    // A session that is let go right after the app ended it still reports its end.
    guard isFirst else { return }
    queue.async { self.step(.invalidate(isReported: isReported)) }
  }

  @discardableResult
  func beginCall(
    _ request: Result<SessionRequest, SessionError>,
    advertisement: (@Sendable (ASAdvertisement) -> Void)? = nil, completion: @escaping Completion
  ) -> CallID {
    let id = readable.withLock { readable in
      let id = CallID(readable.nextCall)
      readable.nextCall += 1
      readable.completions[id] = completion
      readable.advertisements[id] = advertisement
      return id
    }
    queue.async {
      switch request {
      case .success(let request): self.step(.begin(id, request))
      case .failure(let error): self.step(.refuse(id, error))
      }
    }
    return id
  }

  func cancel(_ id: CallID) {
    queue.async { self.step(.cancel(id)) }
  }

  // MARK: - Steps, on the own queue

  private func step(_ input: SessionInput) {
    inputs.append(input)
    stepInputs()
  }

  private func stepInputs() {
    guard !isStepping else { return }
    isStepping = true
    while !inputs.isEmpty {
      for action in client.step(inputs.removeFirst(), at: Self.now) { performAction(action) }
    }
    isStepping = false
    schedule()
  }

  private func performAction(_ action: SessionAction) {
    switch action {
    case .open(let link, nil): open(link)
    case .open(let link, let lane?):
      linksInLine.insert(link)
      CallTurns.await(lane, at: gateway.socketPath, self, link) { [self] in
        queue.async { self.beginTurn(of: link) }
      }
    case .send(let link, let bytes): sockets[link]?.send(bytes)
    case .close(let link): close(link)
    case .closeDescriptor(let descriptor): SessionSocket.close(descriptor)
    case .deliver(let delivery): appQueue.async { self.receive(delivery) }
    }
  }

  private func beginTurn(of link: SessionLinkID) {
    guard linksInLine.remove(link) != nil else { return }
    open(link)
    stepInputs()
  }

  private func close(_ link: SessionLinkID) {
    linksInLine.remove(link)
    sockets.removeValue(forKey: link)?.close()
    CallTurns.end(at: gateway.socketPath, self, link)
  }

  private func open(_ link: SessionLinkID) {
    guard EventLoop.open() else {
      close(link)
      return inputs.append(.linkExhausted(link))
    }
    do throws(SocketError) {
      sockets[link] = try SessionSocket(path: gateway.socketPath, queue: queue) { event in
        switch event {
        case .descriptor(let descriptor): self.step(.receivedDescriptor(link, descriptor))
        case .lostDescriptor: self.step(.lostDescriptor(link))
        case .bytes(let bytes): self.step(.received(link, bytes))
        case .end:
          self.close(link)
          self.step(.linkEnded(link, reason: nil, isPermanent: false))
        }
      }
      inputs.append(.linkOpened(link))
    } catch {
      close(link)
      inputs.append(
        error.isExhausted
          ? .linkExhausted(link)
          : .linkEnded(link, reason: error.reason, cure: error.cure, isPermanent: error.isPermanent))
    }
  }

  private func schedule() {
    guard let deadline = client.nextDeadline else {
      timer?.cancel()
      timer = nil
      return
    }
    guard EventLoop.open() else { return sleep(until: deadline) }
    if timer == nil {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { [weak self] in self?.step(.timePassed) }
      timer.activate()
      self.timer = timer
    }
    let nanoseconds = max(deadline - Self.now, .zero) / .nanoseconds(1)
    timer?.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)), leeway: .milliseconds(20))
  }

  /// Passes time without a timer, which needs descriptors. It tries again soon, whatever is due.
  private func sleep(until deadline: Duration) {
    guard !isSleeping else { return }
    isSleeping = true
    let pause = min(max(deadline - Self.now, .zero), .milliseconds(250))
    Thread.detachNewThread { [weak self] in
      Thread.sleep(forTimeInterval: pause / .seconds(1))
      guard let self else { return }
      queue.async {
        self.isSleeping = false
        self.step(.timePassed)
      }
    }
  }

  private static var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  // MARK: - Deliveries, on the app's queue

  private func receive(_ delivery: SessionDelivery) {
    switch delivery {
    case .event(let event): receive(event)
    case .completion(let id, let result):
      let completion = readable.withLock { readable in
        readable.advertisements[id] = nil
        return readable.completions.removeValue(forKey: id)
      }
      completion?(result)
    case .advertisement(let id, let line):
      let (receiver, accessory) = readable.withLock { readable in
        (readable.advertisements[id], readable.accessories.first { $0.line.identifier == line.identifier })
      }
      if let accessory { receiver?(ASAdvertisement(line, of: accessory)) }
    case .radio(let state):
      let handler = readable.withLock { readable in
        readable.radio = state
        return readable.isInvalidated ? nil : readable.radioHandler
      }
      handler?(Self.state(state))
    case .unreachable(let error):
      Notices.say(ASError(error), at: gateway.socketPath)
      readable.withLock { $0.isInvalidated ? nil : $0.silenceHandler }?()
    case .leftOut(_, let error):
      Notices.say("an item of the picker was left out: \(ASError(error).localizedDescription)")
    case .ended:
      readable.withLock { readable in
        (readable.handler, readable.radioHandler, readable.silenceHandler) = (nil, nil, nil)
        (readable.radio, readable.accessories) = (nil, [])
      }
      AwaitedAccessories.forget(session: session)
    }
  }

  private func receive(_ event: SessionEvent) {
    let type = ASAccessoryEventType(rawValue: event.type) ?? .unknown
    let (handler, accessory) = readable.withLock { readable -> (EventHandler?, ASAccessory?) in
      guard !readable.isInvalidated || type == .invalidated else { return (nil, nil) }
      let before = readable.accessories
      readable.accessories = event.accessories.map { line in
        before.first { $0.line == line } ?? ASAccessory(line)
      }
      if let discovered = event.discovered { return (readable.handler, ASDiscoveredAccessory(discovered)) }
      let accessory = event.accessory.map { line in
        (readable.accessories + before).first { $0.line == line } ?? ASAccessory(line)
      }
      return (readable.handler, accessory)
    }
    if let line = event.accessory {
      if event.isAwaited {
        AwaitedAccessories.noteAwaited(line.identifier, askedForBy: session)
      } else if type == .accessoryRemoved {
        AwaitedAccessories.noteDecided(line.identifier, isAuthorized: false)
      } else if line.state != ASAccessory.AccessoryState.awaitingAuthorization.rawValue {
        AwaitedAccessories.noteDecided(line.identifier, isAuthorized: true)
      }
    }
    let error = event.error.map { ASError($0) }
    if type == .invalidated, let error { Notices.say(error, at: gateway.socketPath) }
    handler?.call(ASAccessoryEvent(type, accessory: accessory, error: error))
  }

  private static func state(_ text: String?) -> ASRadioState {
    text.flatMap { ASRadioState(rawValue: $0) } ?? .unknown
  }
}

extension ASDiscoveredAccessory {
  /// A device or a network that a picker found. Its identity is the picker and its number.
  fileprivate convenience init(_ device: DiscoveredDevice) {
    let line = device.line
    let advertised = line.bluetoothAdvertisementData.map {
      AdvertisementDictionary($0, isConnectable: line.connectable)
    }
    let accessory = AppAccessoryLine(
      identifier: "\(device.picker):\(line.discovered)",
      displayName: advertised?.name ?? device.item?.name ?? line.ssid?.repaired ?? "", state: 0,
      item: line.item, descriptor: line.descriptor ?? device.item?.descriptor ?? DescriptorLine(),
      ssid: line.ssid, bond: .none, isIdentityDurable: false)
    self.init(
      accessory, descriptor: ASDiscoveryDescriptor(accessory.descriptor), number: line.discovered,
      payload: line.bluetoothAdvertisementData ?? [], rssi: line.bluetoothRSSI.map { Int($0) },
      isConnectable: line.connectable)
  }
}
