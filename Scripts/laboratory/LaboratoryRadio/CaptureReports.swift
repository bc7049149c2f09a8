// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The report events of a capture, with their times since its first record.
public struct CaptureReports: Sendable {
  public struct Record: Equatable, Sendable {
    public let time: Instant
    public let packet: [UInt8]
  }

  public let records: [Record]
  private let start: Instant
  private var index = 0

  /// Plays them from `start` on. A clock that steps back in the capture does not move time back.
  public init(_ bytes: [UInt8], from start: Instant) throws(BtsnoopError) {
    self.start = start
    records = try Self.records(bytes)
  }

  public var nextTime: Instant? { index < records.count ? time(of: records[index]) : nil }

  public mutating func next(at now: Instant) -> [UInt8]? {
    guard let time = nextTime, time <= now else { return nil }
    defer { index += 1 }
    return records[index].packet
  }

  private func time(of record: Record) -> Instant {
    Instant(microseconds: start.microseconds + record.time.microseconds)
  }

  private static func records(_ bytes: [UInt8]) throws(BtsnoopError) -> [Record] {
    var reader = try BtsnoopReader(bytes.span.rawBytes)
    var records: [Record] = []
    var first: Int64?
    var last: Int64 = 0
    while let record = try reader.next() {
      first = first ?? record.time.microseconds
      last = max(last, record.time.microseconds - (first ?? 0))
      guard case .packet(.event, isReceived: true, _) = record.content else { continue }
      var packet = [PacketKind.event.rawValue]
      for offset in 0..<record.payload.byteCount { packet.append(record.payload.uint8(at: offset)) }
      guard StationCounters.reportCount(packet) != nil else { continue }
      records.append(Record(time: Instant(microseconds: last), packet: packet))
    }
    return records
  }
}
