// SPDX-License-Identifier: GPL-3.0-or-later

public import Controller
import Discovery
public import HCI
import Manifest
public import Setup
import ToolText

// The radio's side: packets in, commands out.

extension AgentCore {
  /// The radio that was to be opened is there.
  public func radioAppeared(_ kind: RadioKind, at now: Instant) {
    radio.appear(kind, at: now)
    followRadio(at: now)
  }

  /// What was tried with the adapter did not bring it back.
  public func remedyFailed(_ reason: String, at now: Instant) {
    radio.remedyFailed(reason, at: now)
    followRadio(at: now)
  }

  /// Whether a remedy is under way whose outcome is awaited.
  public var isMendingRadio: Bool { if case .mending = radio.link { true } else { false } }

  /// So many octets of an adapter's packets the kernel keeps until they are read.
  public func noteReceiveRoom(_ byteCount: Int) { tally.receiveRoomBytes = byteCount }

  /// One message of the management interface (``MgmtEvent``).
  public func receive(management message: RawSpan, at now: Instant) {
    do throws(MgmtError) {
      radio.receive(try MgmtEvent(parsing: message), at: now)
      followRadio(at: now)
    } catch {
      tally.managementMessagesCut &+= 1
    }
  }

  /// Whether somebody switched off the adapter that is shared with them.
  public var isAdapterSwitchedOff: Bool { radio.isSwitchedOff }

  /// What the agent would leave in the kernel if it were killed now.
  public var scanRemains: KernelScanState { radio.link == .shared ? radio.shared.remains : KernelScanState() }

  /// What takes back what was asked of the kernel, before the agent ends.
  public var farewell: [MgmtCommand] { radio.farewell }

  /// A recording has come to its end; what was heard falls silent by and by.
  public func recordingEnded(_ reason: String, at now: Instant) {
    radio.vanish(reason, isEnd: true, at: now)
    followRadio(at: now)
  }

  /// It is gone, or could not be opened; `reason` is a sentence for people.
  public func radioVanished(_ reason: String, at now: Instant) {
    radio.vanish(reason, at: now)
    followRadio(at: now)
  }

  /// One packet from the radio, H4 indicator first (Core Specification 5.4, Volume 4, Part A, 2), at the radio's time.
  public func receive(packet: RawSpan, at time: Instant) {
    // A controller's time is ours, and the last turn may be long ago: what is answered now has its deadline from now.
    if radio.isLive { now = max(now, time) }
    let reception = dataPath.pipeline.receive(h4: packet, at: time)
    tap.append(packet, isReceived: true, at: time)
    switch reception {
    case .reports: sampler.receive(packet, at: time)
    case .other: receiveOther(packet)
    case .malformed: break
    }
  }

  /// Bring-up runs by our clock, whatever the radio's says.
  private func receiveOther(_ bytes: RawSpan) {
    guard let packet = try? Packet(parsing: bytes), case .event = packet.kind,
      let event = try? Event(parsing: packet.body)
    else { return }
    radio.receive(event, at: now)
    followRadio(at: now)
  }

  /// So many packets were dropped by the kernel since the radio was opened.
  public func noteReceiveDrops(_ count: UInt64) {
    tally.receiveDrops &+= count
    lastReceiveDrop = now
  }

  /// So long a packet had waited in the kernel when it was read.
  public func noteQueueing(microseconds: Int64) {
    tally.queueing.add(microseconds)
  }

  /// Hands on what the radio wants, and notes since when it does not scan.
  func followRadio(at now: Instant) {
    for action in radio.output {
      if case .send(let command) = action { record(command) }
      perform(action)
    }
    radio.output.removeAll()
    switch radio.state {
    case .on, .off: radioGoneSince = nil
    case .recovering, .absent:
      if radioGoneSince == nil, !hasLostRadio { radioGoneSince = now }
    }
    if radio.state == .on { hasLostRadio = false }
  }

  private func record(_ command: CommandPacket) {
    let time = radioTime
    tap.append(command.octets.rawBytes, isReceived: false, at: time)
  }

  func advanceRadio() {
    let reports = dataPath.pipeline.counters.reports
    if reports != reportsHeard {
      reportsHeard = reports
      radio.hear(at: now)
    }
    radio.advance(to: now)
    followRadio(at: now)
    guard let since = radioGoneSince, now.milliseconds(since: since) >= Self.radioGraceMilliseconds else {
      return
    }
    radioGoneSince = nil
    hasLostRadio = true
    dataPath.pipeline.loseRadio(at: radioTime)
    perform(.log(.radioGivenUp))
  }

  /// How the agent wants to scan.
  var scanPlan: ScanPlan {
    var plan = ScanPlan()
    plan.mode = ScanPlan.Mode(configuration.manifest.gateway.scan)
    plan.duty = duty
    plan.isImmediate = requests.immediate > 0
    // An app that decides by what a device says is told all of it.
    if plan.mode == .auto, requests.filtered > 0 { plan.mode = .active }
    plan.needsScanResponses =
      configuration.manifest.needsScanResponses || appSuppliedItems.contains(where: \.needsScanResponses)
    plan.usesCodedPHY = hasTimeForCodedPHY
    plan.usesExtendedScanning = !configuration.board.knownLimits.contains(.noExtendedScanning)
    return plan
  }

  private var duty: ScanDuty {
    let board = configuration.board
    if requests.immediate > 0 { return board.fast }
    // A board that always listens for long does not listen for less because somebody waits.
    return requests.open > 0 && board.low.share < board.balanced.share ? board.balanced : board.low
  }

  /// One receiver serves both PHYs, each for half of the window: only a radio that listens all the time, and for nobody
  /// who waits at the gateway, has time to spare.
  private var hasTimeForCodedPHY: Bool {
    let board = configuration.board
    return requests.immediate == 0 && !board.knownLimits.contains(.noCodedPHY) && board.low.isFull
  }

  /// What is asked for: while a device has to be held at the gateway, the radio listens all the time.
  public func setRequests(_ counts: RequestCounts, at now: Instant) {
    requests = counts
    radio.follow(scanPlan, at: now)
    followRadio(at: now)
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
