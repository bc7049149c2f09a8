// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import Interfaces
import Manifest
import Registry
import SessionClient
import Setup
import VirtualRadio

/// Two session clients of an app and the real agent, with a virtual clock: connections that break at any byte, an agent
/// that is restarted, and a random operator. One seed is one run.
public final class SessionSimulation {
  /// How much happened, by kind.
  public typealias Outcome = [String: Int]

  private static let seconds: Int64 = 90

  private var dice: SeededGenerator
  private var agent: AgentCore
  private var controller: VirtualController
  private var apps = [SimulatedApp(), SimulatedApp()]
  private var gatewayOperator = SimulatedOperator()
  private var saved = SavedRegistry()
  private var disk: (request: RegistryRequest, due: Int64)?
  private var now: Int64 = 0
  /// When this run of the agent started.
  private var start: Int64 = 0
  private var startCount: UInt64 = 1
  private var nextRestart: Int64
  /// Connections break, and apps and the operator act.
  private var isWild = true
  private let breaksPerMille: Int
  /// While an app stalls, the operator renames so often that the agent overwrites events.
  private var nextStall: Int64
  private let tampering: SessionTampering?
  private let log: ((String) -> Void)?
  private var happened: Outcome = [:]

  public init(seed: UInt64, tampering: SessionTampering? = nil, log: ((String) -> Void)? = nil) {
    self.tampering = tampering
    var dice = SeededGenerator(seed: seed ^ 0x5E55_1045)
    self.log = log
    breaksPerMille = [0, 1, 5, 20][dice.number(below: 4)]
    nextRestart = dice.chance(perMille: 600) ? Int64(dice.number(below: 80)) * 1_000_000 : .max
    nextStall = dice.chance(perMille: 150) ? Int64(10 + dice.number(below: 50)) * 1_000_000 : .max
    controller = VirtualController(
      ControllerScript(), scene: (1...4).map { SimulatedGateway.bulb($0) }, seed: seed)
    self.dice = dice
    agent = SimulatedGateway.agent(run: 1)
    agent.radioAppeared(.controller, at: Instant(microseconds: 0))
  }

  // MARK: - Running

  /// Runs to the end, or to the first rule that is broken.
  public func run() throws(BrokenRule) -> Outcome {
    gatewayOperator.connect(agent) { self.admit($0) }
    try runUntil(Self.seconds * 1_000_000)
    isWild = false
    for index in apps.indices { apps[index].stalledUntil = now }
    // Afterwards nothing breaks: both apps catch up.
    try runUntil(now + 20_000_000)
    for index in apps.indices {
      let known = Set(apps[index].oracle.accessories.map { "\($0.identifier) \($0.displayName) \($0.state)" })
      guard known == present else {
        throw BrokenRule(sentence: "app \(index) knows \(known.sorted()), the agent has \(present.sorted())")
      }
      try step(index, .invalidate(isReported: true))
      guard apps[index].oracle.hasEnded, apps[index].oracle.isInvalidated else {
        throw BrokenRule(sentence: "app \(index) did not end")
      }
    }
    happened["missed by clients"] = Int(agent.streamCounters.appEventsMissed)
    return apps.map(\.oracle.counts).reduce(into: happened) { $0.merge($1, uniquingKeysWith: +) }
  }

  /// The app's accessories as the agent has them.
  private var present: Set<String> {
    var present: Set<String> = []
    var last: Int64 = 0
    while let next = agent.setupCore.accessory(ofApp: "lights", after: last) {
      let accessory = next.accessory
      present.insert("\(accessory.identifier.text) \(accessory.displayName) \(accessory.state.rawValue)")
      last = next.number
    }
    return present
  }

  private func runUntil(_ end: Int64) throws(BrokenRule) {
    while now < end {
      now = min(end, max(now + 1000, nextTime))
      if nextRestart <= now, isWild { try restart() }
      receivePackets()
      answerDisk()
      for index in apps.indices {
        if isWild, apps[index].nextAct <= now { try act(index) }
        if apps[index].client.nextDeadline.map({ microseconds($0) <= now }) ?? false {
          try step(index, .timePassed)
        }
      }
      if isWild { actAsOperator() }
      try settle()
    }
  }

  private func actAsOperator() {
    if nextStall <= now, let accessory = apps[0].oracle.accessories.first {
      nextStall = .max
      apps[0].stalledUntil = now + 25_000_000
      log?("\(now): app 0 stalls while \(accessory.identifier) is renamed")
    }
    if apps[0].stalledUntil > now, let accessory = apps[0].oracle.accessories.first {
      gatewayOperator.nextAct = now + 5000
      gatewayOperator.rename(accessory.identifier, agent, &dice)
    } else if gatewayOperator.nextAct <= now {
      gatewayOperator.nextAct = now + Int64(dice.number(below: 1500)) * 1000
      gatewayOperator.act(agent, &dice)
    }
  }

  private var nextTime: Int64 {
    var times = [
      controller.nextTime?.microseconds, agent.nextDeadline.map { $0.microseconds + start }, disk?.due,
    ]
    for app in apps {
      times.append(app.client.nextDeadline.map(microseconds))
      if isWild { times.append(app.nextAct) }
      for wire in app.wires.values where !wire.toApp.isEmpty { times.append(wire.heldUntil) }
    }
    if isWild { times += [gatewayOperator.nextAct, nextRestart] }
    return times.compactMap { $0 }.min() ?? .max
  }

  private func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  private var instant: Instant { Instant(microseconds: now - start) }

  private func receivePackets() {
    while let packet = controller.next(before: Instant(microseconds: now + 1)) {
      agent.receive(packet: packet.bytes.span.rawBytes, at: instant)
    }
  }

  // MARK: - The agent

  private func admit(_ user: UInt32) -> ClientID? {
    guard case .admitted(let id) = agent.admit(Peer(process: 1, uid: user, groups: []), at: instant) else {
      return nil
    }
    return id
  }

  /// Turns until nothing is left to do at this time.
  private func settle() throws(BrokenRule) {
    for _ in 0..<1000 {
      agent.turn(at: instant)
      var isQuiet = true
      while let action = agent.nextAction() {
        isQuiet = false
        try performAction(action)
      }
      gatewayOperator.read(agent)
      for index in apps.indices where try exchange(index) { isQuiet = false }
      if isQuiet, !(agent.nextDeadline.map { $0 <= instant } ?? false) { return }
    }
    throw BrokenRule(sentence: "the agent does not come to rest")
  }

  private func performAction(_ action: Action) throws(BrokenRule) {
    switch action {
    case .send(let command):
      let bytes = command.bytes
      controller.receive(bytes.indices.map { bytes[$0] }, at: Instant(microseconds: now))
    case .close(let id):
      gatewayOperator.forget(id)
      for index in apps.indices {
        for (link, wire) in apps[index].wires where wire.client == id {
          apps[index].wires[link] = nil
          try step(index, .linkEnded(link, reason: nil, isPermanent: false))
        }
      }
    case .registry(let request): disk = (request, now + Int64(dice.number(below: 30)) * 1000)
    case .readKnownDevices: agent.knownDevicesWereRead(SimulatedGateway.knownDevices, at: instant)
    case .findBluetoothd: agent.bluetoothdWasSought(isRunning: false, at: instant)
    case .manage, .managePairing, .openBus, .closeBus, .callBus, .openLink, .closeLink, .openReports,
      .closeReports, .setFilter,
      .recoverRadio,
      .releaseRadio,
      .networks:
      throw BrokenRule(sentence: "the kernel is asked about a virtual radio")
    // A simulated gateway has no manifest file, and its radio is open.
    case .readManifest, .openRadio, .signal, .log: break
    }
  }

  private func answerDisk() {
    guard let (request, due) = disk, due <= now else { return }
    disk = nil
    agent.registryAnswered(saved.reply(to: request), at: instant)
  }

  /// Ends the agent, and starts another with the same registry.
  private func restart() throws(BrokenRule) {
    log?("\(now): the agent is restarted")
    happened["restarts", default: 0] += 1
    nextRestart = dice.chance(perMille: 400) ? now + Int64(dice.number(below: 40)) * 1_000_000 : .max
    startCount += 1
    start = now
    disk = nil
    agent = SimulatedGateway.agent(run: startCount)
    agent.radioAppeared(.controller, at: instant)
    for index in apps.indices {
      let links = apps[index].wires.keys.sorted { $0.number < $1.number }
      apps[index].wires = [:]
      for link in links { try step(index, .linkEnded(link, reason: nil, isPermanent: false)) }
    }
    gatewayOperator.connect(agent) { self.admit($0) }
  }

  // MARK: - Apps

  private func act(_ index: Int) throws(BrokenRule) {
    apps[index].nextAct = now + Int64(dice.number(below: 4000)) * 1000
    let input = apps[index].act(&dice)
    if case .begin(let id, let request) = input {
      apps[index].oracle.noteCall(id, request, at: now)
      log?("\(now): app \(index) begins \(id.number): \(request)")
    }
    try step(index, input)
  }

  private func step(_ index: Int, _ input: SessionInput) throws(BrokenRule) {
    var inputs = [input]
    while !inputs.isEmpty {
      var deliveries: [SessionDelivery] = []
      for action in apps[index].client.step(inputs.removeFirst(), at: .microseconds(now)) {
        switch action {
        case .open(let link, _): inputs.append(open(link, index))
        case .send(let link, let bytes): apps[index].wires[link]?.toAgent += bytes
        case .close(let link):
          if let id = apps[index].wires.removeValue(forKey: link)?.client { agent.drop(id) }
        case .closeDescriptor: break
        case .deliver(let delivery): deliveries.append(delivery)
        }
      }
      for delivery in tampering?.falsify(deliveries) ?? deliveries {
        log?("\(now): app \(index) learns \(delivery)")
        try apps[index].oracle.check(delivery)
      }
    }
  }

  /// Opens a connection, or fails to.
  private func open(_ link: SessionLinkID, _ index: Int) -> SessionInput {
    guard !dice.chance(perMille: isWild ? breaksPerMille * 5 : 0), let id = admit(SimulatedApp.user) else {
      return .linkEnded(link, reason: "refused", isPermanent: false)
    }
    apps[index].wires[link] = Wire(client: id)
    return .linkOpened(link)
  }

  /// Moves some of the bytes under way. Returns whether there were any.
  private func exchange(_ index: Int) throws(BrokenRule) -> Bool {
    var hasMoved = false
    for link in apps[index].wires.keys.sorted(by: { $0.number < $1.number }) {
      guard var wire = apps[index].wires[link], let id = wire.client else { continue }
      let part = wire.toAgent.prefix(min(agent.receivableByteCount(id), 1 + dice.number(below: 4096)))
      if !part.isEmpty {
        wire.toAgent.removeFirst(part.count)
        agent.receive(Array(part).span, from: id)
        hasMoved = true
      }
      let before = wire.toApp.count
      let isStalled = apps[index].stalledUntil > now
      if !isStalled {
        agent.drain(id) { bytes in
          for position in bytes.indices { wire.toApp.append(bytes[position]) }
          return bytes.count
        }
      }
      if wire.toApp.count > before, before == 0 {
        wire.heldUntil = now + Int64(dice.number(below: 20)) * 1000
      }
      if !isStalled, wire.heldUntil <= now, !wire.toApp.isEmpty {
        let arrived = Array(wire.toApp.prefix(1 + dice.number(below: wire.toApp.count)))
        wire.toApp.removeFirst(arrived.count)
        apps[index].wires[link] = wire
        hasMoved = true
        try step(index, .received(link, arrived))
      } else {
        apps[index].wires[link] = wire
      }
      guard hasMoved, isWild, dice.chance(perMille: breaksPerMille), apps[index].wires[link] != nil else {
        continue
      }
      log?("\(now): a connection of app \(index) breaks")
      happened["breaks", default: 0] += 1
      apps[index].wires[link] = nil
      agent.drop(id)
      try step(index, .linkEnded(link, reason: nil, isPermanent: false))
    }
    return hasMoved
  }
}
