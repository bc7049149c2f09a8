// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
public import HCI
public import Interfaces
public import Manifest

/// The agent's own data path, fed from a capture instead of a radio.
///
/// Times count from the capture's first record. What is due between two records happens at its own time, so the
/// events and their order depend on the capture and the manifest alone.
public struct CaptureReplay: ~Copyable {
  public private(set) var dataPath: ManifestDataPath
  /// Events that the ring dropped before they were read: more happened at one instant than it holds.
  public private(set) var missedCount: UInt64 = 0
  public private(set) var recordCount = 0
  public private(set) var recorder = RecorderLosses()
  /// The latest time that was let pass, since the first record.
  public private(set) var duration = Instant(microseconds: 0)
  /// Changes that wait when the capture ends, for the time of the next event or for what the device sends next.
  public private(set) var waitingCount: UInt64 = 0
  /// What was counted when the capture ended.
  private var endCounters: Counters?
  private var start: Instant?
  /// The recorder has switched scanning off, as phones do now and then: until it is on again, no silence counts.
  private var isPaused = false
  /// The last command that may have switched it, until the controller answers, and what was so before it.
  private var unanswered: (opcode: Opcode, wasPaused: Bool)?
  private var cursor: EventCursor

  public init(_ dataPath: consuming ManifestDataPath) {
    cursor = EventCursor(epoch: dataPath.pipeline.events.epoch, sequence: 0)
    self.dataPath = dataPath
  }

  /// When the record happened, since the capture's first one; earlier than the one before when the recorder's clock
  /// was set back.
  public mutating func time(of record: borrowing BtsnoopRecord) -> Instant {
    let start = self.start ?? startClock(at: record.time)
    return Instant(microseconds: record.time.microseconds &- start.microseconds)
  }

  /// Starts the clock at the first record; what claims to be older counts as set back.
  private mutating func startClock(at time: Instant) -> Instant {
    start = time
    dataPath.pipeline.advance(to: Instant(microseconds: 0))
    return time
  }

  /// Lets time pass up to a record, receives it, and adds the events of both.
  public mutating func replay(_ record: borrowing BtsnoopRecord, into events: inout [EventLine]) {
    let time = time(of: record)
    advance(to: time, into: &events)
    recordCount += 1
    recorder.count(record)
    guard case .packet(let kind, let isReceived, _) = record.content else { return }
    if !isReceived {
      if kind == .command, let (opcode, isOn) = ScanSwitch.read(record.payload) {
        unanswered = (opcode, isPaused)
        switchScan(isOn, at: time)
      }
      return
    }
    if let command = unanswered, kind == .event, let event = try? Event(parsing: record.payload),
      let reply = CommandReply(event), reply.isComplete, reply.opcode == command.opcode
    {
      unanswered = nil
      if let status = reply.status, status != .success { undoSwitch(command.wasPaused, at: time) }
    }
    // Another program may scan as well.
    if isPaused, ScanSwitch.isReport(kind, record.payload) { switchScan(true, at: time) }
    // What a connection sends during a pause is counted, and moves no clock.
    let receptionTime = isPaused ? dataPath.pipeline.now ?? time : time
    _ = dataPath.pipeline.receive(Packet(kind: kind, body: record.payload), at: receptionTime)
    drain(into: &events)
  }

  /// How long after the end of a capture changes may wait until they are sent, or left out because the device is lost.
  private static let waitMilliseconds: Int64 = 3_600_000

  /// Ends the capture: the counters stay, and what waits is counted. Nothing may be replayed afterwards.
  public mutating func end() {
    let counters = dataPath.pipeline.counters
    endCounters = counters
    let limit = duration.advanced(milliseconds: Self.waitMilliseconds)
    while dataPath.pipeline.advanceToDeadline(notAfter: limit) {}
    let later = dataPath.pipeline.counters
    waitingCount = later.changed + later.changesSkipped - counters.changed - counters.changesSkipped
  }

  var counters: Counters { endCounters ?? dataPath.pipeline.counters }

  /// Lets time pass, and adds the events that were due.
  public mutating func advance(to time: Instant, into events: inout [EventLine]) {
    duration = max(duration, time)
    if isPaused { return }
    while dataPath.pipeline.advanceToDeadline(notAfter: time) { drain(into: &events) }
  }

  private mutating func switchScan(_ isOn: Bool, at time: Instant) {
    if isPaused, isOn { dataPath.pipeline.skipPause(until: time) }
    if !isPaused, !isOn { dataPath.pipeline.advance(to: time) }
    isPaused = !isOn
  }

  /// The controller has refused the command, so that what was so before it goes on.
  private mutating func undoSwitch(_ wasPaused: Bool, at time: Instant) {
    if wasPaused { switchScan(false, at: time) } else { isPaused = false }
  }

  /// Adds the events that happened since the last one that was added.
  @inline(__always)
  private mutating func drain(into events: inout [EventLine]) {
    if Self.hasEvent(in: &dataPath.pipeline, after: cursor) { addEvents(to: &events) }
  }

  /// Whether there is another event. This function and the next are passed the pipeline because a property that is read
  /// through the data path is copied with everything around it.
  @inline(__always)
  private static func hasEvent(in pipeline: inout Pipeline, after cursor: EventCursor) -> Bool {
    pipeline.events.produced != cursor.sequence
  }

  private static func readEvent(
    of pipeline: inout Pipeline, _ cursor: inout EventCursor
  ) -> EventRing.Reading {
    pipeline.events.read(&cursor)
  }

  @inline(never)
  private mutating func addEvents(to events: inout [EventLine]) {
    while true {
      switch Self.readEvent(of: &dataPath.pipeline, &cursor) {
      case .event(let sequence, let sighting, let byteCount):
        let payload = dataPath.path.pipeline.events.payload(of: sequence, byteCount: byteCount)
        events.append(
          EventLine(
            sequence: sequence, sighting: sighting, item: dataPath.items[Int(sighting.item)],
            data: payload))
      case .missed(let count): missedCount += count
      case .end: return
      case .reset: preconditionFailure("the cursor is of this run")
      }
    }
  }
}

/// Which packets of a capture say that the recorder scans.
private enum ScanSwitch {
  /// Whether a command switches scanning on or off; nil for another one. A reset switches it off.
  static func read(_ command: borrowing RawSpan) -> (opcode: Opcode, isOn: Bool)? {
    guard command.byteCount >= 3 else { return nil }
    let opcode = Opcode(rawValue: command.uint16(at: 0))
    switch opcode {
    case .leSetScanEnable, .leSetExtendedScanEnable:
      return command.byteCount > 3 ? (opcode, command.uint8(at: 3) != 0) : nil
    case .reset: return (opcode, false)
    default: return nil
    }
  }

  /// Whether a packet brings advertising reports.
  static func isReport(_ kind: PacketKind, _ packet: borrowing RawSpan) -> Bool {
    kind == .event && packet.byteCount > 2 && packet.uint8(at: 0) == 0x3E
      && [0x02, 0x0B, 0x0D].contains(packet.uint8(at: 2))
  }
}
