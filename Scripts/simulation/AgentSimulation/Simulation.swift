// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import Discovery
import HCI
import Manifest
import Setup
import VirtualRadio

/// The real agent in a random world: a virtual clock, a virtual controller in a random scene, random manifests and
/// random clients, with a reference model that checks all messages of the agent.
///
/// The seed decides everything, so that one seed is one run, byte for byte.
public final class Simulation {
  /// The figures of a run.
  public struct Outcome: Equatable, Sendable {
    public var digest: Digest
    public var steps: Int
    public var events: Int
    public var replies: Int
    public var packets: Int
  }

  /// A broken rule, and where it was broken.
  public struct Failure: Error, Equatable, Sendable {
    public let breach: Breach
    public let step: Int
    /// Simulated time.
    public let microseconds: Int64
  }

  let seed: UInt64
  let seconds: Int
  /// Whether the radio is read before the turn in which time passes, as the agent's own loop does.
  let readsFirst: Bool
  let tampering: Tampering?
  var tamperings = 0
  /// Called with a line for each thing that happens.
  let write: ((String) -> Void)?

  var dice: SeededGenerator
  var agent: AgentCore
  var manifest: GatewayManifest
  var radio: SimulatedRadio
  var disk: SimulatedDisk
  var referenceModel: ReferenceModel
  var networks: RandomNetworks
  var networkModel: NetworkModel
  var log = EventLog()
  var clients: [ScriptedClient] = []
  /// Every report that the agent was to receive.
  var air = AirLog()
  /// The readers of streams of reports.
  var reportBooks: [ReportStreamID: ReportBook] = [:]
  let epoch: String
  /// When each started reading of the manifest is delivered.
  var readings: [Int64] = []
  var nextSignal: Int64
  var now: Int64 = 0
  var nextReportRead: Int64 = 0
  var step = 0
  var digest = Digest()
  var replyCount = 0
  /// Every client reads to the end now.
  var isEnding = false

  public init(seed: UInt64, tampering: Tampering? = nil, log: ((String) -> Void)? = nil) {
    self.seed = seed
    self.tampering = tampering
    write = log
    var dice = SeededGenerator(seed: seed)
    seconds = dice.pick([20, 40, 40, 70])
    let scene = RandomScene.script(seconds: seconds, dice: &dice)
    networks = RandomNetworks(seed: seed)
    var manifest = RandomManifest.manifest(dice: &dice)
    networks.changeItems(of: &manifest)
    self.manifest = manifest
    networkModel = NetworkModel(manifest)
    let offset = Int8(dice.pick([0, 0, 0, 5, -3]))
    let identities = dice.chance(perMille: 700) ? Vocabulary.identities : []
    var board = BoardProfile(name: "simulated")
    board.rssiOffset = offset
    board.low = dice.pick([
      ScanDuty(windowMilliseconds: 60, intervalMilliseconds: 60),
      ScanDuty(windowMilliseconds: 30, intervalMilliseconds: 300),
    ])
    configuration = AgentCore.Configuration(
      manifest, identities: identities, board: board, access: Self.access)
    let block = Block128(high: dice.next(), low: dice.next())
    epoch = Self.text(of: block)
    agent = AgentCore(
      AgentCore.Setup(configuration, radioSource: "h4:controller", epoch: block, secret: block),
      at: Instant(microseconds: 0))
    radio = SimulatedRadio(VirtualController(scene), isBatched: dice.chance(perMille: 300))
    disk = SimulatedDisk(failuresPerMille: 0, dice: SeededGenerator(seed: seed ^ 0xD15C))
    let isRoomy = manifest.gateway.capacities.devices >= 2000
    let listensAlways = board.low.windowMilliseconds == board.low.intervalMilliseconds
    referenceModel = ReferenceModel(
      manifest, identities: identities, offset: Int(offset), patience: listensAlways ? 3 : 10,
      isRoomy: isRoomy)
    readsFirst = dice.chance(perMille: 500)
    nextSignal = Int64(dice.between(3, 30)) * 1_000_000
    self.dice = dice
    clients = population()
  }

  var configuration: AgentCore.Configuration

  private static var access: AccessList {
    var access = AccessList(
      operatorUsers: [0], operatorGroups: [ScriptedClient.operatorGroup], overflowUser: 65_534)
    access.appsOfUser = [2000: ["app0"]]
    return access
  }

  private static func text(of block: Block128) -> String {
    [block.high, block.low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  // MARK: Running

  /// Runs to the end, or to the first rule that is broken.
  public func run() throws(Failure) -> Outcome {
    do throws(Breach) {
      try settle()
      while let time = nextTime, time < Int64(seconds) * 1_000_000 {
        step += 1
        now = max(now, time)
        try advance()
      }
      try end()
    } catch {
      throw Failure(breach: error, step: step, microseconds: now)
    }
    return Outcome(
      digest: digest, steps: step, events: referenceModel.eventCount, replies: replyCount,
      packets: radio.packetCount)
  }

  /// The time of the next step.
  private var nextTime: Int64? {
    var soonest: Int64 = min(nextSignal, networks.nextScan, networks.nextLoss)
    for client in clients { soonest = min(soonest, client.nextAct, client.leaveTime) }
    if reportBooks.values.contains(where: \.pace.reads) { soonest = min(soonest, nextReportRead) }
    for reading in readings { soonest = min(soonest, reading) }
    let times: [Int64?] = [radio.nextTime, agent.nextDeadline?.microseconds, disk.nextTime]
    for case let time? in times { soonest = min(soonest, time) }
    return soonest
  }

  private func advance() throws(Breach) {
    // Some loops read the radio first, and only then let time pass.
    if !readsFirst { try settle() }
    while let packet = radio.next(at: now) {
      receivePacket(packet)
      if agent.hasFullReportBatch { sendReports() }
      try settle()
    }
    try reportPlugging()
    try readReports()
    try actClients()
    deliverReadings()
    scanNetworks()
    if let reply = disk.reply(at: now) { agent.registryAnswered(reply, at: instant) }
    if nextSignal <= now {
      nextSignal = now + Int64(dice.between(5, 60)) * 1_000_000
      note("a signal asks for the manifest")
      agent.readManifestAgain(at: instant)
    }
    try settle()
    try referenceModel.endStep(at: now)
    try networkModel.endStep(at: now)
    try checkBounds()
    try checkReportReaders()
  }

  var instant: Instant { Instant(microseconds: now) }

  func note(_ line: @autoclosure () -> String) {
    guard let write else { return }
    write("\(step) \(now) µs: \(line())")
  }

  // MARK: Turns

  /// Runs turns of the agent's loop until it has nothing more to do at this time.
  func settle() throws(Breach) {
    for _ in 0..<5000 {
      agent.turn(at: instant)
      var isQuiet = try performActions()
      for index in clients.indices where try exchange(index) { isQuiet = false }
      sendReports()
      let isDue = agent.nextDeadline.map { $0.microseconds <= now } ?? false
      if isQuiet, !isDue { return }
    }
    throw Breach(.bound, "the agent does not come to rest")
  }

  private func performActions() throws(Breach) -> Bool {
    var isQuiet = true
    while let action = agent.nextAction() {
      isQuiet = false
      try execute(action)
    }
    return isQuiet
  }

  private func execute(_ action: Action) throws(Breach) {
    switch action {
    case .send(let command):
      let bytes = command.bytes.indices.map { command.bytes[$0] }
      digest.add(bytes)
      note("sends \(bytes)")
      radio.send(bytes, at: now)
    case .close(let id): try checkClosed(id)
    case .readManifest:
      note("reads the manifest")
      readings.append(now + Int64(dice.between(100, 300_000)))
    case .openRadio:
      note("opens the radio")
      radio.open(at: now + Int64(dice.between(0, 200_000)))
    case .registry(let request):
      note("asks the registry's file: \(request)")
      guard disk.start(request, at: now) else {
        throw Breach(.bound, "two requests to the registry's file are under way")
      }
    case .manage, .managePairing, .openBus, .closeBus, .callBus, .recoverRadio, .releaseRadio,
      .setFilter, .findBluetoothd, .readKnownDevices, .openLink,
      .closeLink:
      // The agent asks the kernel only about adapters of the machine.
      throw Breach(.wrongCommand, "the kernel is asked about a virtual radio")
    case .openReports(let id): openReports(id)
    case .closeReports(let id): try closeReports(id)
    case .networks:
      throw Breach(.wrongCommand, "the kernel is asked for networks without an interface")
    case .signal(let signal): note("signals \(signal)")
    case .log(let notice): try checkNotice(notice)
    }
  }

  private func checkNotice(_ notice: Notice) throws(Breach) {
    note("\(notice)")
    digest.add("\(notice)")
    switch notice {
    case .initializationFailed(.controller(.timeout(let opcode)), _):
      guard radio.hasWaited(for: opcode, at: now) else {
        throw Breach(.wrongCommand, "\(opcode) was given up before its time")
      }
    case .radioGivenUp: referenceModel.loseRadio(at: now)
    case .radio, .initializationFailed, .radioRecovery, .boardFollowsAdapter, .switchedOnAfterBluetoothd,
      .turnedAway, .closed, .reportsCutOff, .keysExported, .bondImported, .accessoryRemoved,
      .registryReset, .link, .pairing, .networks, .reloaded, .reloadRefused, .setup, .mgmtMessageIgnored:
      break
    }
  }
}
