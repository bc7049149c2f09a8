// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Agent
import Controller
import FilterSupport
import HCI
import Manifest
import Pairing
import Setup
import TestSupport
import VirtualRadio
import Wireless

/// An agent with a virtual controller and clients, in virtual time. The harness performs every action of the agent at
/// once.
final class AgentHarness: ScenarioHarness {
  private static let seed: UInt64 = 5
  private(set) var agent: AgentCore
  var setupCore: SetupCore { agent.setupCore }
  private(set) var now = Instant(microseconds: 0)
  private var controller: VirtualController?
  /// The disk has replied, which makes the loop turn again.
  private var hasDiskReplied = false
  var clients: [ClientID: HarnessClient] = [:]
  private(set) var notices: [Notice] = []
  private(set) var signals: [[String]] = []
  private(set) var opened: [RadioSelection] = []
  private(set) var commands: [CommandPacket] = []
  /// The commands that the kernel received.
  private(set) var managed: [MgmtCommand] = []
  var kernel: StandInKernel?
  /// The kernel behind the socket for pairings, and the commands it received.
  var pairingKernel: ModelKernel?
  private(set) var pairingCommands: [MgmtCommand] = []
  /// Which of the two management sockets is read first.
  var isPairingSocketFirst = false
  private(set) var busCalls: [BusCall] = []
  private(set) var isBusOpen = false
  /// The bluetoothd that replies over the bus; without one, nothing replies.
  var bluetoothd: ScriptedBluetoothd? { didSet { runsBluetoothd = bluetoothd?.isRunning ?? false } }
  var bluetoothdMessages = BluetoothdMessages()
  /// The recovery actions that the agent asked for, for its adapter.
  private(set) var recoveryActions: [RecoveryAction] = []
  /// Whether bluetoothd runs, and how often the agent asked.
  var runsBluetoothd = false
  var knownDevices = KnownDevices([])
  /// What reading networks and starting a scan for them lead to.
  var networkReading: Result<NetworkReading, WirelessError> = .failure(.interfaceMissing)
  var networkScanStart: Result<ScanStart, WirelessError> = .failure(.interfaceMissing)
  private(set) var lookCount = 0
  /// What the kernel was asked to filter with, and what it refuses next, the last error first.
  private(set) var filters: [FilterProgram?] = []
  var filterErrors: [RadioFilterError] = []
  /// Whether the radio is read at multiples of 20 ms alone, whatever else causes turns.
  var readsAtFixedTimes = false
  private var filterMachine: FilterMachine?
  /// How many packets the filter saw, and how many it dropped.
  private(set) var filterCounts = (seen: 0, dropped: 0)
  private var filterDice = SeededGenerator(seed: 9)
  /// The result of the next reading of the manifest; while it is nil, readings do not end.
  var reading: ManifestReading?
  private(set) var readingCount = 0
  /// The sockets that the agent wants connected, and has not closed.
  private(set) var openLinks: [LinkRequest] = []
  /// The readers of streams of reports, and whether a socket can be made for another.
  private(set) var reportReaders: [ReportReaderModel] = []
  var canOpenReports = true
  /// The connections whose sockets went to clients, beside a reply.
  private(set) var passedLinks: [(link: LinkID, client: ClientID)] = []
  /// Replies for the registry's file; while it is held, requests wait.
  var registry: StandInRegistryFile

  /// `run` distinguishes starts of the agent: each draws its own identifiers and epoch. The agent has run for `after` ms.
  init(
    _ manifest: GatewayManifest, scene devices: [SceneDevice]? = nil,
    script: ControllerScript = ControllerScript(),
    access: AccessList = .operators, board: BoardProfile = .attentive, usb: BoardProfile? = nil,
    identities: [IdentityKey] = [],
    registry: StandInRegistryFile = StandInRegistryFile(), run: UInt64 = 1,
    after milliseconds: Int64 = 0
  ) {
    self.registry = registry
    let setup = AgentCore.Setup(
      AgentCore.Configuration(manifest, identities: identities, board: board, usb: usb, access: access),
      radioSource: "h4:bench",
      epoch: Block128(high: run, low: 2), secret: Block128(high: run, low: 4), version: "0.1.0")
    agent = AgentCore(setup, at: now)
    controller = devices.map { VirtualController(script, scene: $0, seed: Self.seed) }
    if controller != nil { agent.radioAppeared(.controller, at: now) }
    turn()
    self.run(milliseconds: milliseconds)
  }

  /// The address that a device of the scene, at this place in it, advertises from now.
  func address(of device: SceneDevice, at index: Int) -> DeviceAddress {
    var seed = SeededGenerator(seed: Self.seed, stream: UInt64(index) + 1)
    return device.address.address(at: now, seed: seed.next())
  }

  // MARK: - Time

  var nextTime: Instant? { [controller?.nextTime, agent.nextDeadline].compactMap { $0 }.min() }

  /// When the kernel has something to report about pairings.
  private var nextPairingTime: Instant? {
    [pairingKernel?.events.first?.time, pairingKernel?.completion, bluetoothdMessages.nextTime]
      .compactMap { $0 }.min()
  }

  private func receivePairingEvents() {
    pairingKernel?.advance(to: now)
    while let event = pairingKernel?.events.first, event.time <= now {
      pairingKernel?.events.removeFirst()
      agent.receive(pairingMessage: event.event.bytes.span.rawBytes, at: now)
      if !event.event.isReply { agent.receive(mgmt: event.event.bytes.span.rawBytes, at: now) }
    }
    for output in bluetoothdMessages.takeArrived(at: now) { receive(output) }
  }

  private func receive(_ output: ScriptedBluetoothd.Output) {
    switch output {
    case .event(let event): agent.receive(event, at: now)
    case .list(let events): for event in events { agent.receive(event, at: now) }
    case .mgmt(let content): receive(MgmtEvent(index: ModelKernel.index, content))
    }
  }

  /// What bluetoothd reports takes its time to the agent; over a bus that is closed nothing arrives.
  func post(_ outputs: [ScriptedBluetoothd.Output]) {
    for output in outputs {
      if !isBusOpen, !output.isOfKernel { continue }
      bluetoothdMessages.post(output, at: now)
    }
  }

  /// Runs the agent for a time, reading the radio every 20 ms.
  func run(milliseconds: Int64) {
    let end = now.advanced(milliseconds: milliseconds)
    while now < end {
      let pace: Int64 = agent.lookAhead().isRadioUrgent ? 1 : 20
      let drain = controller?.nextTime.map {
        readsAtFixedTimes ? nextFixedTime(notBefore: $0) : max($0, now.advanced(milliseconds: pace))
      }
      let due = [drain, agent.nextDeadline, nextPairingTime, end].compactMap { $0 }.min() ?? end
      now = max(now, min(due, end))
      let wasPlugged = controller?.isPlugged
      let isReadDue = !readsAtFixedTimes || now.microseconds % Self.fixedMicroseconds == 0
      while isReadDue, let packet = controller?.next(before: now.advanced(milliseconds: 1)) {
        guard let bytes = passed(packet.bytes) else { continue }
        agent.receive(packet: bytes.span.rawBytes, at: now)
        if agent.hasFullReportBatch { sendReports() }
      }
      notePlug(since: wasPlugged)
      receivePairingEvents()
      turn()
    }
  }

  private static let fixedMicroseconds: Int64 = 20_000

  private func nextFixedTime(notBefore time: Instant) -> Instant {
    let step = Self.fixedMicroseconds
    let next = max(time.microseconds + step - 1, now.microseconds + step) / step
    return Instant(microseconds: next * step)
  }

  /// What the kernel's filter passes of a packet.
  private func passed(_ packet: [UInt8]) -> [UInt8]? {
    guard filterMachine != nil else { return packet }
    let passed = filterMachine?.passed(packet, random: UInt32(truncatingIfNeeded: filterDice.next()))
    filterCounts.seen += 1
    if passed == nil { filterCounts.dropped += 1 }
    return passed
  }

  private func notePlug(since wasPlugged: Bool?) {
    guard let isPlugged = controller?.isPlugged, isPlugged != wasPlugged else { return }
    if isPlugged {
      agent.radioAppeared(.controller, at: now)
    } else {
      agent.radioVanished("it was pulled out", at: now)
    }
  }

  /// The agent receives a packet of the radio now.
  func receive(_ packet: [UInt8]) {
    agent.receive(packet: packet.span.rawBytes, at: now)
    turn()
  }

  /// Lets the disk reply to the request that it held.
  func releaseRegistry() {
    guard let reply = registry.release() else { return }
    agent.registryAnswered(reply, at: now)
    turn()
  }

  /// Turns until nothing is left to do at this time.
  func turn() {
    repeat {
      hasDiskReplied = false
      agent.turn(at: now)
      while let action = agent.nextAction() { performAction(action) }
      for id in clients.keys { deliver(to: id) }
      sendReports()
    } while hasDiskReplied || agent.nextDeadline.map { $0 <= now } ?? false
  }

  private func sendReports() {
    agent.sendReports { id, message in
      reportReaders.first { $0.id == id && !$0.isClosed }?.receive(message) ?? .closed
    }
  }

  private func performAction(_ action: Action) {
    switch action {
    case .send(let command):
      commands.append(command)
      controller?.receive(command.bytes.indices.map { command.bytes[$0] }, at: now)
    case .close(let id): clients[id]?.isClosed = true
    case .readManifest:
      readingCount += 1
      if let reading { agent.manifestWasRead(reading, at: now) }
    case .openRadio(let selection, _): opened.append(selection)
    case .manage(let command):
      managed.append(command)
      for event in kernel?.answer(command) ?? [] { receive(event) }
    case .managePairing(let command):
      pairingCommands.append(command)
      pairingKernel?.receive(command, at: now)
    case .openBus:
      isBusOpen = true
      guard bluetoothd != nil else { return agent.receive(.owner(isRunning: runsBluetoothd), at: now) }
      bluetoothdMessages.dropBusMessages()
      post([.event(.owner(isRunning: runsBluetoothd))])
    case .closeBus:
      isBusOpen = false
      bluetoothdMessages.dropBusMessages()
      bluetoothd?.loseClient()
    case .callBus(let call):
      busCalls.append(call)
      post(bluetoothd?.receive(call) ?? [])
    case .releaseRadio(let reason): agent.radioVanished(reason, at: now)
    case .recoverRadio(let action): recoveryActions.append(action)
    case .setFilter(let program):
      filters.append(program)
      if program != nil, let error = filterErrors.popLast() {
        return agent.filterWasRefused(error, at: now)
      }
      filterMachine = program.map(FilterMachine.init)
    case .findBluetoothd:
      lookCount += 1
      agent.bluetoothdWasSought(isRunning: runsBluetoothd, at: now)
    case .registry(let request):
      guard let reply = registry.answer(request) else { return }
      agent.registryAnswered(reply, at: now)
      hasDiskReplied = true
    case .readKnownDevices: agent.knownDevicesWereRead(knownDevices, at: now)
    case .networks(.read(let number, _)): agent.networksWereRead(networkReading, of: number, at: now)
    case .networks(.startScan(let number, _)):
      agent.networkScanWasStarted(networkScanStart, of: number, at: now)
    case .signal(let signal): signals.append(signal.arguments)
    case .openLink(let request): openLinks.append(request)
    case .closeLink(let id): openLinks.removeAll { $0.id == id }
    case .openReports(let id):
      guard canOpenReports else { return agent.reportsFailed(id, "no descriptor is free", at: now) }
      reportReaders.append(ReportReaderModel(id))
      agent.reportsOpened(id, at: now)
    case .closeReports(let id): reportReaders.first { $0.id == id }?.isClosed = true
    case .log(let notice): notices.append(notice)
    }
  }

  /// Moves bytes in both directions, as far as the client reads.
  func deliver(to id: ClientID) {
    guard let client = clients[id], !client.isClosed else { return }
    drain(id, to: client)
    while !client.outgoing.isEmpty {
      let byteCount = agent.receivableByteCount(id)
      guard byteCount > 0 else { return }
      let part = Array(client.outgoing.prefix(byteCount))
      client.outgoing.removeFirst(part.count)
      agent.receive(part.span, from: id)
      agent.turn(at: now)
      while let action = agent.nextAction() { performAction(action) }
      drain(id, to: client)
    }
  }

  private func drain(_ id: ClientID, to client: HarnessClient) {
    let passed = agent.socketToPass(to: id)
    agent.drain(id) { client.receive($0) }
    guard case .link(let link)? = passed, agent.socketToPass(to: id) == nil else { return }
    openLinks.removeAll { $0.id == link }
    passedLinks.append((link, id))
  }

  // MARK: - Connections to accessories

  /// The kernel has connected the socket of the latest attempt.
  func linkOpens() {
    guard let request = openLinks.last else { return }
    if kernel?.links.contains(request.target.address) == false {
      kernel?.links.append(request.target.address)
    }
    agent.linkOpened(request.id, at: now)
    turn()
  }

  /// The kernel could not connect the socket of the latest attempt.
  func linkFails(_ error: LinkError) {
    guard let request = openLinks.popLast() else { return }
    agent.linkFailed(request.id, error, at: now)
    turn()
  }

  /// The kernel reports the end of a link.
  func linkEnds(_ address: DeviceAddress, _ reason: MgmtDisconnectReason) {
    guard let event = kernel?.end(address, reason) else { return }
    receive(event)
    turn()
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

  /// An adapter of this kind was opened in place of the controller.
  func radioComes(as kind: RadioKind, isUSB: Bool = false) {
    agent.radioAppeared(kind, isUSB: isUSB, at: now)
    turn()
  }

  /// The agent receives an event of the kernel's management interface, with each of its sockets; a reply only with the one
  /// for scans.
  func receive(_ event: MgmtEvent) {
    if !event.isReply, isPairingSocketFirst {
      agent.receive(pairingMessage: event.bytes.span.rawBytes, at: now)
    }
    agent.receive(mgmt: event.bytes.span.rawBytes, at: now)
    if !event.isReply, !isPairingSocketFirst {
      agent.receive(pairingMessage: event.bytes.span.rawBytes, at: now)
    }
  }

  func receiveMgmtBytes(_ bytes: [UInt8]) { agent.receive(mgmt: bytes.span.rawBytes, at: now) }

  /// The bluetoothd that the agent watches ends.
  func bluetoothdEnds() {
    bluetoothd?.end()
    runsBluetoothd = false
    if bluetoothd != nil { post([.event(.owner(isRunning: false))]) }
    agent.bluetoothdEnded(at: now)
    turn()
  }

  /// bluetoothd starts, and replaces the kernel's keys. The kernel reports settings that it changes.
  func bluetoothdStarts() {
    bluetoothd?.isRunning = true
    pairingKernel?.clearKeys(now)
    post([.event(.owner(isRunning: true))])
  }

  func setRequests(_ count: Int, immediate: Int) {
    agent.setRequests(RequestCounts(open: count, immediate: immediate), at: now)
    turn()
  }

  /// The agent is about to end.
  func endScan() {
    agent.endScan(at: now)
    turn()
  }

  /// The last recovery task failed.
  func remedyFails(_ reason: String) {
    agent.recoveryFailed(reason, at: now)
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

  func endPickers() {
    agent.endPickers(at: now)
    turn()
  }

  var isRadioUrgent: Bool { agent.lookAhead().isRadioUrgent }
}
