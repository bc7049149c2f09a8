// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
import Discovery
public import HCI
public import Interfaces
import Manifest
import Pairing
public import Setup

// The radio's side: packets in, commands out.

extension AgentCore {
  /// The radio that was to be opened is there. `isUSB` is whether the kernel reaches it over USB.
  public func radioAppeared(_ kind: RadioKind, isUSB: Bool = false, at now: Instant) {
    if configuration.follow(isUSB: isUSB) {
      enqueue(.log(.boardFollowsAdapter(board: configuration.board.name)))
      follow(setupCore.advance(to: now))
      follow(setupCore.configure(configuration.setup))
      followItems()
      radio.follow(scanPlan, at: now)
    }
    filter.use(adapter: kind.isAdapter)
    let powersOn = configuration.manifest.gateway.power == .on
    updateRadio { radio in
      radio.open(kind, hasBoardStep: configuration.board.asksForRecovery, powersOn: powersOn, at: now)
    }
    updateLinks { links in
      if case .sharedAdapter(let index, _) = kind {
        links.open(adapter: index, at: now)
      } else {
        links.close()
      }
    }
    turn.advance(to: now)
    // A radio that keeps the adapter's power looks for bluetoothd itself.
    updatePairing { $0.open(kind, isSought: powersOn, at: turn.now) }
  }

  /// A recovery action did not bring the adapter back.
  public func recoveryFailed(_ reason: String, at now: Instant) {
    updateRadio { $0.recoveryFailed(reason, at: now) }
  }

  /// Whether a recovery action is under way.
  public var isRecoveringRadio: Bool { radio.isRecovering }

  /// A recording has ended. The devices in it fall silent in time.
  public func recordingEnded(_ reason: String, at now: Instant) {
    updateRadio { $0.close(reason, isEnd: true, at: now) }
  }

  /// The radio is gone, or could not be opened; `reason` is a sentence for operators.
  public func radioVanished(_ reason: String, at now: Instant) {
    filter.use(adapter: false)
    updateRadio { $0.close(reason, at: now) }
    updateLinks { $0.close() }
    turn.advance(to: now)
    updatePairing { $0.close(.radioIsGone, at: turn.now) }
  }

  /// Receives a message of the kernel's management interface (``MgmtEvent``).
  public func receive(mgmt message: RawSpan, at now: Instant) {
    do throws(MgmtError) {
      let event = try MgmtEvent(parsing: message)
      updateRadio { $0.receive(event, at: now) }
      updateLinks { $0.receive(event, at: now) }
    } catch {
      ignoreMgmtMessage(error)
    }
  }

  /// Counts and logs a message of the kernel's management interface that is not used.
  func ignoreMgmtMessage(_ error: MgmtError) {
    counters.reception.count(error)
    enqueue(.log(.mgmtMessageIgnored(error)))
  }

  /// The shell has looked for bluetoothd, as ``Action/findBluetoothd`` asked.
  public func bluetoothdWasSought(isRunning: Bool, at now: Instant) {
    updateRadio { $0.bluetoothdWasSought(isRunning: isRunning, at: now) }
    updatePairing { pairing in
      pairing.bluetoothdWasSought(
        isRunning: isRunning, address: radio.shared.address, setupCore.bonds, at: now)
    }
  }

  /// The bluetoothd that was found has ended.
  public func bluetoothdEnded(at now: Instant) {
    radio.bluetoothdEnded(at: now)
    updatePairing { $0.bluetoothdEnded(at: now) }
  }

  /// Receives a packet from the radio, H4 indicator first (Core Specification 5.4, Volume 4, Part A, 2), at the radio's
  /// time. `waitedMicroseconds` is how long it waited in the kernel, where that is known.
  public func receive(packet: RawSpan, at time: Instant, waitedMicroseconds waited: Int64? = nil) {
    // The agent's clock times the controller, and the last turn may be long ago: a reply counts its deadline from now.
    if radio.isLive { turn.advance(to: time) }
    dataPath.pipeline.reports.waited =
      waited.map { UInt16(clamping: min($0 / 100, 0xFFFE)) } ?? ReportLayout.waitedUnknown
    let reception = dataPath.path.pipeline.receive(h4: packet, at: time)
    if packetTap.readerCount > 0 {
      packetTap.append(packet, isReceived: true, at: time)
      turn.outlook.isOld = true
    }
    switch reception {
    case .other: receiveEvent(packet)
    case .reports, .malformed: break
    }
  }

  /// Receives the packets that `drain` gives to its argument with one access to the data path for all of them, while
  /// no client reads them (``AgentOutlook/hasPacketReaders``). What they have to say beside reports is received after the last.
  public func receivePackets<Result>(_ drain: ((RawSpan, Instant) -> Void) -> Result) -> Result {
    var others: [(bytes: [UInt8], time: Instant)] = []
    let result = Self.receivePackets(&dataPath.path.pipeline, &others, drain)
    for other in others {
      if radio.isLive { turn.advance(to: other.time) }
      receiveEvent(other.bytes.span.rawBytes)
    }
    return result
  }

  private static func receivePackets<Result>(
    _ pipeline: inout Pipeline, _ others: inout [(bytes: [UInt8], time: Instant)],
    _ drain: ((RawSpan, Instant) -> Void) -> Result
  ) -> Result {
    drain { packet, time in
      guard pipeline.receive(h4: packet, at: time) == .other else { return }
      others.append(((0..<packet.byteCount).map { packet.uint8(at: $0) }, time))
    }
  }

  /// Initialisation runs by the agent's clock, whatever the radio's is.
  private func receiveEvent(_ bytes: RawSpan) {
    guard let packet = try? Packet(parsing: bytes), case .event = packet.kind,
      let event = try? Event(parsing: packet.body)
    else { return }
    radio.receive(event, at: now)
    performRadioActions()
  }

  /// Gives the radio an input, and performs what it causes.
  func updateRadio<Result>(_ input: (inout Radio) -> Result) -> Result {
    defer { performRadioActions() }
    return input(&radio)
  }

  private func performRadioActions() {
    for change in radio.takeChanges() {
      feeds.conditions.append(.radio(RadioChangeLine(change, at: now)))
      turn.isBusy = true
    }
    for action in radio.takeOutput() {
      if case .send(let command) = action {
        packetTap.append(command.bytes.rawBytes, isReceived: false, at: radioTime)
      }
      enqueue(action)
    }
  }

  /// `isHeard`: reports came since the turn before.
  func advanceRadio(isHeard: Bool) {
    let isLost = updateRadio { radio in
      if isHeard { radio.noteHeard(at: now) }
      return radio.advance(to: now)
    }
    guard isLost else { return }
    dataPath.pipeline.loseRadio(at: radioTime)
    enqueue(.log(.radioGivenUp))
  }

  /// Ends the scan of a controller of the agent's own: one that loses its host scans on. No plan starts another scan.
  public func endScan(at time: Instant) {
    turn.advance(to: time)
    turn.isEnding = true
    updateRadio { $0.endScan(at: now) }
  }

  /// Whether no controller of the agent's own scans.
  public var hasEndedScan: Bool { !radio.ownControllerScans }

  // MARK: - What the shell asks and reports

  public var radioState: RadioLine.State { radio.state }

  /// Whether a shared adapter was switched off.
  public var isAdapterSwitchedOff: Bool { radio.isSwitchedOff }

  /// The state for apps, to which an adapter that was switched off is there.
  var radioStateForApps: RadioLine.State { radio.isSwitchedOff ? .off : radio.state }

  /// What the agent would leave in the kernel if it were killed now.
  public var kernelScanState: KernelScanState {
    radio.link == .shared ? radio.shared.kernelScanState : KernelScanState()
  }

  /// The commands that undo what the kernel was asked to do, before the agent ends: no session outlives the agent, and
  /// so no connection does.
  public var restoringCommands: [MgmtCommand] { radio.restoringCommands + links.endingCommands }

  public var drainIntervalMilliseconds: Int64 {
    Int64(configuration.manifest.gateway.drainIntervalMilliseconds)
  }

  /// How long the adapter may take to come back after the steps of the board's profile that others do.
  public var boardSettleMilliseconds: Int { configuration.board.settleMilliseconds }

  // MARK: - The scan plan

  /// How the agent wants to scan; nil once it ends.
  var scanPlan: ScanPlan? {
    guard !turn.isEnding else { return nil }
    var plan = ScanPlan()
    plan.mode = ScanPlan.Mode(configuration.manifest.gateway.scan)
    plan.duty = duty
    // An operator, or an app that filters, sees the names of the devices; most devices send them only when asked.
    if plan.mode == .auto, setupLink.requests.open > 0 || activeScanCount > 0 { plan.mode = .active }
    // Active scans are the kernel's discovery, of which there is one: bluetoothd looks with it for the device.
    if pairing.needsDiscovery { plan.mode = .passive }
    plan.needsScanResponses =
      configuration.manifest.needsScanResponses
      || setupLink.appSuppliedItems.contains(where: \.needsScanResponses)
    plan.usesCodedPHY = hasTimeForCodedPHY
    plan.usesExtendedScanning = !configuration.board.knownLimits.contains(.noExtendedScanning)
    return plan
  }

  private var duty: ScanDuty {
    let (board, requests) = (configuration.board, setupLink.requests)
    // A person waits for what a device sends during a few seconds.
    let isSampling = packetTap.listenerCount > 0
    guard requests.open > 0 || isSampling else { return board.low }
    let wanted = requests.immediate > 0 || isSampling ? board.fast : board.balanced
    // A board that always listens for long does not listen for less because a request is open.
    return board.low.share < wanted.share ? wanted : board.low
  }

  /// One receiver serves both PHYs, each for half of the window: only a radio that listens all the time, and not for a
  /// device that has to be recognised at the gateway, has time to spare.
  private var hasTimeForCodedPHY: Bool {
    let board = configuration.board
    return setupLink.requests.immediate == 0 && !board.knownLimits.contains(.noCodedPHY) && board.low.isFull
  }

  /// Whether a capture has the radio listen all the time, or has let it rest again.
  func setCaptureListens(_ listens: Bool) {
    packetTap.listenerCount += listens ? 1 : -1
    followScanPlan()
  }

  /// Whether a call asks for active scans, or has ended.
  func setActiveScan(_ isWanted: Bool) {
    activeScanCount += isWanted ? 1 : -1
    followScanPlan()
  }

  func followScanPlan() {
    updateRadio { $0.follow(scanPlan, at: now) }
  }

  /// What is asked for: while a request is open, the radio listens for as long as the board's profile allows.
  public func setRequests(_ counts: RequestCounts, at now: Instant) {
    setupLink.requests = counts
    followScanPlan()
  }
}

extension ScanPlan.Mode {
  fileprivate init(_ scan: Gateway.Scan) {
    switch scan {
    case .auto: self = .auto
    case .passive: self = .passive
    case .active: self = .active
    }
  }
}
