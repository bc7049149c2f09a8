// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI

/// A recording that is played at its recorded pace, or as fast as it can be read.
///
/// Time starts with the first record. A record whose time is before the previous one's takes the previous one's time,
/// and is counted. Played fast, the radio's clock runs ahead of the loop's by the records' times. One turn of the loop
/// reads only the records of the interval in which a live radio is drained, so that deadlines between two records are
/// no later than with a live radio.
final class RecordingSource: RadioSource {
  /// The part of a recording that one turn reads when it is played fast.
  private static let strideMicroseconds: Int64 = 20_000

  private let bytes: [UInt8]
  private let pace: RecordingPace
  private let origin: Instant
  private var offset = 0
  private var firstTime: Instant?
  /// The latest record's time since the first.
  private var elapsed: Int64 = 0
  private var recordCount = 0
  private(set) var backwardCount = 0
  private var dueTime: Instant?
  private var finalLead: Int64?
  /// The buffer in which a record's payload follows its H4 indicator.
  private var packet: [UInt8]?

  init(_ bytes: [UInt8], _ pace: RecordingPace, at now: Instant) {
    (self.bytes, self.pace, origin, dueTime) = (bytes, pace, now, now)
  }

  var kind: RadioKind { .recording }
  var nextTime: Instant? { dueTime }

  func send(_ command: CommandPacket, at now: Instant) -> RadioSourceError? { nil }

  func lead(at now: Instant) -> Int64 {
    switch pace {
    case .recorded: 0
    case .flatOut: finalLead ?? origin.microseconds + elapsed - now.microseconds
    }
  }

  func drain(at now: Instant, _ receive: (RawSpan, Instant) -> Void) -> RadioDrain {
    guard dueTime != nil else { return .nothing }
    do throws(BtsnoopError) { return try play(at: now, receive) } catch {
      return end(.recordingBroken(error), at: now)
    }
  }

  private func play(
    at now: Instant, _ receive: (RawSpan, Instant) -> Void
  ) throws(BtsnoopError) -> RadioDrain {
    let bytes = self.bytes
    var reader = try BtsnoopReader(bytes.span.rawBytes, at: offset)
    var limit =
      pace == .recorded ? now.microseconds - origin.microseconds : elapsed + Self.strideMicroseconds
    for count in 0..<RadioDrain.packetCountMax {
      guard let record = try reader.next() else {
        return end(.recordingEnded(recordCount: recordCount), at: now)
      }
      let time = time(of: record)
      guard time <= limit || (pace == .flatOut && count == 0) else {
        guard pace == .recorded else { return .more }
        dueTime = Instant(microseconds: origin.microseconds + time)
        return count > 0 ? .some : .nothing
      }
      // A gap in the recording takes one turn.
      if pace == .flatOut, count == 0 { limit = max(limit, time + Self.strideMicroseconds) }
      if time < elapsed { backwardCount += 1 }
      elapsed = max(elapsed, time)
      offset = reader.offset
      recordCount += 1
      deliver(record, receive)
    }
    return .more
  }

  private func time(of record: borrowing BtsnoopRecord) -> Int64 {
    let start = firstTime ?? record.time
    firstTime = start
    // A capture may contain any time; times are limited to a century.
    return min(
      record.time.microseconds.subtractingReportingOverflow(start.microseconds).partialValue, 1 << 52)
  }

  private func deliver(_ record: borrowing BtsnoopRecord, _ receive: (RawSpan, Instant) -> Void) {
    guard case .packet(let kind, isReceived: true, _) = record.content else { return }
    var packet = self.packet.take() ?? []
    packet.removeAll(keepingCapacity: true)
    packet.append(kind.rawValue)
    for index in 0..<record.payload.byteCount { packet.append(record.payload.uint8(at: index)) }
    receive(packet.span.rawBytes, Instant(microseconds: origin.microseconds + elapsed))
    self.packet = packet
  }

  private func end(_ reason: RadioSourceError, at now: Instant) -> RadioDrain {
    finalLead = lead(at: now)
    dueTime = nil
    return .ended(reason)
  }
}

/// How fast a recording is played.
enum RecordingPace: Equatable, Sendable {
  case recorded, flatOut
}
