// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Discovery
import HCI
import Manifest
import Registry
import Setup
import TestSupport
import VirtualRadio

/// The real agent among apps and operators by chance, with a disk that is slow and fails, and with power cuts.
///
/// The radio and its scene are those of the ``Simulation``, whose reference model checks sightings. Here sessions, pickers
/// and the registry are compared with the events of every client and with what the disk holds.
public final class LifeCycle {
  let seconds: Int
  /// The agent's loop looks no more often.
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
  var epoch: String
  /// When this run of the agent began; its clock begins then.
  var start: Int64 = 0
  var actors: [Actor] = []
  var knowledge = Knowledge()
  /// What each app was told in this run of the agent.
  var logs: [String: AppLog] = [:]
  /// What awaited its app when the power went, until this run has looked at it.
  var leftOver: [String: Set<String>]?
  /// What of that this run began with taking back.
  var takenBack: [String: Set<String>] = [:]
  /// The file as it was when everybody was last found to know it.
  var known = AccessoryRegistry()
  /// When the registry's file was last being read.
  var lastOpening: Int64 = 0
  var readings: [Int64] = []
  var nextCut: Int64
  var now: Int64 = 0
  var step = 0
  var digest = Digest()
  var replyCount = 0
  var cutCount = 0
  var isEnding = false

  public init(seed: UInt64, tampering: LifeTampering? = nil, log: ((String) -> Void)? = nil) {
    self.tampering = tampering
    self.log = log
    var dice = SeededGenerator(seed: seed ^ 0x11FE_C7C1_E000_0000)
    seconds = dice.pick([15, 30, 30, 80])
    pace = dice.pick([1000, 20_000, 20_000, 50_000])
    let scene = RandomScene.script(seconds: seconds, dice: &dice)
    manifest = LifeManifest.manifest(dice: &dice)
    configuration = AgentCore.Configuration(
      manifest, identities: Vocabulary.identities, board: BoardProfile(name: "simulated"),
      access: LifeManifest.access(dice: nil))
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
    var soonest: Int64 = nextCut
    for actor in actors { soonest = min(soonest, actor.nextAct) }
    for reading in readings { soonest = min(soonest, reading) }
    if let deadline = agent.nextDeadline { soonest = min(soonest, deadline.microseconds + start) }
    let ofRadio = isEnding ? nil : radio.nextTime
    for case let time? in [ofRadio, disk.nextTime] as [Int64?] { soonest = min(soonest, time) }
    return soonest == .max ? nil : soonest
  }

  private func advance() throws(Breach) {
    try settle()
    try work()
    for place in actors.indices where actors[place].nextAct <= now { act(place) }
    if nextCut <= now { try cutPower() }
    try settle()
    try check()
  }

  /// What comes from outside: packets, the disk, files.
  func work() throws(Breach) {
    if !isEnding { workRadio() }
    if let reply = disk.answer(at: now) {
      note("the disk answers \(reply)")
      // The power may go before the next look at the file.
      known = disk.saved
      agent.registryAnswered(reply, at: instant)
      learn()
      lookAtLeftOver()
    }
    answerReadings()
  }

  /// What is gone when the first calls are answered was taken back.
  private func lookAtLeftOver() {
    guard let leftOver, !agent.setupCore.isOpening, agent.setupCore.degradation == nil else { return }
    self.leftOver = nil
    let left = Set(disk.saved.accessories.map(\.identifier.text))
    takenBack = leftOver.mapValues { $0.subtracting(left) }
  }

  /// From the file, what each app sees that awaits it.
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

  private func workRadio() {
    while let packet = radio.next(at: now) { agent.receive(packet: packet.rawSpan, at: instant) }
    switch radio.plugging(at: now) {
    case .appeared?: agent.radioAppeared(.controller, at: instant)
    case .vanished?: agent.radioVanished("it was pulled out", at: instant)
    case nil: break
    }
  }

  /// By the agent's own clock.
  var instant: Instant { Instant(microseconds: now - start) }

  func note(_ line: @autoclosure () -> String) {
    guard let log else { return }
    log("\(step) \(now) µs: \(line())")
  }

  /// Turns of the agent's loop until it has nothing more to do now.
  func settle() throws(Breach) {
    for _ in 0..<5000 {
      agent.turn(at: instant)
      var isQuiet = true
      while let action = agent.nextAction() {
        isQuiet = false
        try perform(action)
      }
      learn()
      if tampering == .closesAnInnocent, let id = actors[0].id { try perform(.close(id)) }
      for place in actors.indices where try exchange(place) { isQuiet = false }
      let isDue = agent.nextDeadline.map { $0 <= instant } ?? false
      if isQuiet, !isDue { return }
    }
    throw Breach(.bound, "the agent does not come to rest")
  }

  private func perform(_ action: Action) throws(Breach) {
    switch action {
    case .send(let command):
      let bytes = command.bytes
      radio.send(bytes.indices.map { bytes[$0] }, at: now)
    case .close(let id):
      let name = actors.first { $0.id == id }?.name ?? "somebody"
      // Who does not read its last replies is closed after a while; nobody here does more.
      guard let place = actors.firstIndex(where: { $0.id == id }), actors[place].bytesPerRead > 0 else {
        throw Breach(.wrongAdmission, "\(name) did nothing wrong and was closed")
      }
      actors[place].disconnect()
    case .readManifest: readings.append(now + Int64(dice.between(100, 300_000)))
    case .openRadio: radio.open(at: now + Int64(dice.between(0, 200_000)))
    case .registry(let request):
      note("asks the disk: \(request)")
      if tampering == .asksTheDiskTwice { _ = disk.ask(request, at: now) }
      guard disk.ask(request, at: now) else {
        throw Breach(.bound, "two requests to the registry's file are under way")
      }
    case .manage, .mend, .releaseRadio:
      // Only adapters of a machine are asked of the kernel.
      throw Breach(.wrongCommand, "the kernel is asked about a virtual radio")
    case .signalTouch(let signal): note("signals \(signal)")
    case .log(let notice): note("\(notice)")
    }
  }

  private func answerReadings() {
    while let due = readings.firstIndex(where: { $0 <= now }) {
      readings.remove(at: due)
      manifest = LifeManifest.changed(manifest, dice: &dice)
      configuration = AgentCore.Configuration(
        manifest, identities: configuration.identities, board: configuration.board,
        access: LifeManifest.access(dice: dice.next()))
      note("the manifest has \(manifest.items.count) items")
      // Who is told of what has been left over may change with it.
      leftOver = nil
      agent.manifestWasRead(
        .accepted(configuration, radioSource: "h4:controller", warnings: []), at: instant)
    }
  }

  // MARK: Power

  /// The agent is gone between two turns; another one begins with what the disk holds.
  private func cutPower() throws(Breach) {
    note("the power goes")
    cutCount += 1
    let possible = disk.possible(from: known)
    disk.cut()
    guard possible.contains(disk.saved) else {
      throw Breach(.registry, "behind the power cut there is neither what was before nor what was under way")
    }
    (known, logs, lastOpening) = (disk.saved, [:], now)
    nextCut = dice.chance(perMille: 400) ? now + Int64(dice.between(3000, 40_000)) * 1000 : .max
    (leftOver, takenBack) = (awaiting(), [:])
    for place in actors.indices {
      actors[place].disconnect()
      if let book = actors[place].book { actors[place].cursor = book.cursor ?? actors[place].cursor }
      actors[place].book = nil
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
