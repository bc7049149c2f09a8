// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
import BrokerFeed
import Interfaces
import JSON

/// The gateway for servers of NATS: the agent on one side, a stream of JetStream on the other. A pure state machine: messages,
/// bytes and the time go in; messages and connections to make come out.
///
/// Each event is published until the stream has acknowledged it. Each message says, in a header, from which position a bridge
/// goes on that knows no more than this message: so the stream is the cursor, and no file is needed. That position is one
/// event or more before the end; the stream refuses the doubles by their identifiers. Capacity: that of the window; while
/// the stream takes nothing, events stay in the agent's ring.
public struct NATSBridge: Sendable {
  public enum Input: Sendable {
    /// Connects to the agent and to the server. Comes once, first.
    case start
    case agent(AgentSocketEvent)
    /// The server has accepted the connection.
    case serverConnected
    /// There is no connection any longer, or none came: why.
    case serverEnded(String)
    /// The server says what it does not allow; the connection lasts.
    case serverComplained(String)
    case received(NATSReply)
    case configure(NATSConfiguration)
    /// Ends when everything is acknowledged; ``Effect/finish`` follows, after a second at most.
    case end
    case timePassed
  }

  public enum Effect: Equatable, Sendable {
    case agent(AgentSocketEffect)
    /// Connect to one of ``configuration``'s servers.
    case connectServer
    /// End the connection at once; nothing more is reported about it.
    case disconnectServer
    /// Publish a message, and report the reply to it by its number.
    case request(Int, NATSMessage)
    /// Publish a message that need not arrive.
    case publish(NATSMessage)
    case finish
    case log(Notice)
  }

  private enum ServerState: Equatable {
    /// Waiting for the next attempt.
    case away(until: Duration)
    case connecting(deadline: Duration)
    /// The stream is asked about itself, or for its last messages.
    case asking(Set<Int>, deadline: Duration)
    /// The stream cannot be used; it is asked again.
    case pausing(until: Duration)
    case ready
  }

  static let positionHeader = "Accessory-Position"
  /// How many messages are on their way at a time.
  static let width = 64
  private static let connectSpan = Duration.seconds(30)
  private static let replySpan = Duration.seconds(10)
  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(60)
  private static let steadySpan = Duration.seconds(10)
  /// A message without an acknowledgement is published again after this time.
  private static let repeatSpan = Duration.seconds(5)
  /// A server that acknowledges nothing for this long is given up.
  private static let silenceMax = Duration.seconds(20)
  private static let endSpan = Duration.seconds(1)
  private static let leastDuplicateSeconds = 3600
  private static let complaintsMax = 16

  public private(set) var configuration: NATSConfiguration
  private let host: String
  private let version: String
  private var subjects: NATSSubjects
  private var feed = GatewayFeed(from: .wholeRing)
  private var window = EventWindow<NATSMessage>(width: Self.width)
  private var readings: [String: AccessoryReadings] = [:]
  private var now = Duration.zero
  private var effects: [Effect] = []

  private var server = ServerState.away(until: .zero)
  private var pause = Self.firstPause
  private var connectedTime = Duration.zero
  /// When something was acknowledged last, or began to wait.
  private var progressTime = Duration.zero
  private var lastNumber = 0
  private var lastNotice: Notice?
  private var isWindowReported = false
  /// What the server has not allowed; at most ``complaintsMax`` are said.
  private var complaints: Set<String> = []

  /// The position after everything that the stream has acknowledged; nil before the stream was asked.
  private var position: EventCursor?
  /// Whether the stream was asked where reading goes on.
  private var isPositionAsked = false
  /// The newest of the messages that the stream had, and the position in it.
  private var newest: (number: Int, cursor: EventCursor)?

  private var ending: Duration?
  private var isFinished = false

  /// `host` is the name of the machine, `version` that of the program.
  public init(_ configuration: NATSConfiguration, host: String, version: String) {
    (self.configuration, self.host, self.version) = (configuration, host, version)
    subjects = NATSSubjects(configuration, host: host)
  }

  /// The gateway's name in the subjects.
  public var gateway: String { subjects.gateway }

  private var isConnected: Bool {
    switch server {
    case .away, .connecting: false
    case .asking, .pausing, .ready: true
    }
  }

  public var nextDeadline: Duration? {
    if isFinished { return nil }
    var deadlines = [feed.nextDeadline, ending]
    switch server {
    case .away(let until), .pausing(let until): deadlines.append(until)
    case .connecting(let deadline), .asking(_, let deadline): deadlines.append(deadline)
    case .ready:
      deadlines.append(window.oldestTime.map { $0 + Self.repeatSpan })
      if window.isWaiting { deadlines.append(progressTime + Self.silenceMax) }
    }
    if isConnected, configuration.publishesReadings {
      deadlines += readings.map { $1.deadline(pause: pauseOfReadings($0)) }
    }
    return deadlines.compactMap { $0 }.min().map { max($0, .zero) }
  }

  public mutating func step(_ input: Input, at time: Duration) -> [Effect] {
    now = max(now, time)
    feed.moveTime(to: now)
    switch input {
    case .start:
      changeFeed { $0.connect() }
      connect()
    case .agent(let event): changeFeed { $0.receive(event) }
    case .serverConnected: serverConnected()
    case .serverEnded(let reason): serverEnded(reason)
    case .serverComplained(let reason): complained(reason)
    case .received(let reply): receive(reply)
    case .configure(let new): reconfigure(new)
    case .end: end()
    case .timePassed: break
    }
    advance()
    defer { effects = [] }
    return effects
  }

  private mutating func advance() {
    changeFeed { $0.expireDeadlines() }
    advanceServer()
    publishReadings()
    followEvents()
    publishEvents()
    if let end = ending, end <= now || window.isEmpty || server != .ready { finish() }
  }

  // MARK: - The server

  private mutating func connect() {
    server = .connecting(deadline: now + Self.connectSpan)
    effects.append(.connectServer)
  }

  private mutating func serverConnected() {
    guard case .connecting = server else { return }
    connectedTime = now
    note(.serverIsThere)
    askStream()
    publishStatus()
    for accessory in readings.keys { readings[accessory]?.renew() }
  }

  private mutating func serverEnded(_ reason: String) {
    if case .away = server { return }
    note(.serverIsAway(reason))
    dropConnection()
  }

  /// Gives the connection up, whose end is then not reported.
  private mutating func abandonServer(_ reason: String) {
    effects.append(.disconnectServer)
    serverEnded(reason)
  }

  private mutating func dropConnection() {
    // A server that accepts and then closes is not asked every second.
    if isConnected, connectedTime + Self.steadySpan <= now { pause = Self.firstPause }
    server = .away(until: now + ownPause)
    lengthenPause()
    stopPublishing()
  }

  /// The pause, up to half as long again: the gateways of a fleet, which lose a server in one moment, come back one by one.
  private var ownPause: Duration {
    let sum = subjects.gateway.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return pause + pause * Int(sum % 512) / 1024
  }

  private mutating func lengthenPause() { pause = min(pause * 2, Self.longestPause) }

  /// What is not acknowledged is published again later. Events that are not read stay in the agent's ring.
  private mutating func stopPublishing() {
    window.disconnect()
    changeFeed { $0.stopEvents() }
  }

  private mutating func advanceServer() {
    switch server {
    case .away(let until): if until <= now, ending == nil, !isFinished { connect() }
    case .connecting(let deadline): if deadline <= now { abandonServer("it does not reply") }
    case .asking(_, let deadline): if deadline <= now { abandonServer("JetStream does not reply") }
    case .pausing(let until): if until <= now { askStream() }
    case .ready:
      if window.isWaiting, progressTime + Self.silenceMax <= now {
        return abandonServer("the stream acknowledges nothing")
      }
      window.repeatSent(until: now - Self.repeatSpan)
    }
  }

  private mutating func note(_ notice: Notice) {
    guard lastNotice != notice else { return }
    lastNotice = notice
    effects.append(.log(notice))
  }

  /// Says what the server does not allow, such as a subject of readings, once.
  private mutating func complained(_ words: String) {
    guard complaints.count < Self.complaintsMax, complaints.insert(words).inserted else { return }
    effects.append(.log(.serverComplains(words)))
  }

  private mutating func request(_ subject: String, _ body: (inout JSONWriter) -> Void) -> Int {
    lastNumber += 1
    effects.append(.request(lastNumber, NATSMessage(subject, JSONText.object(body))))
    return lastNumber
  }

  private mutating func receive(_ reply: NATSReply) {
    do throws(StreamReply.StreamError) {
      let line = try StreamReply(reply)
      if case .asking(var numbers, let deadline) = server, numbers.remove(reply.number) != nil {
        answered(line)
        if numbers.isEmpty { learned() } else { server = .asking(numbers, deadline: deadline) }
      } else if let other = line.stream, other != configuration.stream.name, window.has(reply.number) {
        pausePublishing(.storedElsewhere(stream: other, subject: subjects.event))
      } else {
        acknowledge(reply.number)
      }
    } catch {
      refused(reply.number, error)
    }
  }

  // MARK: - The stream

  private mutating func askStream() {
    if position == nil { (isPositionAsked, newest) = (false, nil) }
    ask([request(subjects.info(configuration.stream.name)) { _ in }])
  }

  private mutating func ask(_ numbers: Set<Int>) {
    server = .asking(numbers, deadline: now + Self.replySpan)
  }

  private mutating func createStream() {
    let stream = configuration.stream.name
    let patterns = streamSubjects
    note(.streamCreated(stream))
    ask([
      request(subjects.create(stream)) { json in
        json.member("name", stream)
        json.member("subjects", patterns)
        json.member("retention", "limits")
        json.member("storage", "file")
        json.member("num_replicas", 1)
        json.member("duplicate_window", Self.leastDuplicateSeconds * 1_000_000_000)
      }
    ])
  }

  /// The subjects that the stream of a fleet has. Readings and the status are not kept.
  private var streamSubjects: [String] {
    ["event", "reset", "missed"].map { "\(configuration.prefix).*.\($0)" }
  }

  /// A reply has come to what was asked.
  private mutating func answered(_ line: StreamReply) {
    if let seconds = line.duplicateSeconds, seconds < Self.leastDuplicateSeconds, !isWindowReported {
      isWindowReported = true
      effects.append(.log(.shortDuplicateWindow(stream: configuration.stream.name, seconds: seconds)))
    }
    if let found = line.position, found.number > newest?.number ?? -1 { newest = found }
  }

  /// All replies have come: the last messages are asked for once, then events are published.
  private mutating func learned() {
    if position == nil, !isPositionAsked {
      isPositionAsked = true
      let stream = configuration.stream.name
      var numbers: Set<Int> = []
      for subject in subjects.positions {
        numbers.insert(request(subjects.message(stream)) { $0.member("last_by_subj", subject) })
      }
      return ask(numbers)
    }
    if position == nil, let newest {
      position = newest.cursor
      changeFeed { $0.moveStart(to: .cursor(newest.cursor)) }
    }
    server = .ready
    progressTime = now
  }

  private mutating func refused(_ number: Int, _ refusal: StreamReply.StreamError) {
    let stream = configuration.stream
    if case .asking(var numbers, let deadline) = server {
      guard numbers.remove(number) != nil else { return }
      if refusal.isNoMessage {
        if numbers.isEmpty { learned() } else { server = .asking(numbers, deadline: deadline) }
      } else if refusal.isNoStream, stream.isCreated {
        createStream()
      } else if refusal.isNoStream {
        pausePublishing(.noStream(name: stream.name, subjects: streamSubjects.joined(separator: ",")))
      } else {
        pausePublishing(refusal == .noResponders ? .noJetStream : .refused(refusal.description))
      }
    } else if server == .ready, window.has(number) {
      pausePublishing(
        refusal == .noResponders
          ? .subjectNotStored(stream: stream.name, subject: subjects.event) : .refused(refusal.description))
    }
  }

  private mutating func pausePublishing(_ notice: Notice) {
    note(notice)
    server = .pausing(until: now + ownPause)
    lengthenPause()
    stopPublishing()
  }

  private mutating func acknowledge(_ number: Int) {
    guard window.has(number) else { return }
    progressTime = now
    pause = Self.firstPause
    lastNotice = nil
    if let next = window.acknowledge(number) { position = next }
  }

  // MARK: - Events

  /// Reads events while the stream takes them.
  private mutating func followEvents() {
    guard ending == nil, server == .ready else { return }
    let (isFull, hasSpace) = (window.isFull, window.hasSpace)
    changeFeed { $0.followEvents(isFull: isFull, hasSpace: hasSpace) }
  }

  private mutating func publishEvents() {
    guard server == .ready else { return }
    if !window.isWaiting { progressTime = now }
    while let (number, message) = window.sendNext(at: now, number: lastNumber + 1) {
      lastNumber = max(lastNumber, number)
      var headers = message.headers
      if let position { headers.append(header(Self.positionHeader, position)) }
      effects.append(.request(number, NATSMessage(message.subject, message.payload, headers: headers)))
    }
  }

  private func header(_ name: String, _ position: EventCursor) -> NATSMessage.Header {
    NATSMessage.Header(name, "\(position.epoch)/\(position.sequence)")
  }

  private var payloads: EventPayload {
    EventPayload(gateway: subjects.gateway, showsAddresses: configuration.showsAddresses)
  }

  /// Adds a message whose place in the order is that of the events. Its identifier is made of a position and, for what is no
  /// event, of words.
  private mutating func add(
    _ subject: String, _ payload: [UInt8], at first: EventCursor, _ words: String = "", next: EventCursor,
    isBarrier: Bool = false
  ) {
    let identifier = "\(subjects.gateway)/\(first.epoch)/\(first.sequence)\(words)"
    window.add(
      NATSMessage(subject, payload, headers: [NATSMessage.Header("Nats-Msg-Id", identifier)]), next: next,
      isBarrier: isBarrier)
  }

  private mutating func changeFeed(_ change: (inout GatewayFeed) -> Void) {
    change(&feed)
    for effect in feed.drainEffects() {
      switch effect {
      case .socket(let effect): effects.append(.agent(effect))
      case .agentIsThere: break
      case .agentIsAway, .statusChanged: publishStatus()
      case .adopted, .began: break
      case .gone(let accessory): readings[accessory] = nil
      case .listed: for gone in readings.keys where feed.book.lines[gone] == nil { readings[gone] = nil }
      case .reset(let new, let last): addReset(to: new, last: last)
      case .missed(let count, let first):
        let next = EventCursor(epoch: first.epoch, sequence: first.sequence + count)
        add(
          subjects.missed, payloads.missed(count, from: first), at: first, "/missed/\(count)", next: next)
      case .event(let event): add(event)
      case .present(let device, let app):
        if let accessory = feed.book.identifier(of: device.address.bits, ofApp: app) {
          readings[accessory, default: AccessoryReadings()].note(device.data)
        }
      // The bridge makes no calls of its own.
      case .reply, .failed: break
      case .log(let notice): effects.append(.log(.gateway(notice)))
      }
    }
  }

  /// A reset says that everything before it is stored, or is lost: it waits for the acknowledgements.
  private mutating func addReset(to new: EventCursor, last: EventCursor?) {
    if position == nil { position = new }
    add(
      subjects.reset, payloads.reset(to: new, from: last), at: new, "/reset", next: new, isBarrier: true)
  }

  private mutating func add(_ event: EventLine) {
    let accessory = feed.accessory(of: event)
    if let accessory { readings[accessory.identifier, default: AccessoryReadings()].note(event.data) }
    let place = EventCursor(epoch: event.epoch, sequence: event.sequence)
    let next = EventCursor(epoch: event.epoch, sequence: event.sequence + 1)
    add(subjects.event, payloads.event(event, of: accessory), at: place, next: next)
  }

  // MARK: - What need not arrive

  private func pauseOfReadings(_ accessory: String) -> Duration {
    configuration.pauses.pause(app: feed.book.lines[accessory]?.app ?? "")
  }

  private mutating func publishReadings() {
    guard isConnected, configuration.publishesReadings else { return }
    for (accessory, reading) in readings where reading.isDue(at: now, pause: pauseOfReadings(accessory)) {
      readings[accessory]?.werePublished(at: now)
      guard let line = feed.book.lines[accessory] else { continue }
      let payload = JSONText.object { json in
        json.member("gateway", subjects.gateway)
        json.member("accessory", accessory)
        json.member("displayName", line.displayName)
        json.member("app", line.app)
        json.object("values") { AccessoryReadings.write(reading.values, to: &$0) }
      }
      effects.append(.publish(NATSMessage(subjects.reading, payload)))
    }
  }

  private mutating func publishStatus() {
    guard isConnected, configuration.publishesStatus else { return }
    let payload =
      if feed.isAgentThere, let status = feed.status {
        payloads.status(status, bridge: version)
      } else {
        payloads.absence(bridge: version)
      }
    effects.append(.publish(NATSMessage(subjects.status, payload)))
  }

  // MARK: - Configuration and end

  private mutating func reconfigure(_ new: NATSConfiguration) {
    effects.append(.log(.reconfigured))
    guard new != configuration else { return }
    let isElsewhere =
      NATSSubjects(new, host: host) != subjects || new.stream.name != configuration.stream.name
      || new.server.urls != configuration.server.urls
    configuration = new
    subjects = NATSSubjects(new, host: host)
    if hasConnection { effects.append(.disconnectServer) }
    dropConnection()
    if isElsewhere {
      // The other stream, or the other subjects, say where reading goes on.
      window.removeAll()
      (position, isPositionAsked) = (nil, false)
      changeFeed { $0.moveStart(to: .wholeRing) }
    }
    pause = Self.firstPause
    (lastNotice, complaints) = (nil, [])
    connect()
  }

  private var hasConnection: Bool { if case .away = server { false } else { true } }

  private mutating func end() {
    guard ending == nil else { return }
    ending = now + Self.endSpan
    changeFeed { $0.stopEvents() }
  }

  private mutating func finish() {
    ending = nil
    if hasConnection { effects.append(.disconnectServer) }
    server = .away(until: now)
    isFinished = true
    effects.append(.finish)
  }
}
