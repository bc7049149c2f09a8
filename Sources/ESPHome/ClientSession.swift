// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import VarlinkClient

/// One client's connection: what it has asked for, and what waits for it.
///
/// What changes is not queued: an entity or the scanner is marked, and its state is written when the client has read what
/// came before. Reports are lost and counted when the client does not read them in time. Any other answer that is not read
/// ends the connection.
struct ClientSession {
  /// Reports are lost while this much waits, and states wait with it.
  static let pendingBytesMax = 16 << 10
  /// More than this is never kept.
  private static let unsentBytesMax = 64 << 10
  /// A message of reports has at most as many, and is sent after this long.
  static let batchMax = 16
  static let batchPause = Duration.milliseconds(100)
  /// A client has to say hello, and then anything.
  private static let helloLimit = Duration.seconds(10)
  private static let pingPause = Duration.seconds(60)
  private static let silenceMax = Duration.seconds(150)

  /// The other end, without its port.
  let address: String
  private(set) var frames: FrameCoding
  private(set) var hasGreeted = false
  /// Whether it has the list of entities.
  var hasEntities = false
  var wantsStates = false
  var wantsReports = false
  /// Whether it wants to know how many connections are free.
  var wantsConnections = false
  private(set) var dirtyEntities: Set<Entity> = []
  var isScannerDirty = false
  private var batch: [ReportMessage.Report] = []
  private var batchEnd: Duration?
  private let opened: Duration
  private var lastHeard: Duration
  private var hasAsked = false
  /// Nothing is received any more, and the connection is closed when everything is sent.
  var isEnding: Bool { endStart != nil }
  private var endStart: Duration?

  init(address: String, _ frames: FrameCoding, at now: Duration) {
    (self.address, self.frames, opened, lastHeard) = (address, frames, now, now)
  }

  var deadline: Duration? {
    if let endStart { return endStart + Self.helloLimit }
    let next =
      hasGreeted ? lastHeard + (hasAsked ? Self.silenceMax : Self.pingPause) : opened + Self.helloLimit
    return batchEnd.map { min($0, next) } ?? next
  }

  mutating func receive(_ bytes: [UInt8], at now: Duration) throws(ESPHomeError) -> [APIMessage] {
    if isEnding { return [] }
    (lastHeard, hasAsked) = (now, false)
    return try frames.receive(bytes)
  }

  /// Whether it has read enough to be sent what may wait.
  var isReading: Bool { frames.unsent.count < Self.pendingBytesMax }

  mutating func greet() { hasGreeted = true }

  mutating func end(at now: Duration) { endStart = endStart ?? now }

  mutating func send(_ message: APIMessage) throws(ESPHomeError) {
    frames.send(message)
    guard frames.unsent.count <= Self.unsentBytesMax else { throw .unread }
  }

  mutating func wasSent(_ count: Int) { frames.wasSent(count) }

  // MARK: - What changes

  mutating func mark(_ entity: Entity) { if wantsStates { dirtyEntities.insert(entity) } }

  /// Returns what is marked, if the client has read enough to have it now.
  mutating func takeMarks() -> (entities: [Entity], isScanner: Bool) {
    guard isReading, !isEnding else { return ([], false) }
    defer { (dirtyEntities, isScannerDirty) = ([], false) }
    return (dirtyEntities.sorted { $0.rawValue < $1.rawValue }, isScannerDirty)
  }

  // MARK: - Reports

  /// Adds a report. Returns how many were sent, and how many were lost, because a batch is full.
  mutating func add(_ report: ReportMessage.Report, at now: Duration) -> (sent: Int, lost: Int) {
    guard wantsReports, !isEnding else { return (0, 0) }
    batch.append(report)
    if batchEnd == nil { batchEnd = now + Self.batchPause }
    return batch.count >= Self.batchMax ? flush() : (0, 0)
  }

  private mutating func flush() -> (sent: Int, lost: Int) {
    defer { (batch, batchEnd) = ([], nil) }
    guard isReading else { return (0, batch.count) }
    frames.send(.reports(batch))
    return (batch.count, 0)
  }

  /// Lets time pass. Returns how many reports were sent and lost.
  mutating func advance(to now: Duration) throws(ESPHomeError) -> (sent: Int, lost: Int) {
    if let endStart {
      guard now < endStart + Self.helloLimit else { throw .unread }
      return (0, 0)
    }
    guard hasGreeted else {
      guard now < opened + Self.helloLimit else { throw .silent }
      return (0, 0)
    }
    if now >= lastHeard + Self.silenceMax { throw .silent }
    if now >= lastHeard + Self.pingPause, !hasAsked {
      hasAsked = true
      try send(.ping)
    }
    guard let batchEnd, batchEnd <= now else { return (0, 0) }
    return flush()
  }
}
