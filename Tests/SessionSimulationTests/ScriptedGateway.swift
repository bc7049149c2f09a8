// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Interfaces
import JSON
import SessionClient
@testable import SessionSimulation
import VirtualRadio

/// Sessions of the app "lights", the real agent and an operator, in virtual time: a test says what each of them does, and
/// compares what the app learns line by line.
final class ScriptedGateway {
  private struct Session {
    let name: String
    var client = SessionClient(app: "lights")
    var wires: [SessionLinkID: Wire] = [:]
    /// What each call is called in the lines.
    var calls: [CallID: String] = [:]
    /// Its connections end, and it reaches the agent no more.
    var isCutOff = false
    var accessories: [AppAccessoryLine] = []
    var discovered: [UInt32] = []
    var lastFailure: SessionError?
  }

  /// nil while the agent is away.
  private var agent: AgentCore?
  private var controller: VirtualController
  private var saved = SavedRegistry()
  private var gatewayOperator = SimulatedOperator()
  private var sessions: [Session] = []
  private var now: Int64 = 0
  /// When this run of the agent started.
  private var start: Int64 = 0
  private var startCount: UInt64 = 0
  private var lines: [String] = []
  private var nextCall: UInt64 = 0

  /// Starts the agent, with this many bulbs in reach.
  init(bulbs: UInt64 = 1) {
    let scene = (0..<bulbs).map { SimulatedGateway.bulb($0 + 1) }
    controller = VirtualController(ControllerScript(), scene: scene, seed: 1)
    startAgent()
    run(seconds: 1)
  }

  // MARK: - The app

  /// Opens a session.
  @discardableResult
  func activate(_ name: String = "app") -> Int {
    sessions.append(Session(name: name))
    step(sessions.count - 1, .activate)
    settle()
    return sessions.count - 1
  }

  /// Makes a call. The line of its completion begins with the name of its method. Then `seconds` pass.
  func beginCall(_ request: SessionRequest, in session: Int = 0, wait seconds: Int64 = 0) {
    let id = CallID(nextCall)
    nextCall += 1
    sessions[session].lastFailure = nil
    sessions[session].calls[id] = "\(request)".prefix { $0 != "(" }.description
    step(session, .begin(id, request))
    settle()
    run(seconds: seconds)
  }

  /// Shows a picker, for which the operator chooses a bulb.
  func setUpBulb(setupOptions: UInt = 0) {
    beginCall(Self.picker(setupOptions: setupOptions), wait: 2)
    choose(wait: 1)
  }

  func invalidate(_ session: Int = 0) {
    step(session, .invalidate(isReported: true))
    settle()
  }

  /// Cuts a session off from the agent, or connects it again.
  func setCutOff(_ isCutOff: Bool, session: Int = 0) {
    sessions[session].isCutOff = isCutOff
    guard isCutOff else { return }
    for wire in sessions[session].wires.values { wire.client.map { agent?.drop($0) } }
    endLinks(session)
  }

  func accessories(of session: Int = 0) -> [AppAccessoryLine] { sessions[session].accessories }

  func discovered(by session: Int = 0) -> [UInt32] { sessions[session].discovered }

  /// Why the last call failed that has completed; nil when it succeeded.
  func lastFailure(of session: Int = 0) -> SessionError? { sessions[session].lastFailure }

  /// A picker of one item.
  static func picker(
    setupOptions: UInt = 0, options: UInt = 0, timeout: String? = nil, ssidPrefix: String? = nil,
    company: UInt16 = 0x0EEE
  ) -> SessionRequest {
    var descriptor = DescriptorLine()
    descriptor.bluetoothCompanyIdentifier = company
    descriptor.ssidPrefix = ssidPrefix
    let item = RequestedItem(
      name: "Bulb", productImage: nil, descriptor: descriptor, setupOptions: setupOptions, renameOptions: 0)
    return .showPicker(
      items: [item], settings: RequestedSettings(discoveryTimeout: timeout, options: options))
  }

  /// A picker that migrates devices: identifiers that the app had, or addresses of bulbs.
  static func migration(_ identifiers: [String]) -> SessionRequest {
    guard case .showPicker(let items?, let settings) = picker() else { preconditionFailure("it has an item") }
    return .showPicker(
      items: identifiers.map { identifier in
        var item = items[0]
        item.migration = RequestedItem.Migration(bluetoothIdentifier: identifier, ssid: nil)
        return item
      }, settings: settings)
  }

  // MARK: - The operator

  /// Chooses a device for the only open request. Then `seconds` pass.
  func choose(wait seconds: Int64) {
    guard let request = gatewayOperator.requests.keys.first,
      let candidate = gatewayOperator.candidates[request]?.first
    else { return note("operator: there is nothing to choose") }
    operate("Choose", wait: seconds) { json in
      json.member("request", request)
      json.member("candidate", candidate)
    }
  }

  /// Decides the only open request.
  func decide(_ method: String, name: String? = nil, wait seconds: Int64) {
    guard let request = gatewayOperator.requests.keys.first else {
      return note("operator: there is no request")
    }
    operate(method, wait: seconds) { json in
      json.member("request", request)
      if let name { json.member("name", name) }
    }
  }

  /// Calls a method that is about an accessory.
  func operate(_ method: String, on accessory: AppAccessoryLine, name: String? = nil, wait seconds: Int64 = 0)
  {
    operate(method, wait: seconds) { json in
      json.member("accessory", accessory.identifier)
      if let name { json.member("name", name) }
    }
  }

  private func operate(_ method: String, wait seconds: Int64, _ parameters: (inout JSONWriter) -> Void) {
    guard let agent else { return }
    gatewayOperator.send(method, to: agent, parameters)
    settle()
    run(seconds: seconds)
  }

  // MARK: - The agent

  /// Kills the agent. What was not in the registry is lost.
  func killAgent() {
    agent = nil
    for index in sessions.indices { endLinks(index) }
  }

  func startAgent() {
    startCount += 1
    start = now
    let agent = SimulatedGateway.agent(run: startCount)
    agent.radioAppeared(.controller, at: instant)
    self.agent = agent
    gatewayOperator.connect(agent) { admit($0) }
    settle()
  }

  private func admit(_ user: UInt32) -> ClientID? {
    guard case .admitted(let id)? = agent?.admit(Peer(process: 1, uid: user, groups: []), at: instant) else {
      return nil
    }
    return id
  }

  // MARK: - Time

  func run(seconds: Int64) {
    let end = now + seconds * 1_000_000
    while now < end {
      now = min(end, max(now + 1000, nextTime))
      while let packet = controller.next(before: Instant(microseconds: now + 1)) {
        agent?.receive(packet: packet.bytes.span.rawBytes, at: instant)
      }
      for index in sessions.indices where isDue(sessions[index].client.nextDeadline) {
        step(index, .timePassed)
      }
      settle()
    }
  }

  private var instant: Instant { Instant(microseconds: now - start) }

  private var nextTime: Int64 {
    let deadlines = sessions.map { $0.client.nextDeadline.map { Self.microseconds($0) } }
    return
      ([controller.nextTime?.microseconds, agent?.nextDeadline.map { $0.microseconds + start }] + deadlines)
      .compactMap { $0 }.min() ?? .max
  }

  private func isDue(_ deadline: Duration?) -> Bool { deadline.map { Self.microseconds($0) <= now } ?? false }

  private static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// Turns until nothing is left to do at this time.
  private func settle() {
    while let agent {
      agent.turn(at: instant)
      var isQuiet = true
      while let action = agent.nextAction() {
        isQuiet = false
        performAction(action)
      }
      gatewayOperator.read(agent)
      for index in sessions.indices where exchange(index, agent) { isQuiet = false }
      if isQuiet, !(agent.nextDeadline.map { $0 <= instant } ?? false) { return }
    }
  }

  private func performAction(_ action: Action) {
    switch action {
    case .send(let command):
      let bytes = command.bytes
      controller.receive(bytes.indices.map { bytes[$0] }, at: Instant(microseconds: now))
    case .close(let id):
      gatewayOperator.forget(id)
      for index in sessions.indices {
        for (link, wire) in sessions[index].wires where wire.client == id {
          sessions[index].wires[link] = nil
          step(index, .linkEnded(link, reason: nil, isPermanent: false))
        }
      }
    case .registry(let request): agent?.registryAnswered(saved.reply(to: request), at: instant)
    case .readKnownDevices: agent?.knownDevicesWereRead(SimulatedGateway.knownDevices, at: instant)
    // A simulated gateway has neither an adapter nor a manifest file.
    default: break
    }
  }

  // MARK: - Connections

  private func endLinks(_ index: Int) {
    let links = sessions[index].wires.keys.sorted { $0.number < $1.number }
    sessions[index].wires = [:]
    for link in links { step(index, .linkEnded(link, reason: nil, isPermanent: false)) }
  }

  private func step(_ index: Int, _ input: SessionInput) {
    var inputs = [input]
    while !inputs.isEmpty {
      for action in sessions[index].client.step(inputs.removeFirst(), at: .microseconds(now)) {
        switch action {
        case .open(let link, _):
          if !sessions[index].isCutOff, let id = admit(SimulatedApp.user) {
            sessions[index].wires[link] = Wire(client: id)
            inputs.append(.linkOpened(link))
          } else {
            inputs.append(.linkEnded(link, reason: "away", isPermanent: false))
          }
        case .send(let link, let bytes): sessions[index].wires[link]?.toAgent += bytes
        case .close(let link):
          if let id = sessions[index].wires.removeValue(forKey: link)?.client { agent?.drop(id) }
        case .closeDescriptor: break
        case .deliver(let delivery): note(delivery, index)
        }
      }
    }
  }

  /// Moves the bytes under way. Returns whether there were any.
  private func exchange(_ index: Int, _ agent: AgentCore) -> Bool {
    var hasMoved = false
    for link in sessions[index].wires.keys.sorted(by: { $0.number < $1.number }) {
      guard let wire = sessions[index].wires[link], let id = wire.client else { continue }
      let part = Array(wire.toAgent.prefix(agent.receivableByteCount(id)))
      if !part.isEmpty {
        sessions[index].wires[link]?.toAgent.removeFirst(part.count)
        agent.receive(part.span, from: id)
        hasMoved = true
      }
      var received: [UInt8] = []
      agent.drain(id) { bytes in
        for position in bytes.indices { received.append(bytes[position]) }
        return bytes.count
      }
      guard !received.isEmpty else { continue }
      hasMoved = true
      step(index, .received(link, received))
    }
    return hasMoved
  }

  // MARK: - Lines

  /// The lines since the last call.
  func takeLines(after seconds: Int64 = 0) -> [String] {
    run(seconds: seconds)
    defer { lines = [] }
    return lines
  }

  private func note(_ line: String) { lines.append(line) }

  private func note(_ delivery: SessionDelivery, _ index: Int) {
    let prefix = index == 0 ? "" : "\(sessions[index].name): "
    switch delivery {
    case .event(let event):
      sessions[index].accessories = event.accessories
      if let device = event.discovered { sessions[index].discovered.append(device.line.discovered) }
      let accessory = event.accessory.map { " \($0.displayName) \($0.state)" } ?? ""
      let error = event.error.map { " \($0.code)" } ?? ""
      note("\(prefix)\(Self.names[event.type] ?? "\(event.type)")\(accessory)\(error)")
    case .completion(let id, let result):
      let call = sessions[index].calls[id] ?? "\(id.number)"
      switch result {
      case .success:
        sessions[index].lastFailure = nil
        note("\(prefix)\(call): done")
      case .failure(let error):
        sessions[index].lastFailure = error
        note("\(prefix)\(call): \(error.code)")
      }
    case .radio, .unreachable, .leftOut, .advertisement, .ended: break
    }
  }

  private static let names = [
    10: "activated", 11: "invalidated", 20: "migrationComplete", 30: "accessoryAdded", 31: "accessoryRemoved",
    32: "accessoryChanged", 33: "accessoryDiscovered", 40: "pickerDidPresent", 50: "pickerDidDismiss",
    60: "pickerSetupBridging", 70: "pickerSetupFailed", 80: "pickerSetupPairing", 90: "pickerSetupRename",
  ]
}
