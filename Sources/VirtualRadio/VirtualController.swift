// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A scripted LE controller in a scene: H4 bytes from the host and the time go in, H4 packets with their times come out.
///
/// It answers what a bring-up asks for (``CommandTable``), refuses what it does not know, scans as it was told to, and
/// fails as its script says. The same script, devices, seed, bytes and times give the same packets, wherever the bytes
/// were cut and however often it was asked. Times must not run backwards.
public struct VirtualController: Sendable {
  public let script: ControllerScript
  /// What it was told and what came of it.
  public internal(set) var counters = Counters()
  /// False while it is pulled out: it hears no host, and a host's connection to it is gone.
  public internal(set) var isPlugged = true

  /// Since the beginning, resets included.
  public struct Counters: Equatable, Sendable {
    public var commands = 0
    public var unknownCommands = 0
    /// Packets that are no commands; a controller without connections passes them over.
    public var otherPackets = 0
    public var streamErrors = 0
  }

  var linkLayer: LinkLayer
  let table: CommandTable
  var scene: Scene
  var stream = HostStream()
  var book: FaultBook
  /// Answers and events on their way, in the order of their times.
  var outbox: [ScenePacket] = []
  /// What came out before a command changed the course of things.
  private var ready: [ScenePacket] = []
  var isSilent = false
  var returnTime: Instant?
  var scanEnd: Instant?
  var nextScan: Instant?
  var dice: SeededGenerator

  /// `periodMicroseconds` is the scene's: after it what the devices do begins anew. What goes wrong with the controller
  /// does not.
  public init(
    _ script: ControllerScript = ControllerScript(), scene devices: [SceneDevice], seed: UInt64,
    periodMicroseconds: Int64? = nil
  ) {
    self.script = script
    table = CommandTable(script)
    linkLayer = LinkLayer(hasPublicAddress: script.hasPublicAddress)
    scene = Scene(devices, scanner: .off, seed: seed, periodMicroseconds: periodMicroseconds)
    book = FaultBook(script.faults)
    dice = SeededGenerator(seed: seed, stream: .max)
  }
}

extension VirtualController {
  /// Whether it listens to the scene.
  public var isScanning: Bool { linkLayer.enabled != nil && isPlugged && !isSilent }

  /// The next packet before `limit`, which is the time it is now; nil when there is none.
  public mutating func next(before limit: Instant) -> ScenePacket? {
    ready.isEmpty ? advance(before: limit) : ready.removeFirst()
  }

  /// The earliest time at which there may be something to fetch; nil when only the host can bring it about.
  public var nextTime: Instant? {
    if let first = ready.first { return first.time }
    return [outbox.first?.time, timer, isScanning ? scene.nextTime : nil].compactMap { $0 }.min()
  }

  /// The earliest of the things that happen by themselves.
  private var timer: Instant? {
    [book.nextTime, returnTime, scanEnd, nextScan].compactMap { $0 }.min()
  }

  private mutating func advance(before limit: Instant) -> ScenePacket? {
    while true {
      let border = timer.map { min($0, limit) } ?? limit
      if let packet = pull(before: border) { return packet }
      guard border < limit else { return nil }
      fire(at: border)
    }
  }

  /// The first packet of the outbox or of the scene, which speaks only while it is listened to.
  private mutating func pull(before border: Instant) -> ScenePacket? {
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

  private mutating func fire(at time: Instant) {
    if returnTime == time {
      comeBack(at: time)
    } else if scanEnd == time {
      endScan(at: time)
    } else if nextScan == time {
      if linkLayer.enabled?.duplicates == .resetEachPeriod { scene.filter.duplicates?.forget() }
      scan(from: time)
    } else if let effect = book.takeNext() {
      perform(effect, at: time)
    }
  }

  /// It is powered off and on: everything the host said is forgotten, and what kept it silent is over.
  public mutating func powerCycle(at now: Instant) {
    catchUp(to: now)
    if isPlugged { start(at: now) }
  }

  /// A silence ends as if nothing had been; what was pulled out starts afresh.
  private mutating func comeBack(at time: Instant) {
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

  mutating func catchUp(to now: Instant) {
    while let packet = advance(before: now) { ready.append(packet) }
  }

  mutating func post(_ bytes: [UInt8], at time: Instant) {
    guard isPlugged, !isSilent else { return }
    let index = outbox.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    outbox.insert(ScenePacket(time: time, bytes: bytes), at: index)
  }
}
