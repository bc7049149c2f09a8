// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A scripted LE controller in a scene. Input: H4 bytes from the host, and the time. Output: H4 packets with times.
///
/// It carries out the commands that initialize a controller (``CommandTable``), refuses unknown ones, scans as the host
/// sets it up, and fails as its script says. The same script, devices, seed, bytes and times give the same packets,
/// whatever the sizes of the pieces and the number of calls. Times must not run backwards.
public struct VirtualController: Sendable {
  public let script: ControllerScript
  /// What it received from the host.
  public internal(set) var counters = Counters()
  /// False while it is pulled out: it receives nothing from the host, whose connection to it is gone.
  public internal(set) var isPlugged = true

  /// Counts since the start; a reset does not clear them.
  public struct Counters: Equatable, Sendable {
    public var commands = 0
    public var unknownCommands = 0
    /// Packets that are no commands; a controller without connections ignores them.
    public var otherPackets = 0
    public var streamErrors = 0
  }

  var linkLayer: LinkLayer
  let table: CommandTable
  var scene: Scene
  var stream = HostStream()
  var faultSchedule: FaultSchedule
  /// Answers and events to be delivered, in the order of their times.
  var outbox: [ScenePacket] = []
  /// Packets that were due before the host's last command arrived.
  private var ready: [ScenePacket] = []
  var isSilent = false
  var returnTime: Instant?
  var scanEnd: Instant?
  var nextScan: Instant?
  var dice: SeededGenerator

  /// The devices' scripts restart every `periodMicroseconds`; the controller's faults do not.
  public init(
    _ script: ControllerScript = ControllerScript(), scene devices: [SceneDevice], seed: UInt64,
    periodMicroseconds: Int64? = nil
  ) {
    self.script = script
    table = CommandTable(script)
    linkLayer = LinkLayer(hasPublicAddress: script.hasPublicAddress)
    scene = Scene(devices, scanner: .off, seed: seed, periodMicroseconds: periodMicroseconds)
    faultSchedule = FaultSchedule(script.faults)
    dice = SeededGenerator(seed: seed, stream: .max)
  }
}

extension VirtualController {
  /// Whether it receives the scene's advertisements.
  public var isScanning: Bool { linkLayer.enabled != nil && isPlugged && !isSilent }

  /// The next packet before `limit`, which is the current time; nil when there is none.
  public mutating func next(before limit: Instant) -> ScenePacket? {
    ready.isEmpty ? advance(before: limit) : ready.removeFirst()
  }

  /// The earliest time at which there may be a packet to read; nil when only a command can cause one.
  public var nextTime: Instant? {
    if let first = ready.first { return first.time }
    return [outbox.first?.time, nextTimer, isScanning ? scene.nextTime : nil].compactMap { $0 }.min()
  }

  /// The next timer: a fault, the end of an outage, the end of a scan, or the start of one.
  private var nextTimer: Instant? {
    [faultSchedule.nextTime, returnTime, scanEnd, nextScan].compactMap { $0 }.min()
  }

  private mutating func advance(before limit: Instant) -> ScenePacket? {
    while true {
      let border = nextTimer.map { min($0, limit) } ?? limit
      if let packet = removeFirstPacket(before: border) { return packet }
      guard border < limit else { return nil }
      fireTimer(at: border)
    }
  }

  /// The first packet of the outbox or of the scene, whose packets are dropped during an outage.
  private mutating func removeFirstPacket(before border: Instant) -> ScenePacket? {
    if let answer = outbox.first, answer.time < border, answer.time <= scene.nextTime ?? answer.time {
      return outbox.removeFirst()
    }
    let sceneBorder = outbox.first.map { min($0.time, border) } ?? border
    while let packet = scene.next(before: sceneBorder) {
      if isPlugged && !isSilent { return packet }
    }
    guard let answer = outbox.first, answer.time < border else { return nil }
    return outbox.removeFirst()
  }

  private mutating func fireTimer(at time: Instant) {
    if returnTime == time {
      endOutage(at: time)
    } else if scanEnd == time {
      endScan(at: time)
    } else if nextScan == time {
      if linkLayer.enabled?.duplicates == .resetEachPeriod { scene.filter.duplicates?.removeAll() }
      startScan(from: time)
    } else if let effect = faultSchedule.removeNextEffect() {
      apply(effect, at: time)
    }
  }

  /// Switches it off and on: it loses the host's settings, and a silence ends.
  public mutating func powerCycle(at now: Instant) {
    catchUp(to: now)
    if isPlugged { start(at: now) }
  }

  /// A silent controller continues with its settings; one that was pulled out starts from its reset state.
  private mutating func endOutage(at time: Instant) {
    guard isPlugged else { return start(at: time) }
    returnTime = nil
    isSilent = false
  }

  private mutating func start(at time: Instant) {
    isPlugged = true
    isSilent = false
    returnTime = nil
    stream = HostStream()
    outbox.removeAll()
    reset(at: time)
  }

  /// Moves the packets before `now` to `ready`.
  mutating func catchUp(to now: Instant) {
    while let packet = advance(before: now) { ready.append(packet) }
  }

  mutating func post(_ bytes: [UInt8], at time: Instant) {
    guard isPlugged, !isSilent else { return }
    let index = outbox.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    outbox.insert(ScenePacket(time: time, bytes: bytes), at: index)
  }
}
