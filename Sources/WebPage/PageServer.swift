// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
import Interfaces
import JSON
import VarlinkClient

/// The server's side of the page: browsers on one side, the agent on the other. A pure state machine: requests, bytes and the
/// time go in; replies, bytes and connections to make come out.
///
/// All browsers share one set of streams of the agent. Capacity: ``tabsMax`` streams of browsers, ``questionsMax`` questions to
/// the agent that wait, of which ``callsMax`` are asked at once, ``openMax`` requests that browsers have opened.
public struct PageServer {
  public enum Input {
    /// Connects to the agent. Comes once, first.
    case start
    case request(WebRequest)
    /// The client has left the stream, or does not read it.
    case left(WebRequestID)
    /// What has happened to a connection to the agent.
    case agentOpened(BridgeCallID)
    case agentEnded(BridgeCallID, String)
    case agentReceived(BridgeCallID, [UInt8])
    /// What an operator asks for at this machine.
    case command(Command, CommandID)
    case timePassed
  }

  public enum Effect {
    case respond(WebRequestID, WebResponse)
    /// Replies, and keeps the reply open; ``send(_:_:)`` adds to it.
    case beginStream(WebRequestID, WebResponse)
    case send(WebRequestID, [UInt8])
    case endStream(WebRequestID)
    /// ``BridgeClient/Effect``: open, send or close a connection to the agent.
    case openAgent(BridgeCallID)
    case sendAgent(BridgeCallID, [UInt8])
    case closeAgent(BridgeCallID)
    case answer(CommandID, CommandAnswer)
    /// Reply with a file of the page.
    case file(WebRequestID, Route)
    /// Reply with the manifest's text.
    case manifest(WebRequestID)
    /// Check a draft, or keep it, and reply with the result.
    case draft(WebRequestID, Draft)
    case log(Notice)
  }

  /// What the log says.
  public enum Notice: Equatable, Sendable {
    case agentIsThere
    case agentIsAway(String)
    case loggedIn(name: String, role: Role)
    case loggedOut(name: String)
    /// A code was wrong; with `isPaused`, no further one is looked at for a minute.
    case wrongCode(isPaused: Bool)
    /// A browser has changed something, or has tried to: `sentence` says why it failed.
    case changed(name: String, what: String, failure: String?)
  }

  static let tabsMax = 32
  static let questionsMax = 64
  static let callsMax = 4
  static let openMax = 8
  static let listCall = BridgeCallID(1)
  static let watchCall = BridgeCallID(2)
  static let pickerCall = BridgeCallID(3)
  private static let firstQuestion = 100
  /// How often the agent's status is asked for while a page is open.
  private static let statusPause = Duration.seconds(1)
  /// As long as the agent takes for a sample of its history.
  private static let historyPause = Duration.seconds(5)
  private static let devicesPause = Duration.seconds(2)

  private(set) var admission: Admission
  /// Returns random bytes.
  let entropy: (Int) -> [UInt8]
  var sessions = Sessions()
  var tabs: [WebRequestID: Tab] = [:]
  var now = Duration.zero
  var effects: [Effect] = []

  var agent = BridgeClient()
  var questions: [BridgeCallID: AgentQuestion] = [:]
  var waiting: [(id: BridgeCallID, question: AgentQuestion)] = []
  private var lastQuestion = Self.firstQuestion
  /// Recordings that are being downloaded.
  var recordings: [WebRequestID: BridgeCallID] = [:]
  /// The browsers that answer, or have answered, the last requests; of more, the oldest are forgotten.
  var answeredBy: [(request: String, name: String)] = []

  var accessories = AccessoryBook()
  var requests = RequestBook()
  var history = HistoryBook()
  var apps: [AppLine] = []
  var items: [ItemLine] = []
  var events = EventBook()
  var status: StatusLine?
  /// Why the agent is away, and since when.
  var absence: (since: Duration, reason: String)?
  /// What the open pages let a person do in a pairing, as the agent knows it; nil while it is not asked for requests.
  var declared: [PairingCapabilityName]?
  private var statusDue: Duration?
  private var historyDue: Duration?
  private var devicesDue: Duration?
  private var isStatusAsked = false

  /// `hosts` are the names by which browsers may reach the page, with the port.
  public init(
    hosts: Set<String>, metricsToken: String? = nil, entropy: @escaping (Int) -> [UInt8]
  ) {
    admission = Admission(hosts: Set(hosts.map { $0.lowercased() }), metricsToken: metricsToken)
    self.entropy = entropy
  }

  /// Takes another token for metrics; nil for none.
  public mutating func setMetricsToken(_ token: String?) { admission.metricsToken = token }

  /// When ``Input/timePassed`` is due; nil when there is nothing to wait for.
  public var nextDeadline: Duration? {
    let ends = tabs.isEmpty ? nil : sessions.all.map(\.end).min()
    return [agent.nextDeadline, statusDue, historyDue, devicesDue, ends].compactMap(\.self).min()
  }

  /// Takes an input and returns what to do. `time` never runs backwards.
  public mutating func step(_ input: Input, at time: Duration) -> [Effect] {
    now = max(now, time)
    switch input {
    case .start: start()
    case .request(let request): receive(request)
    case .left(let id): forgetTab(id)
    case .agentOpened(let id): pass(.opened(id))
    case .agentEnded(let id, let reason): pass(.ended(id, reason))
    case .agentReceived(let id, let bytes): pass(.received(id, bytes))
    case .command(let command, let id): answer(command, id)
    case .timePassed: pass(.timePassed)
    }
    for session in sessions.expire(at: now) { endTabs(of: session) }
    pollAgent()
    defer { effects = [] }
    return effects
  }

  private mutating func start() {
    pass(.begin(Self.listCall, .kept(OperatorMethodName.list) { $0.member("follows", true) }))
    pass(.begin(Self.watchCall, .events(from: nil)))
  }

  // MARK: - The agent

  /// Hands an input to the connections, and acts on what comes of it.
  mutating func pass(_ input: BridgeClient.Input) {
    for effect in agent.step(input, at: now) { act(on: effect) }
  }

  private mutating func act(on effect: BridgeClient.Effect) {
    switch effect {
    case .open(let id):
      if id == Self.listCall { accessories.restart() }
      if id == Self.pickerCall { requests.restart() }
      effects.append(.openAgent(id))
    case .send(let id, let bytes): effects.append(.sendAgent(id, bytes))
    case .close(let id): effects.append(.closeAgent(id))
    case .reply(let id, let reply): receive(reply, of: id)
    case .failed(let id, let error): endQuestion(id, .failure(QuestionError(error)))
    case .isThere:
      absence = nil
      effects.append(.log(.agentIsThere))
      broadcast(presence)
    case .isAway(let reason):
      absence = (now, reason)
      effects.append(.log(.agentIsAway(reason)))
      broadcast(presence)
    }
  }

  /// Whether the agent is there, as a message.
  var presence: [UInt8] {
    let (absence, now) = (absence, now)
    return StreamMessage.event("agent") { json in
      json.member("isThere", absence == nil)
      json.member("seconds", absence.map { Int(($0.since.distance(to: now)).components.seconds) })
      json.member("reason", absence?.reason)
    }
  }

  private mutating func receive(_ reply: ReceivedReply, of id: BridgeCallID) {
    switch id {
    case Self.listCall: receiveAccessories(reply)
    case Self.watchCall:
      guard reply.error == nil, let line = reply.line(WatchReply.self) else { return sayRefusal(reply) }
      if let message = events.add(line) { broadcast(message) }
    case Self.pickerCall:
      guard reply.error == nil, let line = reply.line(PickerReply.self) else { return sayRefusal(reply) }
      if let message = requests.update(line) { broadcast(message) }
    default: receiveAnswer(reply, of: id)
    }
  }

  private mutating func receiveAccessories(_ reply: ReceivedReply) {
    guard reply.error == nil else { return sayRefusal(reply) }
    switch accessories.update(reply) {
    case .nothing: break
    case .replaced(let identifier):
      guard let line = accessories.lines[identifier] else { return }
      broadcast(StreamMessage.event("accessory") { line.writeMembers(to: &$0) })
    case .gone(let identifier):
      broadcast(StreamMessage.event("accessoryGone") { $0.member("identifier", identifier) })
    case .synced: broadcast(accessoriesMessage)
    }
  }

  var accessoriesMessage: [UInt8] {
    let sorted = accessories.lines.values.sorted {
      ($0.app, $0.displayName, $0.identifier) < ($1.app, $1.displayName, $1.identifier)
    }
    return StreamMessage.event("accessories") { $0.objects("accessories", sorted) }
  }

  /// A stream is refused: for the browsers that is as if the agent were away, because they see nothing.
  private mutating func sayRefusal(_ reply: ReceivedReply) {
    guard let error = QuestionError(reply), absence?.reason != error.sentence else { return }
    absence = (now, error.sentence)
    effects.append(.log(.agentIsAway(error.sentence)))
    broadcast(presence)
  }

  // MARK: - Questions

  /// Asks the agent something; `onEnd` gets all replies. With `isHeld` the question lasts, and others do not wait for it.
  /// Returns its name; nil when it is not asked.
  @discardableResult
  mutating func ask(
    _ call: BridgeCall, isHeld: Bool = false, onReply: ((inout PageServer, ReceivedReply) -> Void)? = nil,
    _ onEnd: @escaping (inout PageServer, AgentAnswer) -> Void
  ) -> BridgeCallID? {
    guard waiting.count + questions.count < Self.questionsMax else {
      onEnd(&self, .failure(.busy))
      return nil
    }
    lastQuestion += 1
    let id = BridgeCallID(lastQuestion)
    waiting.append((id, AgentQuestion(call: call, isHeld: isHeld, onReply: onReply, onEnd: onEnd)))
    askNext()
    return id
  }

  /// How many requests browsers have opened.
  var heldCount: Int { (waiting.map(\.question) + questions.values).count(where: \.isHeld) }

  private mutating func askNext() {
    while questions.values.count(where: { !$0.isHeld }) < Self.callsMax, !waiting.isEmpty {
      let (id, question) = waiting.removeFirst()
      questions[id] = question
      pass(.begin(id, question.call))
    }
  }

  private mutating func receiveAnswer(_ reply: ReceivedReply, of id: BridgeCallID) {
    guard let question = questions[id] else { return }
    if let error = QuestionError(reply) { return endQuestion(id, .failure(error)) }
    if let onReply = question.onReply {
      onReply(&self, reply)
      if !reply.continues { endQuestion(id, .success([])) }
      return
    }
    questions[id]?.replies.append(reply)
    let replies = question.replies + [reply]
    guard reply.continues else { return endQuestion(id, .success(replies)) }
    guard replies.count < AgentQuestion.repliesMax else {
      pass(.cancel(id))
      return endQuestion(id, .failure(QuestionError(sentence: "The agent's list is too long.")))
    }
  }

  private mutating func endQuestion(_ id: BridgeCallID, _ answer: AgentAnswer) {
    guard let question = questions.removeValue(forKey: id) else { return }
    question.onEnd(&self, answer)
    askNext()
  }

  /// Ends a question whose answer is not wanted any longer.
  mutating func withdraw(_ id: BridgeCallID) {
    waiting.removeAll { $0.id == id }
    if questions.removeValue(forKey: id) != nil { pass(.cancel(id)) }
    askNext()
  }

  // MARK: - What is asked for regularly

  /// The agent is asked only while a page is open.
  private mutating func pollAgent() {
    guard !tabs.isEmpty else {
      (statusDue, historyDue, devicesDue) = (nil, nil, nil)
      return
    }
    if statusDue.map({ $0 <= now }) ?? true {
      statusDue = now + Self.statusPause
      if absence == nil { askForStatus() } else { broadcast(presence) }
      broadcast(StreamMessage.beat)
    }
    if historyDue.map({ $0 <= now }) ?? true {
      historyDue = now + Self.historyPause
      if absence == nil {
        askForHistory()
        askForSilences()
      }
    }
    let wantsDevices = tabs.values.contains(where: \.wantsDevices)
    guard wantsDevices else { return devicesDue = nil }
    if devicesDue.map({ $0 <= now }) ?? true {
      devicesDue = now + Self.devicesPause
      if absence == nil { askForDevices() }
    }
  }

  private mutating func askForStatus() {
    guard !isStatusAsked else { return }
    isStatusAsked = true
    ask(.once(GatewayMethodName.status)) { server, answer in
      server.isStatusAsked = false
      guard let line = try? answer.get().first?.line(StatusLine.self) else { return }
      server.status = line
      server.broadcast(StreamMessage.event("status") { line.writeMembers(to: &$0) })
    }
  }

  /// Asks for the history, then for the apps, and for the items where a page shows them.
  private mutating func askForHistory() {
    ask(.once(GatewayMethodName.recentHistory)) { server, answer in
      guard let replies = try? answer.get() else { return }
      let isFirst = server.history.start.end == nil
      server.history = HistoryBook(replies)
      server.broadcast(server.historyMessage)
      if isFirst { server.broadcast(server.history.edgesMessage) }
      server.askForApps()
    }
  }

  /// The list does not follow how long an accessory that no item finds has been silent.
  private mutating func askForSilences() {
    guard accessories.lines.values.contains(where: { $0.isHeard == true }) else { return }
    ask(.once(OperatorMethodName.list)) { server, answer in
      for reply in (try? answer.get()) ?? [] {
        let line: AccessoryLine? = try? JSONObjectReader(reply.parameters).lineIfPresent("accessory")
        guard let line, server.accessories.lines[line.identifier]?.isHeard == true else { continue }
        server.receiveAccessories(reply)
      }
    }
  }

  private mutating func askForApps() {
    ask(.once(GatewayMethodName.apps)) { server, answer in
      guard let replies = try? answer.get() else { return }
      server.apps = replies.lines("app")
      server.broadcast(server.appsMessage)
      if server.tabs.values.contains(where: \.wantsDevices) { server.askForItems() }
    }
  }

  private mutating func askForItems() {
    ask(.once(GatewayMethodName.items)) { server, answer in
      guard let replies = try? answer.get() else { return }
      server.items = replies.lines("item")
      let message = server.itemsMessage
      for (id, tab) in server.tabs where tab.wantsDevices { server.effects.append(.send(id, message)) }
    }
  }

  var historyMessage: [UInt8] {
    history.message(of: Set(accessories.lines.values.compactMap { $0.address?.bits }))
  }

  var appsMessage: [UInt8] { StreamMessage.event("apps") { $0.objects("apps", apps) } }

  var itemsMessage: [UInt8] { StreamMessage.event("items") { $0.objects("items", items) } }

  private mutating func askForDevices() {
    ask(.once(GatewayMethodName.sightings) { $0.member(GatewayInterface.includesAll, true) }) {
      server, answer in
      guard let replies = try? answer.get() else { return }
      let message = DeviceList.message(replies.sightings)
      for (id, tab) in server.tabs where tab.wantsDevices { server.effects.append(.send(id, message)) }
    }
  }
}

extension [ReceivedReply] {
  /// The devices of `Sightings`.
  var sightings: [DeviceLine] { lines("device") }

  /// The values of a list's member, in order.
  func lines<Value: ReadableLine>(_ name: String) -> [Value] {
    compactMap { (try? JSONObjectReader($0.parameters).lineIfPresent(name)) ?? nil }
  }
}

extension Duration {
  fileprivate func distance(to later: Duration) -> Duration { later - self }
}
