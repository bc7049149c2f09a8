// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import HCI
import LinuxSystem
import Manifest

/// The loop's radio: opened by a worker, read when it is due, opened again after it was lost.
struct LoopRadio {
  typealias Opening = Result<RadioOpening.Opened, RadioOpeningError>

  /// The longest pause before an adapter is tried again: no event reports that another program gave it back, or that
  /// the kernel has finished setting up a new one.
  private static let adapterRetryMilliseconds: Int64 = 2000

  /// The socket's folder, for files that need not outlive the system.
  let folder: String
  var wanted: RadioRequest?
  var opened: OpenRadio?
  /// What the *devices* worker does: a few tasks for each radio that is opened or closed.
  var tasks: WorkQueue<AdapterTask, AdapterTaskResult>
  /// The radio that the worker opens now; its result counts only while the agent wants this radio.
  var opening: RadioRequest?
  /// The kernel's mgmt interface, while an adapter is wanted.
  var mgmt: MgmtConnection?
  /// The same interface for pairings.
  var pairing: MgmtConnection?
  /// The bluetoothd that runs beside a shared adapter, as far as the agent had to know.
  var bluetoothd: WatchedDescriptor?
  /// The state of the kernel's scan that was stored last, in case the agent is killed.
  var notedState = KernelScanState()
  /// The time when the radio is opened again.
  var retry: Instant?
  var backOff = BackOff()
  /// Why the radio could not be opened; logged again only when the reason changes.
  private var lastFailure: RadioOpeningError?
  /// Whether the radio was opened or found missing, after which the agent is ready.
  private(set) var wasTried = false

  init(
    folder: String, _ performTask: @escaping @Sendable (AdapterTask) -> AdapterTaskResult
  ) throws(SystemError) {
    self.folder = folder
    tasks = try WorkQueue(performTask)
  }

  // MARK: - Opening

  mutating func open(_ selection: RadioSelection, _ access: Gateway.Access, _ loop: inout LoopContext) {
    let request = RadioRequest(selection: selection, access: access, folder: folder)
    // Another radio than before has another address.
    let known = wanted?.selection == selection ? wanted?.knownAddress : nil
    release(&loop)
    wanted = request
    wanted?.knownAddress = known
    backOff = BackOff()
    updateMgmt(isWanted: request.isAdapter, &loop)
    startOpening()
  }

  mutating func startOpening() {
    retry = nil
    // An opening that is under way for the radio before this one ends first; its result starts this one.
    guard let request = wanted, opening == nil else { return }
    opening = request
    tasks.add(.open(request))
  }

  /// Performs a recovery action on the adapter, and opens it again.
  mutating func recover(_ action: RecoveryAction, _ loop: inout LoopContext) {
    // The adapter stays wanted, so it is not restored.
    release(&loop, restores: false)
    guard let request = wanted, opening == nil else { return }
    opening = request
    tasks.add(.recover(action, request, settleMilliseconds: loop.agent.boardSettleMilliseconds))
  }

  mutating func receiveTaskResult(_ loop: inout LoopContext) {
    guard let result = tasks.worker.takeReply() else { return }
    switch result {
    case .opened(let opening): receiveOpening(opening, &loop)
    case .bluetoothd(let process): watchBluetoothd(process, &loop)
    case .knownDevices(let devices): loop.agent.knownDevicesWereRead(devices, at: loop.now)
    case .networks(let number, let result):
      loop.agent.networksWereRead(result, of: number, at: loop.now)
    case .networkScan(let number, let result):
      loop.agent.networkScanWasStarted(result, of: number, at: loop.now)
    case .done: break
    }
    tasks.startNext()
  }

  private mutating func receiveOpening(_ opening: Opening, _ loop: inout LoopContext) {
    let asked = self.opening.take()
    guard asked == wanted, opened == nil else { return startOpening() }
    wasTried = true
    switch opening {
    case .success(let radio): install(radio, &loop)
    case .failure(let failure): receiveFailure(failure, &loop)
    }
  }

  private mutating func receiveFailure(_ failure: RadioOpeningError, _ loop: inout LoopContext) {
    if lastFailure != failure { loop.log.say(.warning, "there is no radio: \(failure.sentence)") }
    lastFailure = failure
    guard failure.isAbsence || !loop.agent.isRecoveringRadio else {
      return loop.agent.recoveryFailed(failure.sentence, at: loop.now)
    }
    if let longest = failure.retryMillisecondsMax {
      retry = backOff.failed(at: loop.now, millisecondsMax: longest)
    }
    loop.agent.radioVanished(failure.sentence, at: loop.now)
  }

  private mutating func install(_ radio: RadioOpening.Opened, _ loop: inout LoopContext) {
    do throws(SystemError) {
      let opened = try OpenRadio(Self.source(of: radio, at: loop.now), &loop)
      self.opened = opened
      lastFailure = nil
      backOff.succeeded(at: loop.now)
      if let adapter = opened.source.adapter { remember(adapter, &loop) }
      loop.agent.radioAppeared(
        opened.source.kind, isUSB: opened.source.adapter?.isUSB ?? false, at: loop.now)
    } catch {
      loop.log.say(.warning, "there is no radio: \(RadioSourceError.system(error).sentence)")
      lose(.system(error), &loop)
    }
  }

  private mutating func remember(_ adapter: OpenAdapter, _ loop: inout LoopContext) {
    if adapter.address != 0 { wanted?.knownAddress = adapter.address }
    loop.agent.counters.reception.receiveBufferBytes = adapter.receiveBufferByteCount
    if case .exclusive = adapter.accessMode { note(adapter.kernelScanState, adapter) }
  }

  private static func source(of opened: RadioOpening.Opened, at now: Instant) -> any RadioSource {
    switch opened {
    case .socket(let socket, let kind): H4Socket(socket, kind)
    case .recording(let bytes, let pace): RecordingSource(bytes, pace, at: now)
    case .adapter(let adapter): AdapterSource(adapter)
    }
  }

  // MARK: - Reading and sending

  mutating func noteReadable() { opened?.isReadable = true }

  /// When the radio needs the time. It changes nothing, but a radio that is only borrowed would be copied.
  mutating func findDeadline(isUrgent: Bool) -> Instant? {
    guard let deadline = opened?.findDeadline(isUrgent: isUrgent) else { return retry }
    return deadline
  }

  /// Reads the radio if it is due, and tries to open one that is missing.
  mutating func drive(_ reports: inout ReportSockets, _ loop: inout LoopContext) {
    guard opened != nil else {
      if let retry, retry <= loop.now { startOpening() }
      return
    }
    if let end = opened?.drain(&reports, &loop) { lose(end, &loop) }
  }

  mutating func send(_ command: CommandPacket, _ loop: inout LoopContext) {
    // The radio may have gone after the agent wrote the command.
    guard let end = opened?.source.send(command, at: loop.now) else { return }
    lose(end, &loop)
  }

  /// Lets the kernel filter the adapter's packets. One that has gone has no filter.
  func setFilter(_ program: FilterProgram?, _ loop: inout LoopContext) {
    guard let adapter = opened?.source.adapter else { return }
    do throws(SystemError) {
      try adapter.events.setFilter(program?.instructions.map(\.word) ?? [])
    } catch {
      guard program != nil else { return }
      loop.agent.filterWasRefused(error.isFilterTooLong ? .tooLong : .refused(error.reason), at: loop.now)
    }
  }

  /// Stops watching the descriptor while the radio rests.
  mutating func updateReadiness(isUrgent: Bool, _ loop: inout LoopContext) {
    do throws(SystemError) { try opened?.updateReadiness(isUrgent: isUrgent, &loop) } catch {
      lose(.system(error), &loop)
    }
  }

  // MARK: - Losing

  mutating func lose(_ end: RadioSourceError, _ loop: inout LoopContext) {
    switch end {
    // The recording's clock continues.
    case .recordingEnded: return loop.agent.recordingEnded(end.sentence, at: loop.now)
    case .recordingBroken: return loop.agent.radioVanished(end.sentence, at: loop.now)
    case .hungUp, .notH4, .rejectsCommands, .system, .unplugged, .gone:
      loop.agent.radioVanished(end.sentence, at: loop.now)
    }
    release(&loop, restores: false)
    let longest = wanted?.isAdapter == true ? Self.adapterRetryMilliseconds : BackOff.millisecondsMax
    retry = backOff.failed(at: loop.now, millisecondsMax: longest)
  }

  /// Closes the radio. If `restores`, an adapter is put back into the state in which the agent found it.
  private mutating func release(_ loop: inout LoopContext, restores: Bool = true) {
    retry = nil
    guard var open = opened.take() else { return }
    open.countDrops(&loop)
    if let token = open.token { loop.registry.remove(token) }
    forgetBluetoothd(&loop)
    guard let adapter = open.source.adapter else { return }
    switch adapter.accessMode {
    case .exclusive(let wasUp):
      // An adapter that is opened again is restored later.
      guard restores else { return notedState = KernelScanState() }
      if wasUp { tasks.add(.restore(adapter.index)) }
      note(adapter.stateAfterClosing, adapter)
    case .shared, .listening: note(adapter.stateAfterClosing, adapter)
    }
  }

  /// How long the agent waits at its end until the kernel has performed the last commands.
  private static var restoreMilliseconds: Int { 1000 }

  /// Opens the interface while an adapter is wanted. Without it the agent looks for adapters now and then.
  mutating func updateMgmt(isWanted: Bool, _ loop: inout LoopContext) {
    guard isWanted else {
      if let connection = mgmt.take() { loop.registry.remove(connection.token) }
      if let connection = pairing.take() { loop.registry.remove(connection.token) }
      return
    }
    do throws(SystemError) {
      if mgmt == nil { mgmt = try MgmtConnection(.mgmt, &loop) }
      if pairing == nil { pairing = try MgmtConnection(.pairing, &loop) }
    } catch {
      // Reported when opening the adapter fails.
      guard !error.isWithoutBluetooth else { return }
      loop.log.say(.info, "the kernel's Bluetooth management interface cannot be opened: \(error.sentence)")
    }
  }

  func receivePairingMessages(_ loop: inout LoopContext) {
    pairing?.socket.drain { message in loop.agent.receive(pairingMessage: message, at: loop.now) }
  }

  /// Sends a command over one of the two connections.
  func send(_ command: MgmtCommand, over connection: MgmtConnection?, _ loop: inout LoopContext) {
    do throws(SystemError) {
      try connection?.socket.send(command)
    } catch {
      // The agent's wait for the reply ends by itself.
      loop.log.say(
        .warning, "the kernel's Bluetooth management interface did not accept a command: \(error.sentence)")
    }
  }

  mutating func receiveMgmtMessages(_ loop: inout LoopContext) {
    guard let socket = mgmt?.socket else { return }
    var hasAdapterCome = false
    socket.drain { message in
      if case .added = (try? MgmtEvent(parsing: message))?.content { hasAdapterCome = true }
      loop.agent.receive(mgmt: message, at: loop.now)
    }
    noteScanState(&loop)
    if loop.agent.isAdapterSwitchedOff, let index = opened?.source.adapter?.index,
      AdapterSocket.isBlocked(index)
    {
      // The adapter is tried again until rfkill no longer blocks it.
      lose(.gone(RadioOpeningError.blocked(index).sentence), &loop)
    }
    guard hasAdapterCome, opened == nil, opening == nil, wanted?.isAdapter == true else {
      return
    }
    backOff = BackOff()
    startOpening()
  }

  // MARK: - bluetoothd

  /// Watches the bluetoothd that was found, if any, so that the agent learns when it ends.
  mutating func watchBluetoothd(_ process: SharedDescriptor?, _ loop: inout LoopContext) {
    forgetBluetoothd(&loop)
    let isHeld = opened?.source.adapter.map { $0.accessMode != .listening } ?? false
    guard isHeld else { return }
    // Without a watch the agent does not learn of its end, and leaves the adapter's power to it.
    if let process { bluetoothd = try? WatchedDescriptor(process, as: .bluetoothd, &loop) }
    loop.agent.bluetoothdWasSought(isRunning: process != nil, at: loop.now)
  }

  mutating func receiveBluetoothdEnd(_ loop: inout LoopContext) {
    forgetBluetoothd(&loop)
    loop.agent.bluetoothdEnded(at: loop.now)
  }

  mutating func forgetBluetoothd(_ loop: inout LoopContext) {
    if let watched = bluetoothd.take() { loop.registry.remove(watched.token) }
  }

  // MARK: - The state of the kernel's scan

  /// Stores a changed state of a shared adapter.
  private mutating func noteScanState(_ loop: inout LoopContext) {
    guard let adapter = opened?.source.adapter, adapter.accessMode == .shared else { return }
    note(loop.agent.kernelScanState, adapter)
  }

  /// Stores the state if it differs from the last one stored.
  mutating func note(_ state: KernelScanState, _ adapter: OpenAdapter) {
    guard state != notedState, let file = wanted?.kernelScanStateFile else { return }
    notedState = state
    tasks.add(.note(state, index: adapter.index, file))
  }

  // MARK: - The end

  /// Leaves adapters as they were found. The loop is over, so it may wait here.
  mutating func leaveAdapter(_ loop: inout LoopContext) {
    let endingCommands = loop.agent.pairingEndingCommands
    if !endingCommands.isEmpty {
      pairing?.socket.performCommands(endingCommands, milliseconds: Self.restoreMilliseconds)
    }
    let restoringCommands = loop.agent.restoringCommands
    if !restoringCommands.isEmpty, let socket = mgmt?.socket {
      socket.performCommands(restoringCommands, milliseconds: Self.restoreMilliseconds)
      if let file = wanted?.kernelScanStateFile { FileName.remove(file.path) }
    }
    let adapter = opened?.source.adapter
    opened = nil
    guard let adapter, adapter.accessMode == .exclusive(wasUp: true) else { return }
    let (index, state) = (adapter.index, adapter.stateAfterClosing)
    // The tasks run after this function has released the last reference to the adapter, whose channel has to be closed.
    tasks.waiting.append(.restore(index))
    if let file = wanted?.kernelScanStateFile { tasks.waiting.append(.note(state, index: index, file)) }
  }

  /// Performs the tasks that the worker has not begun.
  func performRemainingTasks() {
    for task in tasks.waiting { _ = task.run(KernelNetworkScan()) }
  }
}

extension FilterInstruction {
  /// The instruction as ``AdapterSocket/setFilter(_:)`` takes it.
  fileprivate var word: UInt64 {
    UInt64(operation.rawValue) | UInt64(ifTrue) << 16 | UInt64(ifFalse) << 24 | UInt64(operand) << 32
  }
}

/// The kernel's mgmt interface and the token that the loop watches it with.
struct MgmtConnection {
  let socket: MgmtSocket
  let token: UInt64

  init(_ owner: EpollOwner, _ loop: inout LoopContext) throws(SystemError) {
    socket = try MgmtSocket()
    token = try loop.watch(socket.socket.descriptor, as: owner)
  }
}

// The kernel's mgmt interface: adapters that come and go, and scans that the kernel does for the agent.
