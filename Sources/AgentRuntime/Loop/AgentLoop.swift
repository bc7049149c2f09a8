// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import Setup

/// The loop: descriptors become the agent's inputs, its actions become system calls. One thread owns everything here.
///
/// A turn takes what is ready, reads the radio if it is due, lets the agent think, does what it says, sends what waits
/// for clients, and arms the timer for whatever is next. The clock is read once a turn.
struct AgentLoop: ~Copyable {
  typealias DevicesWorker = Worker<AdapterTask, AdapterTaskResult>

  /// The descriptors watched beside clients: signals, timer, listener, two workers, radio, management interface, program.
  static let ownWatches = 8

  let socket: ServiceSocket
  let signals: SignalDescriptor
  let devices: DevicesWorker
  let clock: LoopClock
  let listenerToken: UInt64

  var agent: AgentCore
  var epoll: Epoll
  var watches: EpollRegistry<EpollOwner>
  var timer: LoopTimer
  var radio: RadioState
  var disk: DiskState
  var touch: TouchProgram
  /// Of the program that runs.
  var touchToken: UInt64?
  var manager: SystemdNotifier
  var log: Log
  var limiter = LogLimiter<StrangerKind>()
  var clients: [ClientID: ClientSocket] = [:]
  var counters = LoopCounters()
  /// Until when nobody is accepted, because no descriptor was free.
  var listenerRestEnd: Instant?
  /// The manifest was read in this turn.
  var hasReloaded = false
  var isEnding = false
  /// When the next turn is due at the latest, as the last one left it.
  private(set) var nextTurn: Instant?
  var now = Instant(microseconds: 0)
  /// Where clients' octets are read to.
  var buffer = [UInt8](repeating: 0, count: 16 << 10)

  init(
    _ setup: AgentCore.Setup, _ disk: Disk, _ socket: consuming ServiceSocket, _ log: Log,
    in dependencies: LoopDependencies
  ) throws(SystemError) {
    // Before any thread is made, so that every thread leaves signals to the descriptor.
    let signals = try SignalDescriptor()
    let connections = Int(setup.configuration.manifest.gateway.limits.connections)
    var watches = EpollRegistry<EpollOwner>(capacity: connections + Self.ownWatches)
    let epoll = try Epoll()
    let timer = try LoopTimer(origin: dependencies.clock.origin)
    let disk = try DiskState(disk)
    let devices = try DevicesWorker(dependencies.performTask)
    try epoll.add(signals.descriptor, .readable, token: Self.place(&watches, .signals))
    try timer.watch(in: epoll, token: Self.place(&watches, .timer))
    try epoll.add(disk.worker.replies.descriptor, .readable, token: Self.place(&watches, .disk))
    try epoll.add(devices.replies.descriptor, .readable, token: Self.place(&watches, .devices))
    let listenerToken = Self.place(&watches, .listener)
    try epoll.add(socket.listener.descriptor, .readable, token: listenerToken)
    let manager = try SystemdNotifier(.ofEnvironment)
    let agent = AgentCore(setup, at: Instant(microseconds: 0))
    radio = RadioState(intervalMilliseconds: agent.drainIntervalMilliseconds)
    touch = TouchProgram(
      path: setup.configuration.manifest.gateway.onTouch, account: .ofNobody(),
      start: dependencies.startProgram)
    self.manager = manager
    self.agent = agent
    self.listenerToken = listenerToken
    self.socket = socket
    self.signals = signals
    clock = dependencies.clock
    self.watches = watches
    self.epoll = epoll
    self.timer = timer
    self.disk = disk
    self.devices = devices
    self.log = log
  }

  private static func place(_ watches: inout EpollRegistry<EpollOwner>, _ owner: EpollOwner) -> UInt64 {
    guard let token = watches.insert(owner) else { preconditionFailure("there are places for our own") }
    return token
  }

  /// Turns until a signal ends it.
  mutating func run() throws(SystemError) {
    try begin()
    while !isEnding { try turn() }
    end()
  }

  mutating func begin() throws(SystemError) {
    perform()
    try arm()
  }

  mutating func turn() throws(SystemError) { try turn(waitingMilliseconds: isDue ? 0 : -1) }

  /// Waits so long at most (-1 for ever) before it turns; answers how many descriptors were ready.
  @discardableResult
  mutating func turn(waitingMilliseconds: Int32) throws(SystemError) -> Int {
    let ready = try epoll.wait(milliseconds: waitingMilliseconds)
    now = try clock.now()
    counters.turns &+= 1
    for event in ready { try take(event) }
    if let end = listenerRestEnd, end <= now { resumeListening() }
    touch.advance(to: now)
    driveRadio()
    (counters.staleEvents, counters.logLinesDropped) = (watches.staleCount, log.droppedCount)
    agent.loop = counters
    agent.wallSeconds = clock.wallSeconds()
    agent.turn(at: now, radioLead: radio.source?.lead(at: now) ?? 0)
    perform()
    serveClients()
    watchRadio()
    tellManager()
    try arm()
    counters.turnTook(try clock.now().microseconds - now.microseconds)
    return ready.count
  }

  private mutating func take(_ event: Ready) throws(SystemError) {
    guard let owner = watches.owner(of: event.token) else { return }
    switch owner {
    case .signals: try takeSignals()
    case .timer: timer.noteExpiry()
    case .listener: accept()
    case .disk: takeDiskReply()
    case .devices: receiveTaskResult()
    case .radio: radio.isReady = true
    case .management: takeManagementMessages()
    case .touch: takeTouchEnd()
    case .client(let id): receive(from: id, event.readiness)
    }
  }

  private mutating func takeSignals() throws(SystemError) {
    while let signal = try signals.next() {
      switch signal {
      case .hangUp: agent.readManifestAgain(at: now)
      case .interrupt, .terminate: isEnding = true
      }
    }
  }

  // MARK: - Time

  private var deadline: Instant? {
    [
      agent.nextDeadline, radio.deadline(isUrgent: isRadioUrgent), listenerRestEnd, manager.deadline,
      touch.deadline,
    ].compactMap { $0 }.min()
  }

  /// There is more to do at this time.
  var isDue: Bool { nextTurn.map { $0 <= now } ?? false }

  /// Work that is already due needs no timer.
  private mutating func arm() throws(SystemError) {
    nextTurn = deadline
    guard !isDue else { return }
    try timer.arm(nextTurn?.microseconds)
  }

  // MARK: - The end

  /// What waits for clients is offered once; who does not take it now does not get it.
  private mutating func end() {
    manager.stopping()
    socket.withdraw()
    touch.stop()
    leaveAdapter()
    closeRegistry()
    for task in radio.tasks { _ = task.perform() }
    for id in clients.keys { _ = flush(id) }
    log.say(.debug, counters.sentence)
    log.say(.info, "ended by a signal")
  }
}

extension WatchdogSchedule {
  fileprivate static var ofEnvironment: WatchdogSchedule {
    WatchdogSchedule(
      microseconds: Environment.value(of: "WATCHDOG_USEC"), process: Environment.value(of: "WATCHDOG_PID"),
      ownProcess: ThisProcess.identifier)
  }
}
