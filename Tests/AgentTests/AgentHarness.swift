// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
import Controller
import HCI
import JSON
import Manifest
import Setup
import TestSupport
import Varlink
import VirtualRadio

/// An agent with a virtual controller and clients, in virtual time: everything a shell would do, done at once.
final class AgentHarness: ScenarioHarness {
  private(set) var agent: AgentCore
  var setupCore: SetupCore { agent.setupCore }
  private(set) var now = Instant(microseconds: 0)
  private var controller: VirtualController?
  /// The disk did, which makes a loop turn.
  private var hasAnswered = false
  private(set) var clients: [ClientID: HarnessClient] = [:]
  private(set) var notices: [Notice] = []
  private(set) var touchSignals: [TouchSignal] = []
  private(set) var opened: [RadioSelection] = []
  private(set) var commands: [CommandPacket] = []
  /// What the kernel was asked, and what was to be tried with the adapter.
  private(set) var managed: [MgmtCommand] = []
  var kernel: StandInKernel?
  private(set) var mended: [RecoveryAction] = []
  /// What a reading of the manifest brings; nothing is answered while it is nil.
  var reading: ManifestReading?
  private(set) var readingsAsked = 0
  /// Answers for the registry's file; while it is held, what was asked waits.
  var registry: StandInRegistryFile

  /// `run` tells one start of the agent from another: identifiers and the epoch are drawn anew.
  init(
    _ manifest: GatewayManifest, scene devices: [SceneDevice]? = nil,
    script: ControllerScript = ControllerScript(),
    access: AccessList = .operators, board: BoardProfile = .attentive,
    registry: StandInRegistryFile = StandInRegistryFile(), run: UInt64 = 1
  ) {
    self.registry = registry
    let setup = AgentCore.Setup(
      AgentCore.Configuration(manifest, board: board, access: access), radioSource: "h4:bench",
      epoch: Block128(high: run, low: 2), secret: Block128(high: run, low: 4), version: "0.1.0")
    agent = AgentCore(setup, at: now)
    controller = devices.map { VirtualController(script, scene: $0, seed: 5) }
    if controller != nil { agent.radioAppeared(.controller, at: now) }
    turn()
  }

  // MARK: - Time

  var nextTime: Instant? { [controller?.nextTime, agent.nextDeadline].compactMap { $0 }.min() }

  /// Goes through everything that happens within a time, reading the radio every 20 ms.
  func run(milliseconds: Int64) {
    let end = now.advanced(milliseconds: milliseconds)
    while now < end {
      let pace: Int64 = agent.isRadioUrgent ? 1 : 20
      let drain = controller?.nextTime.map { max($0, now.advanced(milliseconds: pace)) }
      let due = [drain, agent.nextDeadline, end].compactMap { $0 }.min() ?? end
      now = max(now, min(due, end))
      let wasPlugged = controller?.isPlugged
      while let packet = controller?.next(before: now.advanced(milliseconds: 1)) {
        agent.receive(packet: packet.bytes.span.rawBytes, at: now)
      }
      notePlug(since: wasPlugged)
      turn()
    }
  }

  private func notePlug(since wasPlugged: Bool?) {
    guard let isPlugged = controller?.isPlugged, isPlugged != wasPlugged else { return }
    if isPlugged {
      agent.radioAppeared(.controller, at: now)
    } else {
      agent.radioVanished("it was pulled out", at: now)
    }
  }

  /// A packet of the radio, now.
  func receive(_ packet: [UInt8]) {
    agent.receive(packet: packet.span.rawBytes, at: now)
    turn()
  }

  /// Lets the disk answer what it was asked while it was held.
  func releaseRegistry() {
    guard let reply = registry.release() else { return }
    agent.registryAnswered(reply, at: now)
    turn()
  }

  /// Turns until nothing is left to do at this time.
  func turn() {
    repeat {
      hasAnswered = false
      agent.turn(at: now)
      while let action = agent.nextAction() { perform(action) }
      for id in clients.keys { deliver(to: id) }
    } while hasAnswered || agent.nextDeadline.map { $0 <= now } ?? false
  }

  private func perform(_ action: Action) {
    switch action {
    case .send(let command):
      commands.append(command)
      controller?.receive(command.bytes.indices.map { command.bytes[$0] }, at: now)
    case .close(let id): clients[id]?.isClosed = true
    case .readManifest:
      readingsAsked += 1
      if let reading { agent.manifestWasRead(reading, at: now) }
    case .openRadio(let selection, _): opened.append(selection)
    case .manage(let command):
      managed.append(command)
      for event in kernel?.answer(command) ?? [] { tell(event) }
    case .releaseRadio(let reason): agent.radioVanished(reason, at: now)
    case .mend(let rung): mended.append(rung)
    case .registry(let request):
      guard let reply = registry.answer(request) else { return }
      agent.registryAnswered(reply, at: now)
      hasAnswered = true
    case .signalTouch(let signal): touchSignals.append(signal)
    case .log(let notice): notices.append(notice)
    }
  }

  /// Moves bytes both ways, as far as the client reads.
  private func deliver(to id: ClientID) {
    guard let client = clients[id], !client.isClosed else { return }
    agent.drain(id) { client.take($0) }
    while !client.outgoing.isEmpty {
      let scene = agent.receivableByteCount(id)
      guard scene > 0 else { return }
      let part = Array(client.outgoing.prefix(scene))
      client.outgoing.removeFirst(part.count)
      agent.receive(part.span, from: id)
      agent.turn(at: now)
      while let action = agent.nextAction() { perform(action) }
      agent.drain(id) { client.take($0) }
    }
  }

  func radioVanishes() {
    controller = nil
    agent.radioVanished("it was pulled out", at: now)
    turn()
  }

  /// Another controller is plugged in.
  func radioComes(_ scene: [SceneDevice]) {
    controller = VirtualController(ControllerScript(), scene: scene, seed: 6)
    agent.radioAppeared(.controller, at: now)
    turn()
  }

  /// Something was opened, in place of the controller.
  func radioComes(as kind: RadioKind) {
    agent.radioAppeared(kind, at: now)
    turn()
  }

  /// A message of the kernel's management interface.
  func tell(_ event: MgmtEvent) { agent.receive(management: event.bytes.span.rawBytes, at: now) }

  func tellBytes(_ bytes: [UInt8]) { agent.receive(management: bytes.span.rawBytes, at: now) }

  func setRequests(_ count: Int, immediate: Int) {
    agent.setRequests(RequestCounts(open: count, immediate: immediate), at: now)
    turn()
  }

  /// What was tried with the adapter did not help.
  func remedyFails(_ reason: String) {
    agent.remedyFailed(reason, at: now)
    turn()
  }

  func setImmediateRequests(_ count: Int) {
    agent.setRequests(RequestCounts(open: count, immediate: count), at: now)
    turn()
  }

  func manifestWasRead(_ reading: ManifestReading) {
    agent.manifestWasRead(reading, at: now)
    turn()
  }

  func readManifestAgain() {
    agent.readManifestAgain(at: now)
    turn()
  }

  /// The states that the radio has taken, in order.
  var radioStates: [RadioState] {
    notices.compactMap { if case .radio(let state, _, _) = $0 { state } else { nil } }
  }

  var isRadioUrgent: Bool { agent.isRadioUrgent }

  // MARK: - Clients

  func id(of client: HarnessClient) -> ClientID {
    guard let id = client.id else { preconditionFailure("who is at a harness is known to its agent") }
    return id
  }

  func connect(user: UInt32) -> HarnessClient? { connect(user: user, groups: []) }

  /// Somebody connects; nil when turned away.
  func connect(user: UInt32 = 0, groups: Set<UInt32>) -> HarnessClient? {
    let peer = Peer(process: 1, uid: user, groups: groups)
    guard case .admitted(let id) = agent.admit(peer, at: now) else {
      turn()
      return nil
    }
    let client = HarnessClient(id)
    clients[id] = client
    return client
  }

  func send(_ bytes: [UInt8], by client: HarnessClient) {
    client.outgoing += bytes
    deliver(to: id(of: client))
    turn()
  }

  func endInput(of client: HarnessClient) {
    agent.endInput(id(of: client))
    turn()
  }

  func hangUp(_ client: HarnessClient) {
    agent.drop(id(of: client))
    client.isClosed = true
    turn()
  }

  /// Calls a method of the operators' interface and answers what came back in this turn.
  @discardableResult
  func call(
    _ method: String, by client: HarnessClient, more: Bool = false,
    _ parameters: (inout JSONWriter) -> Void = { _ in }
  ) -> [ReceivedReply] {
    let before = client.replies.count
    send(Message.call("io.accessoryd.Gateway.\(method)", more: more, parameters), by: client)
    return Array(client.replies.dropFirst(before))
  }
}

extension BoardProfile {
  /// Listens all the time, so that few devices are enough for a test.
  static var attentive: Self {
    var board = Self(name: "bench")
    board.low = ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60)
    return board
  }
}

extension AccessList {
  /// Root; user 1000 is the app "lights", and group 50 is that of operators.
  static var operators: Self {
    var access = AccessList(operatorUsers: [0], operatorGroups: [50], overflowUser: 65_534)
    access.appsOfUser[1000] = ["lights"]
    return access
  }
}

extension ReceivedReply {
  subscript(_ name: String) -> JSONValue? { parameters[name] }

  func object(_ name: String) -> JSONObject? {
    if case .object(let object)? = parameters[name] { object } else { nil }
  }

  func text(_ name: String) -> String? {
    if case .string(let text)? = parameters[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? {
    if case .integer(let integer)? = parameters[name] { integer } else { nil }
  }
}

extension JSONObject {
  func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? {
    if case .integer(let integer)? = self[name] { integer } else { nil }
  }
}
