// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem
import Manifest
import Setup

/// The loop: descriptors become the agent's inputs, and the agent's actions become system calls. One thread owns
/// everything here.
///
/// A turn handles the ready descriptors, reads the radio if it is due, runs the agent, performs the agent's actions,
/// sends clients their replies, and arms the timer for the next deadline. The clock is read once a turn.
struct AgentLoop: ~Copyable {
  /// The most findings of a refused manifest that are logged; the others are counted.
  private static let findingsMax = 20
  /// How long the controller has to end its scan at the agent's end.
  private static let scanEndMilliseconds: Int64 = 1000
  /// How long what setups have left may take to be removed at the agent's end.
  private static let setupsEndMilliseconds: Int64 = 4000
  /// How old the time of day may be.
  private static let wallClockMilliseconds: Int64 = 500

  let signals: SignalDescriptor
  let clock: LoopClock
  var context: LoopContext
  var timer: LoopTimer
  var clients: ClientSockets
  var radio: LoopRadio
  var disk: DiskState
  var signalHooks: SignalHooks
  var sockets: PassedSockets
  var bus = BluetoothdBus()
  var notifier: SystemdNotifier
  private var isEnding = false
  /// When the machine's clock is read next.
  private var nextWallClock = Instant(microseconds: 0)
  private var hadRequests = false
  /// The time when the next turn is due at the latest.
  private(set) var nextTurn: Instant?

  init(
    _ setup: AgentCore.Setup, _ disk: Disk, _ socket: consuming ServiceSocket, _ log: Log,
    in dependencies: LoopDependencies
  ) throws(SystemError) {
    // Before any thread starts, so that every thread leaves signals to the descriptor.
    let signals = try SignalDescriptor()
    let gateway = setup.configuration.manifest.gateway
    let timer = try LoopTimer(origin: dependencies.clock.origin)
    let disk = try DiskState(disk)
    let radio = try LoopRadio(folder: socket.folder, dependencies.performTask)
    var context = try LoopContext(
      AgentCore(setup, at: Instant(microseconds: 0)), connections: Int(gateway.limits.connections), log)
    context.agent.measureProcess = { ProcessUsage.now().map(ProcessFigures.init) }
    try context.epoll.add(signals.descriptor, .readable, token: context.insert(.signals))
    try timer.watch(in: context.epoll, token: context.insert(.timer))
    try context.epoll.add(disk.worker.replies.descriptor, .readable, token: context.insert(.disk))
    try context.epoll.add(radio.tasks.worker.replies.descriptor, .readable, token: context.insert(.devices))
    let clients = try ClientSockets(socket, &context)
    notifier = try SystemdNotifier(.ofEnvironment)
    sockets = PassedSockets(links: LinkSockets(dependencies.openLink))
    signalHooks = SignalHooks(gateway, start: dependencies.startProgram)
    self.signals = signals
    clock = dependencies.clock
    self.context = context
    self.timer = timer
    self.clients = clients
    self.radio = radio
    self.disk = disk
  }

  /// Runs until a signal ends the program.
  mutating func run() throws(SystemError) {
    try start()
    while !isEnding { try turn() }
    try endScan()
    try endSetups()
    end()
  }

  /// Ends setups while the kernel, bluetoothd and the disk can still undo them.
  mutating func endSetups() throws(SystemError) {
    context.agent.endPickers(at: context.now)
    try turn(waitingMilliseconds: 0)
    try turn(milliseconds: Self.setupsEndMilliseconds) { $0.hasEndedSetups }
  }

  /// Ends the scan of the agent's own controller before its channel is closed: nothing else would end it.
  mutating func endScan() throws(SystemError) {
    context.agent.endScan(at: context.now)
    performActions()
    radio.updateReadiness(isUrgent: context.agent.lookAhead().isRadioUrgent, &context)
    try turn(milliseconds: Self.scanEndMilliseconds) { $0.hasEndedScan }
  }

  /// Turns until this is over, or for this long.
  private mutating func turn(
    milliseconds: Int64, until isOver: (AgentCore) -> Bool
  ) throws(SystemError) {
    let end = context.now.advanced(milliseconds: milliseconds)
    while !isOver(context.agent), context.now < end {
      try turn(waitingMilliseconds: isDue ? 0 : Int32(max(1, end.milliseconds(since: context.now))))
    }
  }

  mutating func start() throws(SystemError) {
    for error in followAppSockets(context.agent.configuration) { context.log.say(.warning, error) }
    performActions()
    try armTimer(context.agent.lookAhead())
  }

  mutating func turn() throws(SystemError) { try turn(waitingMilliseconds: isDue ? 0 : -1) }

  /// Waits at most this long (-1 for ever) for a descriptor, then turns. Returns how many descriptors were ready.
  @discardableResult
  mutating func turn(waitingMilliseconds: Int32) throws(SystemError) -> Int {
    let readyCount = try context.epoll.wait(milliseconds: waitingMilliseconds)
    context.now = try clock.now()
    context.counters.turns &+= 1
    for index in 0..<readyCount { try receive(context.epoll.ready(index)) }
    clients.resumeListeningIfDue(&context)
    clients.forgetProcesses(&context)
    signalHooks.forEachProgram { $1.advance(to: context.now) }
    radio.drive(&sockets.reports, &context)
    bus.receive(&context)
    runAgent()
    if context.agent.hasActions { performActions() }
    clients.serve(&sockets, &context)
    sockets.reports.send(&context)
    let outlook = context.agent.lookAhead()
    radio.updateReadiness(isUrgent: outlook.isRadioUrgent, &context)
    bus.updateReadiness(&context)
    notifyManager(outlook)
    try armTimer(outlook)
    context.counters.turnTook(try clock.now().microseconds - context.now.microseconds)
    return readyCount
  }

  private mutating func receive(_ event: Ready) throws(SystemError) {
    guard let owner = context.registry.owner(of: event.token) else { return }
    switch owner {
    case .signals: try receiveSignals()
    case .timer: timer.noteExpiry()
    case .listener(let app): clients.acceptClients(ofApp: app, &context)
    case .disk: receiveDiskReply()
    case .devices: radio.receiveTaskResult(&context)
    case .radio: radio.noteReadable()
    case .mgmt: radio.receiveMgmtMessages(&context)
    case .pairing: radio.receivePairingMessages(&context)
    case .program(let kind): signalHooks[kind].receiveEnd(&context)
    case .bluetoothd: radio.receiveBluetoothdEnd(&context)
    case .bus: bus.noteReady()
    case .client(let id): clients.receiveBytes(from: id, event.readiness, &context)
    case .process(let id): clients.receiveEnd(ofProcessOf: id, &context)
    case .link(let id):
      // The end of the link before this one is not to count for this one.
      radio.receiveMgmtMessages(&context)
      sockets.links.receiveReadiness(of: id, &context)
    case .reports(let id): sockets.reports.receiveReadiness(of: id, event.readiness, &context)
    }
  }

  private mutating func receiveSignals() throws(SystemError) {
    while let signal = try signals.next() {
      switch signal {
      case .hangUp: context.agent.readManifestAgain(at: context.now)
      case .interrupt, .terminate: isEnding = true
      }
    }
  }

  private mutating func runAgent() {
    // Only clients ask for it.
    if context.agent.lookAhead().clientCount > 0 || isEnding {
      context.counters.staleEvents = context.registry.staleCount
      context.counters.logLinesDropped = context.log.droppedCount
      context.agent.counters.loop = context.counters
    }
    if context.now >= nextWallClock {
      nextWallClock = context.now.advanced(milliseconds: Self.wallClockMilliseconds)
      context.agent.wallSeconds = clock.wallSeconds()
    }
    context.agent.turn(at: context.now, radioLead: radio.opened?.source.lead(at: context.now) ?? 0)
  }

  // MARK: - The agent's actions

  private mutating func performActions() {
    while context.agent.hasActions, let action = context.agent.nextAction() {
      switch action {
      case .send(let command): radio.send(command, &context)
      case .close(let id): clients.close(id, &context)
      case .readManifest:
        notifier.notifyReloading()
        disk.readConfiguration()
      case .manage(let command): radio.send(command, over: radio.mgmt, &context)
      case .managePairing(let command): radio.send(command, over: radio.pairing, &context)
      case .openBus: bus.open(&context)
      case .closeBus: bus.close(&context)
      case .callBus(let call): bus.call(call, &context)
      case .openRadio(let selection, let access): radio.open(selection, access, &context)
      case .releaseRadio(let reason): radio.lose(.gone(reason), &context)
      case .recoverRadio(let action): radio.recover(action, &context)
      case .setFilter(let program): radio.setFilter(program, &context)
      case .findBluetoothd: radio.tasks.add(.findBluetoothd)
      case .networks(let action): radio.tasks.add(.networks(action))
      case .readKnownDevices: radio.tasks.add(.readKnownDevices)
      case .registry(let request): disk.send(request)
      case .signal(let signal): signalHooks[signal.program].add(signal, &context)
      case .openLink(let request): sockets.links.connect(request, &context)
      case .closeLink(let id): sockets.links.close(id, &context)
      case .openReports(let id): sockets.reports.open(id, &context)
      case .closeReports(let id): sockets.reports.close(id, &context)
      case .log(let notice): log(notice)
      }
    }
  }

  private mutating func log(_ notice: Notice) {
    var sentence = notice.sentence
    // A program that speaks something else does not respond to commands.
    if case .initializationFailed = notice, case .h4? = radio.wanted?.selection {
      sentence += "; \(RadioError.h4Cure)"
    }
    context.say(notice.level, sentence, limitedAs: notice.limitedKind)
  }

  // MARK: - The disk

  private mutating func receiveDiskReply() {
    switch disk.takeReply() {
    case nil: break
    case .configuration(let reading): receiveConfiguration(reading)
    case .registry(let reply): disk.receiveRegistryReply(reply, &context)
    }
  }

  private mutating func receiveConfiguration(_ reading: Result<ConfigurationReader.Result, StartError>) {
    switch reading {
    case .success(let result): apply(result)
    case .failure(let failure):
      let findings = failure.findings
      for finding in findings.prefix(Self.findingsMax) { context.log.say(.error, finding) }
      if findings.count > Self.findingsMax {
        context.log.say(.error, "and \(findings.count - Self.findingsMax) more")
      }
      context.agent.manifestWasRead(.refused(findings: findings), at: context.now)
    }
    notifier.noteReloaded()
  }

  private mutating func apply(_ result: ConfigurationReader.Result) {
    for warning in result.warnings { context.log.say(.warning, warning) }
    let programs = result.configuration.manifest.gateway.programs
    signalHooks.forEachProgram { $1.path = programs[$0] }
    let errors = followAppSockets(result.configuration)
    for error in errors { context.log.say(.warning, error) }
    context.agent.manifestWasRead(
      .accepted(result.configuration, radioSource: result.radioSource, warnings: result.warnings + errors),
      at: context.now)
    radio.opened?.schedule.intervalMilliseconds = context.agent.drainIntervalMilliseconds
  }

  /// Opens and removes apps' own sockets as a manifest says, whose number of connections may be another. Returns a
  /// sentence for each app that has no socket although it should.
  private mutating func followAppSockets(_ configuration: AgentCore.Configuration) -> [String] {
    let sockets = configuration.appSockets
    let connections = Int(configuration.manifest.gateway.limits.connections) + sockets.count
    context.growRegistry(connections: connections)
    // The limit was enough for some clients at the start.
    if let sentence = try? DescriptorLimit.raise(connections: connections) {
      context.log.say(.warning, sentence)
    }
    context.agent.appSocketErrors = clients.follow(sockets, &context)
    return context.agent.appSocketErrors
  }

  // MARK: - The service manager and the timer

  private mutating func notifyManager(_ outlook: AgentOutlook) {
    notifier.setStatus(radio: outlook.radioState, clients: outlook.clientCount)
    let isFirst = radio.wasTried && notifier.notifyReady(at: context.now)
    let isNew = notifier.endTurn(at: context.now)
    let isSetupOver = hadRequests && !outlook.hasRequests
    hadRequests = outlook.hasRequests
    // What the start, a setup, or the change of the radio or the clients, needed is not needed after it.
    if isFirst || isNew || isSetupOver { ResidentMemory.releaseIdlePages() }
  }

  /// When the next turn is due. It changes nothing, but a loop that is only borrowed would be copied.
  private mutating func findDeadline(_ outlook: AgentOutlook) -> Instant? {
    let radioDeadline = radio.findDeadline(isUrgent: outlook.isRadioUrgent)
    let programDeadline = Instant.earliest(
      signalHooks.touch.program.deadline, signalHooks.request.program.deadline)
    return .earliest(
      .earliest(
        .earliest(context.agent.nextDeadline, radioDeadline), .earliest(clients.pauseEnd, notifier.deadline)),
      .earliest(programDeadline, bus.deadline))
  }

  var isDue: Bool { nextTurn.map { $0 <= context.now } ?? false }

  /// Work that is already due needs no timer.
  private mutating func armTimer(_ outlook: AgentOutlook) throws(SystemError) {
    nextTurn = findDeadline(outlook)
    guard !isDue else { return }
    if try timer.arm(nextTurn?.microseconds) { context.counters.watchCalls &+= 1 }
  }

  // MARK: - The end

  /// Sends clients their replies once; what their sockets do not accept now is lost.
  private mutating func end() {
    notifier.notifyStopping()
    clients.withdraw()
    signalHooks.forEachProgram { $1.stop() }
    radio.leaveAdapter(&context)
    disk.closeRegistry(&context)
    runAgent()
    radio.performRemainingTasks()
    clients.flushAll(&sockets, &context)
    context.log.say(.debug, context.counters.sentence)
    context.log.say(.info, "ended by a signal")
  }
}

extension WatchdogSchedule {
  fileprivate static var ofEnvironment: WatchdogSchedule {
    WatchdogSchedule(
      microseconds: Environment.value(of: "WATCHDOG_USEC"), process: Environment.value(of: "WATCHDOG_PID"),
      ownProcess: ThisProcess.identifier)
  }
}

extension ProcessFigures {
  fileprivate init(_ usage: ProcessUsage) {
    self.init(
      processorMicroseconds: usage.processorMicroseconds, residentBytes: usage.residentBytes,
      virtualBytes: usage.virtualBytes, openDescriptors: Int64(usage.openDescriptors),
      openDescriptorsMax: usage.openDescriptorsMax, startMicroseconds: usage.startMicroseconds)
  }
}
