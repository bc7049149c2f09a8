// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import SessionClient
import SessionSupport
import Testing
import Varlink

/// A session client with a scripted agent at the other end, in virtual time.
struct ScriptedAgent {
  /// A call that the client sent and that has no last reply yet.
  struct ReceivedCall {
    let link: SessionLinkID
    let method: String
    let parameters: JSONObject
    let text: String
  }

  static let epoch = SocketAgent.epoch
  static let token = SocketAgent.token

  var client: SessionClient
  var now = Duration.zero
  /// Whether a connection can be opened.
  var isUp = true
  /// Whether the app has no descriptor free.
  var isExhausted = false
  private(set) var calls: [ReceivedCall] = []
  /// Every call that was sent, as text.
  private(set) var sent: [String] = []
  private(set) var openLinks: [SessionLinkID] = []
  private(set) var deliveries: [SessionDelivery] = []
  private(set) var closedDescriptors: [Int32] = []
  /// How many connections the client has wanted to open.
  private(set) var attempts = 0
  private var reported = 0

  init(app: String? = "lights") { client = SessionClient(app: app) }

  // MARK: - The app

  mutating func activate() { step(.activate) }

  mutating func beginCall(_ number: UInt64, _ request: SessionRequest) {
    step(.begin(CallID(number), request))
  }

  mutating func step(_ input: SessionInput) {
    for action in client.step(input, at: now) { performAction(action) }
  }

  private mutating func performAction(_ action: SessionAction) {
    switch action {
    case .open(let link, _):
      attempts += 1
      guard !isExhausted else { return step(.linkExhausted(link)) }
      guard isUp else { return step(.linkEnded(link, reason: "no socket", isPermanent: false)) }
      openLinks.append(link)
      step(.linkOpened(link))
    case .send(let link, let bytes): receive(bytes, on: link)
    case .close(let link): forget(link)
    case .closeDescriptor(let descriptor): closedDescriptors.append(descriptor)
    case .deliver(let delivery): deliveries.append(delivery)
    }
  }

  private mutating func forget(_ link: SessionLinkID) {
    openLinks.removeAll { $0 == link }
    calls.removeAll { $0.link == link }
  }

  private mutating func receive(_ bytes: [UInt8], on link: SessionLinkID) {
    let message = bytes.dropLast()
    guard case .call(let call) = Varlink.ReceivedCall(reading: Array(message).span) else {
      return record("the client sent what is no call")
    }
    #expect(!calls.contains { $0.link == link }, "a connection carries one call at a time")
    let text = String(decoding: message, as: UTF8.self)
    sent.append(text)
    calls.append(ReceivedCall(link: link, method: call.method, parameters: call.parameters, text: text))
  }

  // MARK: - The agent

  /// The latest call of a method that has no last reply yet.
  func call(_ method: String) -> ReceivedCall? { calls.last { $0.method == method } }

  /// Replies to the latest call of a method; `parameters` is JSON.
  mutating func reply(
    _ method: String, _ parameters: String = "{}", continues: Bool = false, error: String? = nil,
    descriptor: Int32? = nil
  ) {
    guard let call = call(method) else { return record("\(method) was not called") }
    var message = "{\"parameters\":\(parameters)"
    if continues { message += ",\"continues\":true" }
    if let error { message += ",\"error\":\"\(error)\"" }
    if !continues { calls.removeAll { $0.link == call.link } }
    if let descriptor { step(.receivedDescriptor(call.link, descriptor)) }
    step(.received(call.link, Array((message + "}").utf8) + [0]))
  }

  /// Replies with an error of the interface.
  mutating func fail(
    _ method: String, _ name: String, code: Int, reason: String = "why", cure: String = "what"
  ) {
    reply(
      method, "{\"code\":\(code),\"reason\":\"\(reason)\",\"cure\":\"\(cure)\"}",
      error: "io.accessoryd.Session.\(name)")
  }

  /// The first reply to `Activate`.
  mutating func greet(
    sequence: Int = 0, token: String = token, epoch: String = epoch, isReset: Bool = false,
    radio: String? = nil
  ) {
    let reset = isReset ? ",\"isReset\":true" : ""
    let radio = radio.map { ",\"radio\":\"\($0)\"" } ?? ""
    reply(
      "Activate",
      "{\"session\":\"\(token)\",\"app\":\"lights\",\"epoch\":\"\(epoch)\",\"sequence\":\(sequence)\(reset)\(radio)}",
      continues: true)
  }

  /// The last reply of the list of accessories.
  mutating func list(_ accessories: [String] = [], sequence: Int = 0, epoch: String = epoch) {
    reply(
      "Activate",
      "{\(SocketAgent.eventMember("activated", 10, sequence, epoch: epoch)),"
        + "\"accessories\":[\(accessories.joined(separator: ","))]}",
      continues: true)
  }

  mutating func send(
    _ name: String, _ type: Int?, _ sequence: Int, _ more: String = "", epoch: String = epoch
  ) {
    let event = SocketAgent.eventMember(name, type, sequence, more, epoch: epoch)
    reply("Activate", "{\(event)}", continues: true)
  }

  static func accessory(_ digit: Character, name: String = "Lamp", state: Int = 20) -> String {
    SocketAgent.accessory(digit, name: name, state: state)
  }

  static func identifier(_ digit: Character) -> String { SocketAgent.identifier(digit) }

  /// The agent closes a connection.
  mutating func close(_ link: SessionLinkID) {
    forget(link)
    step(.linkEnded(link, reason: nil, isPermanent: false))
  }

  /// The stream breaks.
  mutating func breakStream() {
    guard let call = call("Activate") else { return record("there is no stream") }
    close(call.link)
  }

  /// Every connection breaks, as when the agent ends.
  mutating func die() {
    isUp = false
    for link in openLinks { close(link) }
  }

  /// Lets time pass until nothing is due before the end.
  mutating func run(_ span: Duration) {
    let end = now + span
    while let due = client.nextDeadline, due <= end {
      now = max(now, due)
      step(.timePassed)
    }
    now = end
  }

  // MARK: - What the app learned

  /// What was delivered since the last call, one word each.
  mutating func news(after span: Duration? = nil) -> [String] {
    if let span { run(span) }
    defer { reported = deliveries.count }
    return deliveries[reported...].map(Self.text)
  }

  private static func text(_ delivery: SessionDelivery) -> String {
    switch delivery {
    case .event(let event):
      let name = event.accessory.map { " \($0.displayName)" } ?? ""
      let error = event.error.map { " \($0.code)" } ?? ""
      let device = event.discovered.map { " #\($0.line.discovered)" } ?? ""
      return "\(event.type)\(name)\(device)\(error)"
    case .completion(let id, .success(let outcome)):
      if case .done = outcome { return "call \(id.number): done" }
      return "call \(id.number): \(outcome)"
    case .completion(let id, .failure(let error)): return "call \(id.number): \(error.code)"
    case .advertisement(let id, let line): return "call \(id.number): \(line.event) \(line.sequence)"
    case .radio(let state): return "radio \(state ?? "unknown")"
    case .leftOut(let id, let error): return "call \(id.number) without \(error.field ?? "")"
    case .unreachable(let error): return "silent: \(error.reason)"
    case .ended: return "ended"
    }
  }
}

extension ScriptedAgent {
  /// An agent whose client is activating.
  static func activating() -> ScriptedAgent {
    var agent = ScriptedAgent()
    agent.activate()
    return agent
  }

  /// An agent with an active session and these accessories.
  static func active(_ accessories: [String] = []) -> ScriptedAgent {
    var agent = ScriptedAgent.activating()
    agent.greet()
    agent.list(accessories)
    _ = agent.news()
    return agent
  }

  /// Shows a picker as call 1, with the identifier `picker`.
  mutating func present(_ picker: String = "p1", call: UInt64 = 1) {
    beginCall(call, .showPicker(items: nil, settings: nil))
    reply("ShowPicker", "{\"picker\":\"\(picker)\"}")
    send("pickerDidPresent", 40, 0, "\"picker\":\"\(picker)\"")
  }
}

/// Fails the test, and returns nothing.
func record(_ comment: Comment) { Issue.record(comment) }
