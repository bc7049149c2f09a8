// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
import Interfaces
import JSON
import Values
import VarlinkClient

/// The gateway for a broker of MQTT: the agent on one side, the broker on the other. A pure state machine: messages, bytes and
/// the time go in; publications and connections to make come out.
///
/// Each event is published until the broker has acknowledged it, and the position after the acknowledged ones is stored.
/// Nothing decides here what may pass: the agent does. While the broker is away, events stay in the agent's ring. Capacity:
/// that of ``PublicationQueue``, and as many accessories as the agent lists.
public struct MQTTBridge: Sendable {
  public enum Input: Sendable {
    /// Connects to the agent and to the broker. Comes once, first.
    case start
    /// What has happened to a connection to the agent.
    case agentOpened(BridgeCallID)
    case agentEnded(BridgeCallID, String)
    case agentReceived(BridgeCallID, [UInt8])
    /// The broker has accepted the connection.
    case brokerConnected
    /// There is no connection any longer, or none came: why.
    case brokerEnded(String)
    /// The broker has a publication of ``Effect/publish(_:_:)``.
    case acknowledged(Int)
    case received(MQTTMessage)
    /// The position could not be stored: why.
    case notStored(EventCursor, String)
    case configure(MQTTConfiguration)
    /// Says good-bye to the broker; ``Effect/finish`` follows, after a second at most.
    case end
    case timePassed
  }

  public enum Effect: Equatable, Sendable {
    /// ``BridgeClient/Effect``: open, send or close a connection to the agent.
    case openAgent(BridgeCallID)
    case sendAgent(BridgeCallID, [UInt8])
    case closeAgent(BridgeCallID)
    /// Leave the agent's bytes in the socket, or no longer.
    case holdAgent(BridgeCallID, Bool)
    /// Connect to ``configuration``'s broker, which publishes the last will when the connection is lost.
    case connectBroker(lastWill: MQTTMessage)
    /// End the connection at once; nothing more is reported about it.
    case disconnectBroker
    /// Publish a message and report its number when the broker has it.
    case publish(Int, MQTTMessage)
    /// Publish a message that need not arrive.
    case publishOnce(MQTTMessage)
    case subscribe([String])
    case unsubscribe([String])
    /// Store the position in its file.
    case store(EventCursor)
    case finish
    case log(Notice)
  }

  /// What is known of the position from an earlier run.
  public enum StoredCursor: Equatable, Sendable {
    /// There was no earlier run.
    case none
    case known(EventCursor)
    /// The file has no position.
    case unreadable
  }

  private enum BrokerState: Equatable {
    /// Waiting for the next attempt.
    case away(until: Duration)
    case connecting(deadline: Duration)
    case connected
  }

  private static let connectSpan = Duration.seconds(30)
  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(60)
  private static let steadySpan = Duration.seconds(10)
  /// A broker that acknowledges nothing for this long is given up.
  private static let silenceMax = Duration.seconds(20)
  /// How long retained topics of earlier runs are looked for after the connection is made.
  private static let searchSpan = Duration.seconds(30)
  private static let statusPause = Duration.seconds(60)
  /// The position is stored at most this often.
  private static let storePause = Duration.milliseconds(100)
  private static let storeRetryPause = Duration.seconds(5)
  private static let endSpan = Duration.seconds(1)
  private static let changeSpan = Duration.seconds(5)

  private static let accessoriesCall = BridgeCallID(2)
  private static let statusCall = BridgeCallID(3)
  private static let firstEventsCall = 10

  public private(set) var configuration: MQTTConfiguration
  private let host: String
  private let version: String
  private var topics: MQTTTopics
  private var agent = BridgeClient()
  private var queue = PublicationQueue()
  private var now = Duration.zero
  private var effects: [Effect] = []

  private var broker = BrokerState.away(until: .zero)
  private var pause = Self.firstPause
  private var connectedTime = Duration.zero
  /// When something was acknowledged last, or began to wait.
  private var progressTime = Duration.zero
  private var searchEnd: Duration?
  private var emptied = 0
  /// Accessories whose states are removed as soon as their other topics are.
  private var emptying: Set<String> = []

  private var book = AccessoryBook()
  private var isListed = false
  /// Accessories that the broker has topics of, found before the agent's list was read.
  private var found: Set<String> = []
  private var accessories: [String: AccessoryTopics] = [:]
  private var statusTime: Duration?
  private var status: StatusLine?
  private var isAgentThere = false
  private var lastProblem: Notice?
  private var lastBrokerNotice: Notice?

  /// Where reading goes on.
  private var cursor: EventCursor?
  private var isCursorUnreadable: Bool
  /// The call that reads events; nil while none are read. Each has a name of its own, so that what still comes of the one
  /// before is not taken for its replies.
  private var eventsCall: BridgeCallID?
  private var eventsCallCount = 0
  private var isHeld = false
  /// The position that is not stored yet, and when it is to be.
  private var unstored: EventCursor?
  private var storeTime = Duration.zero
  private var lastStoreProblem: String?

  private var commands = PendingCommands()
  private var ending: Duration?
  private var isFinished = false
  private var change: (to: MQTTConfiguration, deadline: Duration)?

  /// `host` is the name of the machine, `version` that of the program.
  public init(_ configuration: MQTTConfiguration, host: String, version: String, cursor stored: StoredCursor)
  {
    (self.configuration, self.host, self.version) = (configuration, host, version)
    topics = MQTTTopics(configuration, host: host)
    if case .known(let cursor) = stored { self.cursor = cursor }
    isCursorUnreadable = stored == .unreadable
  }

  /// The gateway's name in the topics.
  public var gateway: String { topics.gateway }

  private var isConnected: Bool { broker == .connected }
  private var hasConnection: Bool { if case .away = broker { false } else { true } }

  public var nextDeadline: Duration? {
    var deadlines = [agent.nextDeadline, ending, change?.deadline]
    switch broker {
    case .away(let until): deadlines.append(until)
    case .connecting(let deadline): deadlines.append(deadline)
    case .connected:
      deadlines.append(searchEnd)
      if queue.isWaiting { deadlines.append(progressTime + Self.silenceMax) }
      deadlines += accessories.values.map { $0.deadline(pause: configuration.valuePause(app: $0.line.app)) }
    }
    if unstored != nil { deadlines.append(storeTime) }
    if isAgentThere { deadlines.append((statusTime ?? .zero) + Self.statusPause) }
    return deadlines.compactMap { $0 }.min().map { max($0, .zero) }
  }

  public mutating func step(_ input: Input, at time: Duration) -> [Effect] {
    now = max(now, time)
    switch input {
    case .start: start()
    case .agentOpened(let id): callAgent(.opened(id))
    case .agentEnded(let id, let reason): callAgent(.ended(id, reason))
    case .agentReceived(let id, let bytes): callAgent(.received(id, bytes))
    case .brokerConnected: brokerConnected()
    case .brokerEnded(let reason): brokerEnded(reason)
    case .acknowledged(let number): acknowledge(number)
    case .received(let message): receive(message)
    case .notStored(let position, let reason): notStored(position, reason)
    case .configure(let new): reconfigure(new)
    case .end: end()
    case .timePassed: break
    }
    advance()
    defer { effects = [] }
    return effects
  }

  private mutating func start() {
    if isCursorUnreadable { effects.append(.log(.cursorUnreadable)) }
    callAgent(
      .begin(Self.accessoriesCall, .kept(OperatorMethodName.list) { json in json.member("follows", true) }))
    connect()
  }

  private mutating func advance() {
    callAgent(.timePassed)
    advanceBroker()
    if isAgentThere, (statusTime ?? .zero) + Self.statusPause <= now { askStatus() }
    publishDueTopics()
    emptyStates()
    followEvents()
    publishQueued()
    store()
    finishChange()
    if let end = ending, end <= now || queue.isEmpty || !isConnected { finish() }
  }

  // MARK: - The broker

  private mutating func connect() {
    broker = .connecting(deadline: now + Self.connectSpan)
    effects.append(
      .connectBroker(lastWill: MQTTMessage(topics.availability, Array("offline".utf8), retained: true)))
  }

  private mutating func brokerConnected() {
    guard case .connecting = broker else { return }
    broker = .connected
    connectedTime = now
    progressTime = now
    noteBroker(.brokerIsThere)
    var filters = topics.retainedFilters
    if configuration.acceptsCommands { filters.append(topics.commandFilter) }
    if let discovery = topics.discoveryStatus { filters.append(discovery) }
    effects.append(.subscribe(filters))
    searchEnd = now + Self.searchSpan
    publishAvailability()
  }

  private mutating func brokerEnded(_ reason: String) {
    if case .away = broker { return }
    noteBroker(.brokerIsAway(reason))
    dropConnection()
  }

  /// Gives the connection up, whose end is then not reported.
  private mutating func abandonBroker(_ reason: String) {
    effects.append(.disconnectBroker)
    brokerEnded(reason)
  }

  private mutating func dropConnection() {
    // A broker that accepts and then closes, as for two clients of one name, is not asked every second.
    if isConnected, connectedTime + Self.steadySpan <= now { pause = Self.firstPause }
    broker = .away(until: now + pause)
    pause = min(pause * 2, Self.longestPause)
    searchEnd = nil
    queue.disconnect()
    for id in commands.abandonAll() { callAgent(.cancel(id)) }
    // Events that are not read stay in the agent's ring.
    stopEvents()
  }

  private mutating func advanceBroker() {
    switch broker {
    case .away(let until): if until <= now, ending == nil, !isFinished { connect() }
    case .connecting(let deadline): if deadline <= now { abandonBroker("it does not reply") }
    case .connected:
      if queue.isWaiting, progressTime + Self.silenceMax <= now {
        return abandonBroker("it acknowledges nothing")
      }
      guard let end = searchEnd, end <= now else { return }
      searchEnd = nil
      effects.append(.unsubscribe(topics.retainedFilters))
      if emptied > 0 { effects.append(.log(.emptied(emptied))) }
      emptied = 0
    }
  }

  private mutating func acknowledge(_ number: Int) {
    progressTime = now
    guard let position = queue.acknowledge(number) else { return }
    unstored = position
  }

  private mutating func publishQueued() {
    guard isConnected else { return }
    if !queue.isWaiting { progressTime = now }
    for publication in queue.next() { effects.append(.publish(publication.number, publication.message)) }
  }

  private mutating func noteBroker(_ notice: Notice) {
    guard lastBrokerNotice != notice else { return }
    lastBrokerNotice = notice
    effects.append(.log(notice))
  }

  private mutating func receive(_ message: MQTTMessage) {
    if message.topic == topics.discoveryStatus {
      if message.payload == Array("online".utf8), !message.isRetained { renewTopics() }
    } else if let name = topics.command(of: message.topic) {
      // The broker would send a retained command again at each connection.
      if !message.isRetained, configuration.acceptsCommands { receiveCommand(name, message.payload) }
    } else if message.isRetained, !message.payload.isEmpty,
      let accessory = topics.accessory(ofRetained: message.topic)
    {
      foundRetained(accessory)
    }
  }

  /// The broker has topics of an accessory from an earlier run.
  private mutating func foundRetained(_ accessory: String) {
    guard isListed else {
      found.insert(accessory)
      return
    }
    guard accessories[accessory] == nil else { return }
    emptied += 1
    empty(accessory)
  }

  /// Home Assistant has started, and has forgotten what was published.
  private mutating func renewTopics() {
    for accessory in accessories.keys.sorted() {
      for topic in [topics.device(accessory), topics.state(accessory), topics.values(accessory)] {
        if let topic { queue.renew(topic) }
      }
    }
    queue.renew(topics.availability)
  }

  // MARK: - Topics

  private var payloads: EventPayload {
    EventPayload(gateway: topics.gateway, showsAddresses: configuration.showsAddresses)
  }

  private mutating func publishAvailability() {
    let isThere = isAgentThere && ending == nil
    queue.set(topics.availability, Array((isThere ? "online" : "offline").utf8))
  }

  private mutating func publishStatus() {
    if let status { queue.set(topics.status, payloads.status(status, bridge: version)) }
  }

  /// Publishes states and values whose pause is over.
  private mutating func publishDueTopics() {
    guard isListed else { return }
    for (accessory, state) in accessories {
      if state.isStateDue(at: now) {
        queue.set(topics.state(accessory), state.state(showsAddresses: configuration.showsAddresses))
        accessories[accessory]?.stateWasPublished(at: now)
        publishDevice(accessory)
      }
      if state.areValuesDue(at: now, pause: configuration.valuePause(app: state.line.app)) {
        queue.set(topics.values(accessory), state.valuesPayload)
        accessories[accessory]?.valuesWerePublished(at: now)
        publishDevice(accessory)
      }
    }
  }

  private mutating func publishDevice(_ accessory: String) {
    guard let topic = topics.device(accessory), let state = accessories[accessory] else { return }
    let discovery = DeviceDiscovery(
      topics: topics, version: version, showsAddresses: configuration.showsAddresses)
    queue.set(topic, discovery.payload(of: state.line, values: state.values))
  }

  /// Removes what the broker has of an accessory. The state goes last: by it a later run finds what is left.
  private mutating func empty(_ accessory: String) {
    emptying.insert(accessory)
    if let device = topics.device(accessory) { queue.set(device, []) }
    queue.set(topics.values(accessory), [])
  }

  private mutating func emptyStates() {
    for accessory in emptying.sorted() where accessories[accessory] == nil {
      guard !queue.has(topics.values(accessory)), topics.device(accessory).map({ !queue.has($0) }) ?? true
      else {
        continue
      }
      emptying.remove(accessory)
      queue.set(topics.state(accessory), [])
    }
  }

  private mutating func forget(_ accessory: String) {
    guard accessories.removeValue(forKey: accessory) != nil else { return }
    empty(accessory)
  }

  // MARK: - Configuration and end

  private mutating func reconfigure(_ new: MQTTConfiguration) {
    guard new != configuration else { return effects.append(.log(.reconfigured)) }
    // What the present topics have is removed where the new ones are others.
    let next = MQTTTopics(new, host: host)
    if next != topics {
      for accessory in accessories.keys.sorted() {
        if next.device(accessory) != topics.device(accessory), let device = topics.device(accessory) {
          queue.set(device, [])
        }
        guard next.base != topics.base else { continue }
        queue.set(topics.values(accessory), [])
        queue.set(topics.state(accessory), [])
      }
      if next.base != topics.base {
        queue.set(topics.status, [])
        queue.set(topics.availability, [])
      }
    }
    change = (new, now + Self.changeSpan)
  }

  /// The new configuration is in force when the broker has what was to be removed.
  private mutating func finishChange() {
    guard let (new, deadline) = change, deadline <= now || !isConnected || queue.isEmpty else { return }
    change = nil
    configuration = new
    topics = MQTTTopics(new, host: host)
    effects.append(.log(.reconfigured))
    if hasConnection { effects.append(.disconnectBroker) }
    dropConnection()
    queue.forgetTopics()
    (found, emptying) = ([], [])
    for accessory in accessories.keys { accessories[accessory]?.renew() }
    pause = Self.firstPause
    lastBrokerNotice = nil
    publishAvailability()
    publishStatus()
    connect()
  }

  private mutating func end() {
    guard ending == nil else { return }
    ending = now + Self.endSpan
    stopEvents()
    publishAvailability()
  }

  private mutating func finish() {
    ending = nil
    storeTime = .zero
    store()
    if hasConnection { effects.append(.disconnectBroker) }
    broker = .away(until: now)
    isFinished = true
    effects.append(.finish)
  }

  // MARK: - Events

  /// Reads events while the broker takes them.
  private mutating func followEvents() {
    guard ending == nil, change == nil else { return }
    if eventsCall == nil, isConnected, isListed, queue.hasSpace { startEvents() }
    guard let call = eventsCall else { return }
    if queue.isFull, !isHeld {
      isHeld = true
      effects.append(.holdAgent(call, true))
    } else if isHeld, queue.hasSpace {
      isHeld = false
      effects.append(.holdAgent(call, false))
    }
  }

  private mutating func startEvents() {
    eventsCallCount += 1
    let call = BridgeCallID(Self.firstEventsCall + eventsCallCount % 2)
    (eventsCall, isHeld) = (call, false)
    callAgent(.begin(call, .events(from: cursor)))
  }

  private mutating func stopEvents() {
    guard let call = eventsCall else { return }
    eventsCall = nil
    callAgent(.cancel(call))
  }

  private mutating func eventsAnswered(_ reply: ReceivedReply) {
    if let refusal = reply.refusal { return note(reply.isPermissionDenied ? .notABridge : .refused(refusal)) }
    guard let line: WatchReply = reply.line() else { return }
    if let epoch = line.epoch, let sequence = line.sequence {
      began(EventCursor(epoch: epoch, sequence: sequence), isReset: line.isReset ?? false)
    } else if let event = line.event {
      receive(event)
    } else if let present = line.present {
      for item in present.items where item.isFound { note(present, app: item.app) }
    } else if let missed = line.missed, let first = cursor {
      let count = UInt64(missed)
      cursor = EventCursor(epoch: first.epoch, sequence: first.sequence + count)
      effects.append(.log(.missed(count)))
      add(MQTTMessage(topics.missed, payloads.missed(count, from: first)))
    } else if line.radioChanged != nil {
      askStatus()
    }
  }

  /// The stream has begun. With a position of this run, the events since then follow.
  private mutating func began(_ position: EventCursor, isReset: Bool) {
    // The agent's new connection is not held.
    isHeld = false
    guard cursor?.epoch != position.epoch else { return }
    let last = cursor
    guard isReset || last != nil || isCursorUnreadable else {
      // The very first one: it is stored, so that the next run resumes from here.
      cursor = position
      unstored = position
      return
    }
    // What the new run has in its ring is read, too.
    let start = EventCursor(epoch: position.epoch, sequence: 0)
    cursor = start
    isCursorUnreadable = false
    effects.append(.log(.reset(last: last)))
    add(MQTTMessage(topics.reset, payloads.reset(to: start, from: last)))
    guard position.sequence > 0 else { return }
    stopEvents()
    startEvents()
  }

  /// Adds a message whose place is that of the position.
  private mutating func add(_ message: MQTTMessage) {
    if let cursor { queue.add(event: message, next: cursor) }
  }

  private mutating func receive(_ event: EventLine) {
    cursor = EventCursor(epoch: event.epoch, sequence: event.sequence + 1)
    let accessory = accessory(app: event.app, address: event.address)
    if let accessory {
      accessories[accessory]?.note(
        level: event.filteredRSSI, isInSight: event.event != .lost, data: event.data)
    }
    add(MQTTMessage(topics.event, payloads.event(event, of: accessory.flatMap { accessories[$0]?.line })))
    guard configuration.publishesUndecoded, isConnected else { return }
    for payload in Undecoded.messages(of: event) {
      effects.append(.publishOnce(MQTTMessage(topics.undecoded, payload)))
    }
  }

  private mutating func note(_ device: DeviceLine, app: String) {
    guard let accessory = accessory(app: app, address: device.address) else { return }
    accessories[accessory]?.note(level: device.filteredRSSI, isInSight: true, data: device.data)
  }

  private func accessory(app: String, address: DeviceAddress) -> String? {
    accessories.first { $0.value.line.app == app && $0.value.line.address?.bits == address.bits }?.key
  }

  /// Stores the position, unless one was just stored.
  private mutating func store() {
    guard let position = unstored, storeTime <= now else { return }
    unstored = nil
    storeTime = now + Self.storePause
    effects.append(.store(position))
  }

  private mutating func notStored(_ position: EventCursor, _ reason: String) {
    // A later position may be waiting by now.
    unstored = unstored ?? position
    storeTime = now + Self.storeRetryPause
    guard lastStoreProblem != reason else { return }
    lastStoreProblem = reason
    effects.append(.log(.cursorNotStored(reason)))
  }

  // MARK: - Commands

  private mutating func receiveCommand(_ name: MQTTCommand.Name, _ payload: [UInt8]) {
    performCommands(commands.receive(name, payload, book))
  }

  private mutating func performCommands(_ wanted: [PendingCommands.Effect]) {
    for effect in wanted {
      switch effect {
      case .begin(let id, let call): callAgent(.begin(id, call))
      case .cancel(let id): callAgent(.cancel(id))
      case .result(let payload): queue.add(result: MQTTMessage(topics.result, payload))
      }
    }
  }

  // MARK: - The agent

  private mutating func callAgent(_ input: BridgeClient.Input) {
    for effect in agent.step(input, at: now) {
      switch effect {
      case .open(let id): effects.append(.openAgent(id))
      case .send(let id, let bytes): effects.append(.sendAgent(id, bytes))
      case .close(let id): effects.append(.closeAgent(id))
      case .reply(let id, let reply): receive(reply, of: id)
      case .failed(let id, let failure):
        if PendingCommands.isCall(id) { performCommands(commands.fail(id, failure.sentence)) }
      case .isThere: agentIsThere()
      case .isAway(let reason): agentIsAway(reason)
      }
    }
  }

  private mutating func agentIsThere() {
    isAgentThere = true
    note(.agentIsThere)
    publishAvailability()
    askStatus()
  }

  private mutating func agentIsAway(_ reason: String) {
    isAgentThere = false
    note(.agentIsAway(reason))
    book.restart()
    performCommands(commands.end("the gateway is away"))
    publishAvailability()
  }

  /// Says what is wrong with the agent once.
  private mutating func note(_ notice: Notice) {
    guard lastProblem != notice else { return }
    lastProblem = notice
    effects.append(.log(notice))
  }

  private mutating func receive(_ reply: ReceivedReply, of id: BridgeCallID) {
    if PendingCommands.isCall(id) { return performCommands(commands.receive(reply, of: id)) }
    switch id {
    case eventsCall: eventsAnswered(reply)
    case Self.accessoriesCall: accessoriesAnswered(reply)
    case Self.statusCall:
      guard let line: StatusLine = reply.line() else { return }
      status = line
      publishStatus()
    default: break
    }
  }

  private mutating func askStatus() {
    statusTime = now
    callAgent(.cancel(Self.statusCall))
    callAgent(.begin(Self.statusCall, .once(GatewayMethodName.status)))
  }

  private mutating func accessoriesAnswered(_ reply: ReceivedReply) {
    if reply.isPermissionDenied { note(.notABridge) }
    if reply.isUnknownMethod { note(.agentIsOlder) }
    if reply.error != nil || !reply.continues { return book.restart() }
    switch book.update(reply) {
    case .nothing: break
    case .replaced(let accessory): adopt(accessory)
    case .gone(let accessory): forget(accessory)
    case .synced: listWasRead()
    }
  }

  private mutating func adopt(_ accessory: String) {
    guard let line = book.lines[accessory] else { return }
    emptying.remove(accessory)
    if accessories[accessory] == nil {
      accessories[accessory] = AccessoryTopics(line)
    } else {
      accessories[accessory]?.update(line)
    }
  }

  /// The list is complete: what is in none of its lines is removed, also what an earlier run has left at the broker.
  private mutating func listWasRead() {
    isListed = true
    note(.agentIsThere)
    for accessory in accessories.keys where book.lines[accessory] == nil { forget(accessory) }
    for accessory in book.lines.keys { adopt(accessory) }
    for accessory in found.sorted() where accessories[accessory] == nil {
      emptied += 1
      empty(accessory)
    }
    found = []
  }
}
