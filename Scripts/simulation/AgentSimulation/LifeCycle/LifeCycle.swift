// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Discovery
import HCI
import Manifest
import Registry
import Setup
import TestSupport
import VirtualRadio

/// The real agent with random apps and operators, a disk that is slow and fails, and power cuts.
///
/// The radio and its scene are those of ``Simulation``, which checks sightings. Here sessions, pickers and the registry
/// are compared with the messages to all clients and with the disk's contents.
public final class LifeCycle {
  let seconds: Int
  /// The shortest time between two steps of the agent's loop.
  var pace: Int64
  let tampering: LifeTampering?
  var tamperings = 0
  let log: ((String) -> Void)?

  var dice: SeededGenerator
  var agent: AgentCore
  var manifest: GatewayManifest
  var configuration: AgentCore.Configuration
  var radio: SimulatedRadio
  var disk: SimulatedDisk
  var networks: RandomNetworks
  var epoch: String
  /// When this run of the agent started; its clock starts then.
  var start: Int64 = 0
  var actors: [Actor] = []
  var knowledge = Knowledge()
  /// The events of each app in this run of the agent.
  var logs: [String: AppLog] = [:]
  /// The accessories that awaited authorization when the power was cut; nil after this run has opened the registry.
  var awaitingAtCut: [String: Set<String>]?
  /// Those of them that this run removed when it started.
  var takenBack: [String: Set<String>] = [:]
  /// The file's contents at the last check.
  var known = AccessoryRegistry()
  /// The last time at which the registry's file was being read.
  var lastOpening: Int64 = 0
  var readings: [Int64] = []
  var nextCut: Int64
  var now: Int64 = 0
  var step = 0
  var digest = Digest()
  var replyCount = 0
  var cutCount = 0
  /// How many accessories were seen to have another device than before.
  public internal(set) var replacedCount = 0
  var isEnding = false

  public init(seed: UInt64, tampering: LifeTampering? = nil, log: ((String) -> Void)? = nil) {
    self.tampering = tampering
    self.log = log
    var dice = SeededGenerator(seed: seed ^ 0x11FE_C7C1_E000_0000)
    seconds = dice.pick([15, 30, 30, 80])
    pace = dice.pick([1000, 20_000, 20_000, 50_000])
    let scene = RandomScene.script(seconds: seconds, dice: &dice)
    networks = RandomNetworks(seed: seed)
    var manifest = LifeManifest.manifest(dice: &dice)
    networks.changeItems(of: &manifest)
    self.manifest = manifest
    configuration = AgentCore.Configuration(
      manifest, identities: Vocabulary.identities, board: BoardProfile(name: "simulated"),
      access: LifeManifest.access(random: nil))
    let block = Block128(high: dice.next(), low: dice.next())
    epoch = RandomIdentifier(block).text
    agent = AgentCore(
      AgentCore.Setup(
        configuration, radioSource: "h4:controller", epoch: block,
        secret: Block128(high: dice.next(), low: dice.next())), at: Instant(microseconds: 0))
    radio = SimulatedRadio(VirtualController(scene), isBatched: dice.chance(perMille: 300))
    disk = SimulatedDisk(
      failuresPerMille: dice.pick([0, 0, 20, 100]), dice: SeededGenerator(seed: dice.next()))
    disk.tampering = tampering
    nextCut = dice.chance(perMille: 500) ? Int64(dice.between(5000, seconds * 1000)) * 1000 : .max
    self.dice = dice
    actors = population()
  }

  // MARK: Running

  /// Runs to the end, or to the first rule that is broken.
  public func run() throws(Simulation.Failure) -> Simulation.Outcome {
    do throws(Breach) {
      try settle()
      while let time = nextTime, time < Int64(seconds) * 1_000_000 {
        step += 1
        now = max(now + pace, time)
        try advance()
      }
      try end()
    } catch {
      throw Simulation.Failure(breach: error, step: step, microseconds: now)
    }
    return Simulation.Outcome(
      digest: digest, steps: step, events: disk.commitCount, replies: replyCount, packets: radio.packetCount)
  }

  var nextTime: Int64? {
    var soonest: Int64 = isEnding ? nextCut : min(nextCut, networks.nextScan)
    for actor in actors { soonest = min(soonest, actor.nextAct) }
    for reading in readings { soonest = min(soonest, reading) }
    if let deadline = agent.nextDeadline { soonest = min(soonest, deadline.microseconds + start) }
    let ofRadio = isEnding ? nil : radio.nextTime
    for case let time? in [ofRadio, disk.nextTime] as [Int64?] { soonest = min(soonest, time) }
    return soonest == .max ? nil : soonest
  }

  private func advance() throws(Breach) {
    try settle()
    try deliverInputs()
    for index in actors.indices where actors[index].nextAct <= now { act(index) }
    if nextCut <= now { try cutPower() }
    try settle()
    try check()
  }

  /// Delivers packets of the radio, replies of the disk, and readings of the manifest.
  func deliverInputs() throws(Breach) {
    if !isEnding {
      deliverPackets()
      scanNetworks()
    }
    if let reply = disk.reply(at: now) {
      note("the disk replies \(reply)")
      try checkReplacements()
      // The power may be cut before the next check of the file.
      known = disk.saved
      agent.registryAnswered(reply, at: instant)
      updateKnowledge()
      updateTakenBack(after: reply)
    }
    deliverReadings()
  }

  /// Every accessory that is gone when the registry is open was removed by the start; but not those of a file that an
  /// operator set aside unread.
  private func updateTakenBack(after reply: RegistryReply) {
    guard let awaitingAtCut, !agent.setupCore.isOpening, agent.setupCore.degradation == nil else { return }
    self.awaitingAtCut = nil
    if case .reset = reply { return }
    let left = Set(disk.saved.accessories.map(\.identifier.text))
    takenBack = awaitingAtCut.mapValues { $0.subtracting(left) }
  }

  /// The accessories that await authorization, by app, as the file has them.
  private func awaiting() -> [String: Set<String>] {
    var awaiting: [String: Set<String>] = [:]
    for accessory in disk.saved.accessories where accessory.state == .awaitingAuthorization {
      let identifier = accessory.identifier.text
      if view(of: accessory.app)[identifier] != nil {
        awaiting[accessory.app, default: []].insert(identifier)
      }
    }
    return awaiting
  }

  private func scanNetworks() {
    guard networks.nextScan <= now else { return }
    let heard = networks.scan(at: now)
    note("a scan finds \(heard.map(\.name))")
    agent.updateNetworks(at: instant) { heard.enter(into: &$0, at: now, start: start) }
  }

  private func deliverPackets() {
    while let packet = radio.next(at: now) { agent.receive(packet: packet.rawSpan, at: instant) }
    switch radio.plugging(at: now) {
    case .appeared?: agent.radioAppeared(.controller, at: instant)
    case .vanished?: agent.radioVanished("it was pulled out", at: instant)
    case nil: break
    }
  }

  /// The time of the agent's clock.
  var instant: Instant { Instant(microseconds: now - start) }

  func note(_ line: @autoclosure () -> String) {
    guard let log else { return }
    log("\(step) \(now) µs: \(line())")
  }

  /// Runs turns of the agent's loop until it has nothing more to do at this time.
  func settle() throws(Breach) {
    for _ in 0..<5000 {
      agent.turn(at: instant)
      var isQuiet = true
      while let action = agent.nextAction() {
        isQuiet = false
        try execute(action)
      }
      updateKnowledge()
      if tampering == .closesAnInnocent, let id = actors[0].id { try execute(.close(id)) }
      for index in actors.indices where try exchange(index) { isQuiet = false }
      let isDue = agent.nextDeadline.map { $0 <= instant } ?? false
      if isQuiet, !isDue { return }
    }
    throw Breach(.bound, "the agent does not come to rest")
  }

  private func execute(_ action: Action) throws(Breach) {
    switch action {
    case .send(let command):
      let bytes = command.bytes
      radio.send(bytes.indices.map { bytes[$0] }, at: now)
    case .close(let id):
      let name = actors.first { $0.id == id }?.name ?? "an unknown client"
      // Only a client that does not read its last replies is closed here.
      guard let index = actors.firstIndex(where: { $0.id == id }), actors[index].bytesPerRead > 0 else {
        throw Breach(.wrongAdmission, "\(name) did nothing wrong and was closed")
      }
      actors[index].disconnect()
    case .readManifest: readings.append(now + Int64(dice.between(100, 300_000)))
    case .openRadio: radio.open(at: now + Int64(dice.between(0, 200_000)))
    case .registry(let request):
      note("asks the disk: \(request)")
      if tampering == .asksTheDiskTwice { _ = disk.start(request, at: now) }
      guard disk.start(request, at: now) else {
        throw Breach(.bound, "two requests to the registry's file are under way")
      }
    case .manage, .managePairing, .openBus, .closeBus, .callBus, .recoverRadio, .releaseRadio,
      .setFilter, .findBluetoothd, .readKnownDevices, .networks, .openLink,
      .closeLink, .openReports, .closeReports:
      // The agent asks the kernel only about adapters of the machine.
      throw Breach(.wrongCommand, "the kernel is asked about a virtual radio")
    case .signal(let signal): note("signals \(signal)")
    case .log(let notice): note("\(notice)")
    }
  }

  private func deliverReadings() {
    while let due = readings.firstIndex(where: { $0 <= now }) {
      readings.remove(at: due)
      manifest = LifeManifest.changed(manifest, dice: &dice)
      networks.changeItems(of: &manifest)
      configuration = AgentCore.Configuration(
        manifest, identities: configuration.identities, board: configuration.board,
        access: LifeManifest.access(random: dice.next()))
      note("the manifest has \(manifest.items.count) items")
      // The new manifest may change which apps see the removals.
      awaitingAtCut = nil
      agent.manifestWasRead(
        .accepted(configuration, radioSource: "h4:controller", warnings: []), at: instant)
    }
  }

  // MARK: Power

  /// Ends the agent between two turns; another one starts with the disk's contents.
  private func cutPower() throws(Breach) {
    note("the power is cut")
    cutCount += 1
    let possible = disk.possible(from: known)
    disk.cutPower()
    guard possible.contains(disk.saved) else {
      throw Breach(
        .registry,
        "after the power cut the file holds neither the old contents nor those of the pending request")
    }
    (known, logs, lastOpening) = (disk.saved, [:], now)
    nextCut = dice.chance(perMille: 400) ? now + Int64(dice.between(3000, 40_000)) * 1000 : .max
    (awaitingAtCut, takenBack) = (awaiting(), [:])
    for index in actors.indices {
      actors[index].disconnect()
      if let book = actors[index].book { actors[index].cursor = book.cursor ?? actors[index].cursor }
      actors[index].book = nil
    }
    readings = []
    start = now
    let block = Block128(high: dice.next(), low: dice.next())
    epoch = RandomIdentifier(block).text
    knowledge.forgetRun()
    agent = AgentCore(
      AgentCore.Setup(
        configuration, radioSource: "h4:controller", epoch: block,
        secret: Block128(high: dice.next(), low: dice.next())), at: instant)
  }
}
