// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
import BrokerFeed
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
    case agent(AgentSocketEvent)
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
    case agent(AgentSocketEffect)
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
  /// The position is stored at most this often.
  private static let storePause = Duration.milliseconds(100)
  private static let storeRetryPause = Duration.seconds(5)
  private static let endSpan = Duration.seconds(1)
  private static let changeSpan = Duration.seconds(5)

  public private(set) var configuration: MQTTConfiguration
  private let host: String
  private let version: String
  private var topics: MQTTTopics
  private var feed: GatewayFeed
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

  /// Accessories that the broker has topics of, found before the agent's list was read.
  private var found: Set<String> = []
  private var accessories: [String: AccessoryTopics] = [:]
  private var lastBrokerNotice: Notice?

  private let isCursorUnreadable: Bool
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
    feed =
      switch stored {
      case .none: GatewayFeed(from: .next)
      case .known(let cursor): GatewayFeed(from: .cursor(cursor))
      case .unreadable: GatewayFeed(from: .wholeRing)
      }
    isCursorUnreadable = stored == .unreadable
  }

  /// The gateway's name in the topics.
  public var gateway: String { topics.gateway }

  private var isConnected: Bool { broker == .connected }
  private var hasConnection: Bool { if case .away = broker { false } else { true } }

  public var nextDeadline: Duration? {
    var deadlines = [feed.nextDeadline, ending, change?.deadline]
    switch broker {
    case .away(let until): deadlines.append(until)
    case .connecting(let deadline): deadlines.append(deadline)
    case .connected:
      deadlines.append(searchEnd)
      if queue.isWaiting { deadlines.append(progressTime + Self.silenceMax) }
      deadlines += accessories.values.map { $0.deadline(pause: configuration.pauses.pause(app: $0.line.app)) }
    }
    if unstored != nil { deadlines.append(storeTime) }
    return deadlines.compactMap { $0 }.min().map { max($0, .zero) }
  }

  public mutating func step(_ input: Input, at time: Duration) -> [Effect] {
    now = max(now, time)
    feed.moveTime(to: now)
    switch input {
    case .start: start()
    case .agent(let event): changeFeed { $0.receive(event) }
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
    changeFeed { $0.connect() }
    connect()
  }

  private mutating func advance() {
    changeFeed { $0.expireDeadlines() }
    advanceBroker()
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
    for id in commands.abandonAll() { changeFeed { $0.cancelCall(id) } }
    // Events that are not read stay in the agent's ring.
    changeFeed { $0.stopEvents() }
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
    } else if let name = topics.commandName(of: message.topic) {
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
    guard feed.isListed else {
      found.insert(accessory)
      return
    }
    guard accessories[accessory] == nil, !emptying.contains(accessory) else { return }
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

  /// Publishes what a topic is to have; while the topics change, nothing: everything is published under the new ones.
  private mutating func retain(_ topic: String, _ payload: [UInt8]) {
    if change == nil { queue.set(topic, payload) }
  }

  private mutating func publishAvailability() {
    let isThere = feed.isAgentThere && ending == nil
    retain(topics.availability, Array((isThere ? "online" : "offline").utf8))
  }

  private mutating func publishStatus() {
    if let status = feed.status { retain(topics.status, payloads.status(status, bridge: version)) }
  }

  /// Publishes states and values whose pause is over.
  private mutating func publishDueTopics() {
    guard feed.isListed else { return }
    for (accessory, state) in accessories {
      if state.isStateDue(at: now) {
        retain(topics.state(accessory), state.state(showsAddresses: configuration.showsAddresses))
        accessories[accessory]?.stateWasPublished(at: now)
        publishDevice(accessory)
      }
      if state.areValuesDue(at: now, pause: configuration.pauses.pause(app: state.line.app)) {
        retain(topics.values(accessory), state.valuesPayload)
        accessories[accessory]?.valuesWerePublished(at: now)
        publishDevice(accessory)
      }
    }
  }

  private mutating func publishDevice(_ accessory: String) {
    guard let topic = topics.device(accessory), let state = accessories[accessory] else { return }
    let discovery = DeviceDiscovery(
      topics: topics, version: version, showsAddresses: configuration.showsAddresses)
    retain(topic, discovery.payload(of: state.line, values: state.values))
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
    changeFeed { $0.stopEvents() }
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
    guard ending == nil, change == nil, isConnected else { return }
    let (isFull, hasSpace) = (queue.isFull, queue.hasSpace)
    changeFeed { $0.followEvents(isFull: isFull, hasSpace: hasSpace) }
  }

  private mutating func receive(_ event: EventLine) {
    let accessory = feed.accessory(of: event)?.identifier
    if let accessory {
      accessories[accessory]?.note(
        level: event.filteredRSSI, isInSight: event.event != .lost, data: event.data)
    }
    let payload = payloads.event(event, of: accessory.flatMap { accessories[$0]?.line })
    queue.add(
      event: MQTTMessage(topics.event, payload),
      next: EventCursor(epoch: event.epoch, sequence: event.sequence + 1))
    guard configuration.publishesUndecoded, isConnected else { return }
    for payload in Undecoded.messages(of: event) {
      effects.append(.publishOnce(MQTTMessage(topics.undecoded, payload)))
    }
  }

  private mutating func note(_ device: DeviceLine, app: String) {
    guard let accessory = feed.book.identifier(of: device.address.bits, ofApp: app) else { return }
    accessories[accessory]?.note(level: device.filteredRSSI, isInSight: true, data: device.data)
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

  private mutating func receiveCommand(_ name: String, _ payload: [UInt8]) {
    performCommands(commands.receive(name, payload, feed.book))
  }

  private mutating func performCommands(_ wanted: [PendingCommands.Effect]) {
    for effect in wanted {
      switch effect {
      case .begin(let id, let call): changeFeed { $0.beginCall(id, call) }
      case .cancel(let id): changeFeed { $0.cancelCall(id) }
      case .result(let payload): queue.add(result: MQTTMessage(topics.result, payload))
      }
    }
  }

  // MARK: - The agent

  /// Changes what is known of the agent, and does what follows from it.
  private mutating func changeFeed(_ change: (inout GatewayFeed) -> Void) {
    change(&feed)
    for effect in feed.drainEffects() {
      switch effect {
      case .socket(let effect): effects.append(.agent(effect))
      case .agentIsThere: publishAvailability()
      case .agentIsAway:
        performCommands(commands.end("the gateway is away"))
        publishAvailability()
      case .statusChanged: publishStatus()
      case .adopted(let accessory): adopt(accessory)
      case .gone(let accessory): forget(accessory)
      case .listed: listWasRead()
      // It is stored, so that the next run resumes from there; and said: there may have been a position, in a file that is lost.
      case .began(let position):
        unstored = position
        queue.add(event: MQTTMessage(topics.reset, payloads.reset(to: position, from: nil)), next: position)
      case .reset(let new, let last):
        queue.add(event: MQTTMessage(topics.reset, payloads.reset(to: new, from: last)), next: new)
      case .missed(let count, let first):
        let next = EventCursor(epoch: first.epoch, sequence: first.sequence + count)
        queue.add(event: MQTTMessage(topics.missed, payloads.missed(count, from: first)), next: next)
      case .event(let event): receive(event)
      case .present(let device, let app): note(device, app: app)
      case .reply(let id, let reply): performCommands(commands.receive(reply, of: id))
      case .failed(let id, let reason): performCommands(commands.fail(id, reason))
      case .log(let notice): effects.append(.log(.gateway(notice)))
      }
    }
  }

  private mutating func adopt(_ accessory: String) {
    guard let line = feed.book.lines[accessory] else { return }
    emptying.remove(accessory)
    if accessories[accessory] == nil {
      accessories[accessory] = AccessoryTopics(line)
    } else {
      accessories[accessory]?.update(line)
    }
  }

  /// The list is complete: what is in none of its lines is removed, also what an earlier run has left at the broker.
  private mutating func listWasRead() {
    for accessory in accessories.keys where feed.book.lines[accessory] == nil { forget(accessory) }
    for accessory in feed.book.lines.keys { adopt(accessory) }
    for accessory in found.sorted() where accessories[accessory] == nil {
      emptied += 1
      empty(accessory)
    }
    found = []
  }
}
