// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
import Interfaces
import JSON
import VarlinkClient

/// Names a client's connection; its maker chooses it, and never again.
public struct ESPHomeClientID: Hashable, Sendable {
  public let number: UInt64
  public init(_ number: UInt64) { self.number = number }
}

/// The gateway as an ESPHome device: its clients on one side, the agent on the other. A pure state machine: bytes and the time
/// go in; bytes and connections to make come out.
///
/// Clients get the reports that the agent forwards, and nothing decides here what may pass. Capacity: ``clientsMax`` clients,
/// ``clientsOfAddressMax`` of one address.
public struct ESPHomeBridge: Sendable {
  public enum Input: Sendable {
    /// Connects to the agent. Comes once, first.
    case start
    /// A client has connected. `secret` is 32 random bytes.
    case accepted(ESPHomeClientID, address: String, secret: [UInt8])
    case received(ESPHomeClientID, [UInt8])
    /// How many bytes of ``unsent(of:)`` were sent.
    case sent(ESPHomeClientID, Int)
    case ended(ESPHomeClientID)
    /// What has happened to a connection to the agent.
    case agentOpened(BridgeCallID)
    case agentEnded(BridgeCallID, String)
    case agentReceived(BridgeCallID, [UInt8])
    /// A message of the socket that came with ``reportsCall``.
    case reports([UInt8])
    /// That socket was closed, or did not come.
    case reportsEnded
    /// A device's socket came with the reply to the call of this name.
    case linkOpened(BridgeCallID)
    /// A packet of the Attribute Protocol came from it.
    case linkReceived(BridgeCallID, [UInt8])
    /// ``packet(of:)`` was sent.
    case linkSent(BridgeCallID)
    case linkEnded(BridgeCallID, LinkEnd)
    /// The name by which the host is announced, which may not be its own where another host has that.
    case named(String)
    /// The file of the key has this one now. Clients that connected with another have to connect again. Without effect on a
    /// gateway that has no key.
    case replaceKey([UInt8])
    /// For ten minutes a client may give the gateway its key, in plaintext.
    case enrol
    case timePassed
  }

  /// Why a device's socket has ended.
  public enum LinkEnd: Sendable {
    case byDevice, byGateway, lost
  }

  public enum Effect: Equatable, Sendable {
    /// Nothing more is reported about the client.
    case close(ESPHomeClientID)
    /// ``BridgeClient/Effect``: open, send or close a connection to the agent.
    case openAgent(BridgeCallID)
    case sendAgent(BridgeCallID, [UInt8])
    case closeAgent(BridgeCallID)
    /// Close the device's socket of this name, if there is one; nothing more is reported about it.
    case closeLink(BridgeCallID)
    /// Keep the key in its file.
    case store(key: [UInt8])
    /// What the announcement on the network says has changed: see ``isEncrypted``.
    case announce
    case log(Notice)
  }

  /// What the log says.
  public enum Notice: Equatable, Sendable {
    case agentIsThere
    case agentIsAway(String)
    /// The manifest has no section for this account.
    case notABridge
    case agentIsOlder
    /// The agent takes the account for an operator, who is no bridge.
    case accountIsOperator
    case refused(String)
    /// `count` connections failed so since the last line of the kind.
    case clientFailed(ESPHomeError, address: String, count: Int)
    case enrolling
    case enrolled(address: String)
    case enrolmentEnded
  }

  /// An action of a client that the agent has not replied to.
  private struct PendingAction {
    let client: ESPHomeClientID
    let call: UInt32
    let accessory: String
    /// The new name; nil for a removal.
    let name: String?
  }

  /// The longest message of ``Input/reports(_:)``.
  public static let messageBytesMax = ReportMessage.byteCountMax
  public static let clientsMax = 32
  public static let clientsOfAddressMax = 4
  private static let enrolmentSpan = Duration.seconds(600)
  private static let untrusted = "the gateway waits for a key, and until then does nothing without encryption"
  /// A kind of failure is logged once in this long.
  private static let noticePause = Duration.seconds(60)
  /// Counts are sent to clients once in this long.
  private static let countPause = Duration.seconds(10)

  /// The call whose connection brings the socket of reports.
  public static let reportsCall = BridgeCallID(1)
  private static let accessoriesCall = BridgeCallID(2)
  private static let statusCall = BridgeCallID(3)
  private static let openCall = BridgeCallID(4)
  private static let requestsCall = BridgeCallID(5)
  private static let chooseCall = BridgeCallID(6)
  private static let scanCall = BridgeCallID(7)
  static let sessionCall = BridgeCallID(8)
  private static let firstConnectionCall = 9
  private static let firstActionCall = 100

  private var identity: GatewayIdentity
  private var key: [UInt8]?
  private var enrolmentEnd: Duration?
  var agent = BridgeClient()
  var clients: [ESPHomeClientID: ClientSession] = [:]
  var now = Duration.zero
  var effects: [Effect] = []

  /// The bridge's section of the manifest; nil until the agent has said it.
  private var section: BridgeLine?
  var accessories = AccessoryBook()
  private var isListInterrupted = false
  private var inclusion = Inclusion()
  private var radio: (state: ReportRadioState, isActive: Bool)?
  /// The radio, as clients see it.
  private var shownRadio: (state: ReportRadioState, isActive: Bool)? { section == nil ? nil : radio }
  /// The clients that want active scanning.
  private var scanners: Set<ESPHomeClientID> = []
  private var isScanAsked = false
  /// The actions whose result is awaited.
  private var actions: [BridgeCallID: PendingAction] = [:]
  private var lastAction = Self.firstActionCall
  private var failures: [ESPHomeError: (last: Duration, count: Int)] = [:]
  private var lastProblem: Notice?

  /// The bridge's own session, if its account is an app's, too.
  var session: AppSession?
  /// Whether the features say that clients may connect to accessories: as it was when the agent was last there.
  var offersConnections = false
  var connections = DeviceConnections(first: Self.firstConnectionCall)

  /// Reports that clients got, that they did not read in time, and that the agent's stream missed.
  private var counts = ReportCounts()
  private var countsSentAt: Duration?

  /// The time of day, in seconds since 1970; nil while the clock is not set.
  public var wallSeconds: UInt32?

  /// `key` has 32 bytes; nil serves everything in plaintext.
  public init(_ identity: GatewayIdentity, key: [UInt8]?) { (self.identity, self.key) = (identity, key) }

  /// Whether clients need the key now.
  public var isEncrypted: Bool { key != nil && enrolmentEnd == nil }

  /// What the client is to be sent next.
  public func unsent(of id: ESPHomeClientID) -> [UInt8] { clients[id]?.frames.unsent ?? [] }

  public var nextDeadline: Duration? {
    let counted = counts.areSent ? nil : countsSentAt.map { $0 + Self.countPause } ?? now
    let others = [
      agent.nextDeadline, enrolmentEnd, connections.nextDeadline,
      clients.values.contains { $0.wantsStates } ? counted : nil,
    ]
    return (others + clients.values.map(\.deadline)).compactMap { $0 }.min()
  }

  public mutating func step(_ input: Input, at time: Duration) -> [Effect] {
    now = max(now, time)
    switch input {
    case .start:
      callAgent(.begin(Self.reportsCall, .kept(GatewayMethodName.watchReports)))
      callAgent(
        .begin(Self.accessoriesCall, .kept(OperatorMethodName.list) { json in json.member("follows", true) }))
    case .accepted(let id, let address, let secret): accept(id, address, secret)
    case .received(let id, let bytes): receive(bytes, from: id)
    case .sent(let id, let count):
      clients[id]?.wasSent(count)
      finish(id)
    case .ended(let id): forget(id)
    case .agentOpened(let id): callAgent(.opened(id))
    case .agentEnded(let id, let reason): callAgent(.ended(id, reason))
    case .agentReceived(let id, let bytes): callAgent(.received(id, bytes))
    case .reports(let bytes): receiveReports(bytes)
    case .reportsEnded: callAgent(.renew(Self.reportsCall))
    case .linkOpened(let id): performConnecting(connections.opened(id, at: now))
    case .linkReceived(let id, let bytes): performConnecting(connections.receive(bytes, on: id, at: now))
    case .linkSent(let id): performConnecting(connections.packetSent(on: id, at: now))
    case .linkEnded(let id, let end): performConnecting(connections.ended(id, .init(end)))
    case .named(let host): identity.name = host
    case .replaceKey(let bytes): replaceKey(bytes)
    case .enrol:
      enrolmentEnd = now + Self.enrolmentSpan
      effects += [.announce, .log(.enrolling)]
    case .timePassed: break
    }
    advance()
    writeMarks()
    defer { effects = [] }
    return effects
  }

  private mutating func advance() {
    callAgent(.timePassed)
    performConnecting(connections.advance(to: now))
    if let end = enrolmentEnd, end <= now {
      enrolmentEnd = nil
      effects += [.announce, .log(.enrolmentEnded)]
    }
    for id in clients.keys.sorted(by: { $0.number < $1.number }) {
      guard var client = clients[id] else { continue }
      let result = Result { () throws(ESPHomeError) in try client.advance(to: now) }
      clients[id] = client
      switch result {
      case .success(let (sent, lost)): counts.add(sent: sent, lost: lost)
      case .failure(let error): fail(id, error)
      }
    }
    if !counts.areSent, countsSentAt.map({ $0 + Self.countPause <= now }) ?? true {
      countsSentAt = now
      counts.areSent = true
      mark(.forwarded, .missed)
    }
  }

  // MARK: - Clients

  private mutating func accept(_ id: ESPHomeClientID, _ address: String, _ secret: [UInt8]) {
    let ofAddress = clients.values.count { $0.address == address }
    guard clients.count < Self.clientsMax, ofAddress < Self.clientsOfAddressMax else {
      count(.tooMany, of: address)
      return effects.append(.close(id))
    }
    let frames = FrameCoding(
      sharedKey: isEncrypted ? key : nil, secret: secret, name: identity.name, address: identity.addressDigits
    )
    clients[id] = ClientSession(address: address, frames, at: now)
  }

  private mutating func forget(_ id: ESPHomeClientID) {
    guard clients.removeValue(forKey: id) != nil else { return }
    setScanning(id, isActive: false)
    performInclusion(inclusion.clientEnded(id))
    performConnecting(connections.clientEnded(id))
  }

  private mutating func close(_ id: ESPHomeClientID) {
    guard clients[id] != nil else { return }
    effects.append(.close(id))
    forget(id)
  }

  /// Ends a connection; what it was to be sent is sent first, if the client reads.
  mutating func fail(_ id: ESPHomeClientID, _ error: ESPHomeError) {
    guard let client = clients[id] else { return }
    count(error, of: client.address)
    switch error {
    case .silent, .unread: close(id)
    case .plaintext, .encrypted, .tooLong, .malformedMessage, .wrongKey, .notGenuine, .tooMany:
      endAfterSending(id)
    }
  }

  private mutating func endAfterSending(_ id: ESPHomeClientID) {
    clients[id]?.end(at: now)
    finish(id)
  }

  /// Closes the connection if it is over and everything was sent.
  private mutating func finish(_ id: ESPHomeClientID) {
    if let client = clients[id], client.isEnding, client.frames.unsent.isEmpty { close(id) }
  }

  /// One line a minute for each kind of failure.
  private mutating func count(_ error: ESPHomeError, of address: String) {
    let before = failures[error] ?? (last: now - Self.noticePause, count: 0)
    guard before.last + Self.noticePause <= now else {
      failures[error] = (before.last, before.count + 1)
      return
    }
    failures[error] = (now, 0)
    effects.append(.log(.clientFailed(error, address: address, count: before.count + 1)))
  }

  private mutating func receive(_ bytes: [UInt8], from id: ESPHomeClientID) {
    do throws(ESPHomeError) {
      guard let messages = try clients[id]?.receive(bytes, at: now) else { return }
      for message in messages where clients[id]?.isEnding == false {
        try answer(try ClientMessage(message), of: id)
      }
    } catch { fail(id, error) }
  }

  mutating func send(_ message: APIMessage, to id: ESPHomeClientID) throws(ESPHomeError) {
    try clients[id]?.send(message)
  }

  private mutating func answer(_ message: ClientMessage, of id: ESPHomeClientID) throws(ESPHomeError) {
    guard let client = clients[id] else { return }
    guard client.hasGreeted || message == .hello else { throw .malformedMessage }
    // Before a client has shown a key, it learns nothing but how to give one.
    let isTrusted = enrolmentEnd == nil || client.frames.isEncrypted
    switch message {
    case .hello:
      clients[id]?.greet()
      try send(.hello(identity), to: id)
    case .authentication: try send(.authenticated, to: id)
    case .disconnect:
      try send(.disconnected, to: id)
      endAfterSending(id)
    case .disconnected: endAfterSending(id)
    case .ping: try send(.pong, to: id)
    case .pong, .other: break
    case .deviceInfo: try send(.deviceInfo(identity, hasConnections: offersConnections), to: id)
    case .entities:
      for entity in entities { try send(entity.listing(apps: section?.apps ?? []), to: id) }
      for action in permittedActions { try send(action.listing, to: id) }
      try send(.entitiesDone, to: id)
      clients[id]?.hasEntities = true
    case .states:
      clients[id]?.wantsStates = true
      for entity in entities { clients[id]?.mark(entity) }
    case .time: if let wallSeconds { try send(.time(wallSeconds), to: id) }
    case .reports:
      clients[id]?.wantsReports = isTrusted
      clients[id]?.isScannerDirty = true
    case .noReports: clients[id]?.wantsReports = false
    case .scan(let isActive):
      if isTrusted { setScanning(id, isActive: isActive) }
      clients[id]?.isScannerDirty = true
    case .key(let text): try receiveKey(text, of: id)
    case .turn(let entity, let isOn):
      if isTrusted, entity == Entity.inclusion.rawValue, permits(.pick) {
        performInclusion(inclusion.turn(on: isOn, by: id))
      }
    case .press(let entity): if isTrusted, permits(.pick) { press(Entity(rawValue: entity)) }
    case .select(let entity, let app):
      if isTrusted, entity == Entity.app.rawValue {
        inclusion.select(app: app, of: section?.apps ?? [])
        mark(.app)
      }
    case .action(let number, let arguments, let call):
      guard isTrusted else { return try send(.actionResult(call, error: Self.untrusted), to: id) }
      try performAction(AccessoryAction(rawValue: number), arguments, of: id, call)
    case .connections, .device, .services, .read, .write, .notify:
      if isTrusted { answerConnecting(message, of: id) }
    }
  }

  private mutating func receiveKey(_ text: String, of id: ESPHomeClientID) throws(ESPHomeError) {
    guard enrolmentEnd != nil, let new = GatewayKey(text: text), let address = clients[id]?.address else {
      return try send(.keyStored(false), to: id)
    }
    key = new.bytes
    enrolmentEnd = nil
    try send(.keyStored(true), to: id)
    effects += [.store(key: new.bytes), .announce, .log(.enrolled(address: address))]
    // From now on everything is encrypted.
    for other in clients.keys where other != id { endAfterSending(other) }
  }

  private mutating func replaceKey(_ new: [UInt8]) {
    guard let key, key != new else { return }
    (self.key, enrolmentEnd) = (new, nil)
    effects.append(.announce)
    for id in clients.keys { endAfterSending(id) }
  }

  // MARK: - Entities

  private func permits(_ permission: BridgePermission) -> Bool { section?.may.contains(permission) ?? false }

  private var entities: [Entity] { Entity.allCases.filter { !$0.needsPick || permits(.pick) } }

  private var permittedActions: [AccessoryAction] {
    AccessoryAction.allCases.filter { permits($0 == .rename ? .rename : .remove) }
  }

  private func state(of entity: Entity) -> EntityState? {
    switch entity {
    case .inclusion: .flag(inclusion.isOn)
    case .app: inclusion.app.map { .text($0) } ?? .missing
    case .candidate: .text(inclusion.text)
    case .accept, .next: nil
    case .accessories: shownRadio == nil ? .missing : .count(UInt64(accessories.count))
    case .forwarded: .count(counts.sent)
    case .missed: .count(counts.missed)
    case .radio: .flag(shownRadio?.state == .on)
    }
  }

  private mutating func mark(_ entities: Entity...) {
    for id in clients.keys { for entity in entities { clients[id]?.mark(entity) } }
  }

  private mutating func writeMarks() {
    for id in clients.keys.sorted(by: { $0.number < $1.number }) {
      guard let (marked, isScanner) = clients[id]?.takeMarks() else { continue }
      do throws(ESPHomeError) {
        if isScanner { try send(scannerState, to: id) }
        for entity in marked where entities.contains(entity) {
          if let state = state(of: entity) { try send(entity.state(state), to: id) }
        }
      } catch { fail(id, error) }
    }
  }

  private var scannerState: APIMessage {
    let state: ScannerState =
      switch shownRadio?.state {
      case .on: .running
      case .off: .idle
      case .recovering: .starting
      case .absent, nil: .failed
      }
    let isActive = shownRadio?.isActive ?? false
    return .scanner(state, isActive: isActive, isSetActive: isActive && !isScanAsked)
  }

  // MARK: - Inclusion and actions

  private mutating func press(_ entity: Entity?) {
    switch entity {
    case .accept: performInclusion(inclusion.accept())
    case .next:
      inclusion.next()
      mark(.candidate)
    case .inclusion, .app, .candidate, .accessories, .forwarded, .missed, .radio, nil: break
    }
  }

  private mutating func performInclusion(_ wanted: [Inclusion.Effect]) {
    for effect in wanted {
      switch effect {
      case .open(let app):
        let parameters = OpenParameters(app: app, count: 256, discoveryTimeout: "long")
        callAgent(
          .begin(
            Self.openCall,
            .once(OperatorMethodName.open) { json in parameters.writeMembers(to: &json) }))
        callAgent(.begin(Self.requestsCall, .kept(OperatorMethodName.watch)))
      case .close: endRequest()
      case .choose(let request, let candidate, let name):
        callAgent(.cancel(Self.chooseCall))
        callAgent(
          .begin(
            Self.chooseCall,
            .once(OperatorMethodName.choose, within: .seconds(170)) { json in
              json.member("request", request)
              json.member("candidate", candidate)
              if let name { json.member("name", name) }
            }))
      }
    }
    mark(.inclusion, .candidate)
  }

  private mutating func endRequest() {
    for call in [Self.openCall, Self.requestsCall, Self.chooseCall] { callAgent(.cancel(call)) }
  }

  private mutating func performAction(
    _ action: AccessoryAction?, _ arguments: [String], of id: ESPHomeClientID, _ call: UInt32
  ) throws(ESPHomeError) {
    guard let action, permittedActions.contains(action), arguments.count >= action.arguments.count else {
      return try send(.actionResult(call, error: "the gateway does not allow it"), to: id)
    }
    let accessory: String
    do throws(AccessoryBook.NameError) { accessory = try accessories.identifier(of: arguments[0]) } catch {
      return try send(.actionResult(call, error: error.sentence), to: id)
    }
    lastAction += 1
    let method = action == .rename ? OperatorMethodName.rename : .remove
    let name = action == .rename ? arguments[1] : nil
    actions[BridgeCallID(lastAction)] = PendingAction(
      client: id, call: call, accessory: accessory, name: name)
    callAgent(
      .begin(
        BridgeCallID(lastAction),
        .once(method) { json in
          json.member("accessory", accessory)
          if let name { json.member("name", name) }
        }))
  }

  private mutating func finishAction(_ id: BridgeCallID, error: String?) {
    guard let action = actions.removeValue(forKey: id) else { return }
    if error == nil {
      // The client's next action may come before the agent's list says it.
      if let name = action.name {
        accessories.wasRenamed(action.accessory, to: name)
      } else {
        accessories.wasRemoved(action.accessory)
        mark(.accessories)
      }
    }
    do throws(ESPHomeError) { try send(.actionResult(action.call, error: error), to: action.client) } catch {
      fail(action.client, error)
    }
  }

  // MARK: - Reports and the radio

  private mutating func receiveReports(_ bytes: [UInt8]) {
    guard let message = try? ReportMessage(bytes) else {
      counts.unreadable += 1
      return
    }
    counts.note(missed: message.missed)
    switch message.content {
    case .radio(let state, let isActive):
      radio = (state, isActive)
      markRadio()
    case .reports(let reports):
      // Of operators it is a stream of everything.
      guard section != nil else { return }
      for report in reports where report.record.rssi != 127 && report.record.identity.type != .anonymous {
        for id in clients.keys {
          if let (sent, lost) = clients[id]?.add(report, at: now) { counts.add(sent: sent, lost: lost) }
        }
      }
    }
  }

  private mutating func markRadio() {
    for id in clients.keys where clients[id]?.wantsReports == true { clients[id]?.isScannerDirty = true }
    mark(.radio, .accessories)
  }

  /// The radio scans actively while a client wants it, a minute at most.
  private mutating func setScanning(_ id: ESPHomeClientID, isActive: Bool) {
    if isActive { scanners.insert(id) } else { scanners.remove(id) }
    if scanners.isEmpty, isScanAsked {
      isScanAsked = false
      callAgent(.cancel(Self.scanCall))
    } else if isActive, permits(.scan) {
      callAgent(.cancel(Self.scanCall))
      isScanAsked = true
      callAgent(
        .begin(
          Self.scanCall,
          .once(GatewayMethodName.scanActively, within: nil) { json in json.member("seconds", 60) }))
    }
  }

  // MARK: - The agent

  mutating func callAgent(_ input: BridgeClient.Input) {
    for effect in agent.step(input, at: now) {
      switch effect {
      case .open(let id): effects.append(.openAgent(id))
      case .send(let id, let bytes): effects.append(.sendAgent(id, bytes))
      case .close(let id): effects.append(.closeAgent(id))
      case .reply(let id, let reply): receive(reply, of: id)
      case .failed(let id, let failure): callFailed(id, failure.sentence)
      case .isThere: note(.agentIsThere)
      case .isAway(let reason): agentIsAway(reason)
      }
    }
  }

  /// Says what is wrong with the agent once.
  private mutating func note(_ notice: Notice) {
    guard lastProblem != notice else { return }
    lastProblem = notice
    effects.append(.log(notice))
  }

  private mutating func agentIsAway(_ reason: String) {
    note(.agentIsAway(reason))
    radio = nil
    counts.restart()
    session = nil
    performConnecting(connections.agentIsAway())
    endInclusion("The gateway is away")
    markRadio()
  }

  private mutating func receive(_ reply: ReceivedReply, of id: BridgeCallID) {
    if id.number > Self.firstActionCall { return finishAction(id, error: reply.refusal) }
    if connections.owns(id) { return connectionAnswered(id, reply) }
    switch id {
    case Self.sessionCall: sessionAnswered(reply)
    case Self.reportsCall: reportsAnswered(reply)
    case Self.accessoriesCall: accessoriesAnswered(reply)
    case Self.statusCall: statusAnswered(reply)
    case Self.openCall: openAnswered(reply)
    case Self.requestsCall:
      guard let line: PickerReply = reply.line() else { return }
      inclusion.update(line)
      mark(.candidate)
    case Self.chooseCall:
      guard let reason = reply.refusal else { return }
      inclusion.refused(reason)
      mark(.candidate)
    case Self.scanCall: isScanAsked = false
    default: break
    }
  }

  private mutating func reportsAnswered(_ reply: ReceivedReply) {
    if reply.isPermissionDenied {
      note(.notABridge)
      return dropSection()
    }
    if reply.isUnknownMethod { return note(.agentIsOlder) }
    if let refusal = reply.refusal { return note(.refused(refusal)) }
    note(.agentIsThere)
    counts.restart()
    askStatus()
    openSession()
  }

  /// What the bridge may do has changed when the agent ends the list, which it does not say to the stream of reports.
  private mutating func accessoriesAnswered(_ reply: ReceivedReply) {
    if reply.error != nil || !reply.continues {
      accessories.restart()
      isListInterrupted = true
      return section == nil ? () : askStatus()
    }
    // Another reload may have come before the list was there again.
    if isListInterrupted { askStatus() }
    isListInterrupted = false
    accessories.update(reply)
    mark(.accessories)
  }

  // MARK: - The section

  private mutating func askStatus() {
    callAgent(.cancel(Self.statusCall))
    callAgent(.begin(Self.statusCall, .once(GatewayMethodName.status)))
  }

  private mutating func statusAnswered(_ reply: ReceivedReply) {
    if let status: StatusLine = reply.line() { return adopt(status) }
    guard reply.isPermissionDenied else { return }
    note(.notABridge)
    dropSection()
    // Its call is made again until the section is there.
    callAgent(.renew(Self.reportsCall))
  }

  /// Without a section, the bridge does nothing.
  private mutating func dropSection() {
    guard section != nil else { return }
    section = nil
    accessories = AccessoryBook()
    inclusion.allow(apps: [])
    endInclusion("The manifest has no section of the bridge")
    markRadio()
    sendClientsAway()
  }

  private mutating func endInclusion(_ reason: String) {
    performInclusion(inclusion.isOn ? [.close] : [])
    inclusion.closed(reason)
    mark(.inclusion, .candidate)
  }

  /// Takes what the manifest says of the bridge.
  private mutating func adopt(_ status: StatusLine) {
    guard let new = status.bridge else {
      // Only operators learn of all apps.
      let isOlder = status.apps == nil || Self.isOlder(status.version, than: identity.version)
      note(isOlder ? .agentIsOlder : .accountIsOperator)
      return dropSection()
    }
    guard new != section else { return }
    section = new
    markRadio()
    inclusion.allow(apps: new.apps)
    if !permits(.pick) { endInclusion("The manifest does not allow it any more") }
    sendClientsAway()
  }

  /// Whether a version, of numbers with dots between them, is older than another.
  private static func isOlder(_ version: String, than other: String) -> Bool {
    let numbers = [version, other].map { $0.split(separator: ".").map { Int($0) ?? 0 } }
    return numbers[0].lexicographicallyPrecedes(numbers[1])
  }

  /// Clients ask for entities and features once in a connection, so that they have to come back when these change.
  mutating func sendClientsAway() {
    for (id, client) in clients where client.hasEntities {
      try? send(.goodbye, to: id)
      endAfterSending(id)
    }
  }

  private mutating func openAnswered(_ reply: ReceivedReply) {
    let line = JSONObjectReader(reply.parameters)
    if let request = try? line.stringIfPresent("request") {
      inclusion.opened(request)
    } else if let name = try? line.stringIfPresent("displayName") {
      inclusion.added(name)
    } else {
      endRequest()
      inclusion.closed(reply.refusal)
    }
    mark(.inclusion, .candidate)
  }

  private mutating func callFailed(_ id: BridgeCallID, _ reason: String) {
    if id.number > Self.firstActionCall { return finishAction(id, error: reason) }
    if connections.owns(id) { return performConnecting(connections.answered(id, .refused)) }
    switch id {
    case Self.openCall:
      endRequest()
      inclusion.closed(reason)
    case Self.chooseCall: inclusion.refused(reason)
    case Self.scanCall: isScanAsked = false
    default: return
    }
    mark(.inclusion, .candidate)
  }
}

/// The reports that clients have asked for: sent, and missed on the way.
struct ReportCounts: Sendable {
  private(set) var sent: UInt64 = 0
  private var lost: UInt64 = 0
  /// Missed by the agent's present stream, and by those before it.
  private var missedByStream: UInt64 = 0
  private var missedBefore: UInt64 = 0
  var unreadable: UInt64 = 0
  /// Whether clients know the counts.
  var areSent = false

  var missed: UInt64 { lost + missedByStream + missedBefore }

  mutating func add(sent: Int, lost: Int) {
    guard sent + lost > 0 else { return }
    self.sent += UInt64(sent)
    self.lost += UInt64(lost)
    areSent = false
  }

  mutating func note(missed: UInt64) {
    guard missed != missedByStream else { return }
    missedByStream = missed
    areSent = false
  }

  /// A new stream counts from 0.
  mutating func restart() { (missedBefore, missedByStream) = (missedBefore + missedByStream, 0) }
}
