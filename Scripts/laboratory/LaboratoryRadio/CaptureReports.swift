// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The report events of a capture, with their times from its first record on.
public struct CaptureReports: Sendable {
  public struct Record: Equatable, Sendable {
    public let time: Instant
    public let packet: [UInt8]
  }

  public let records: [Record]
  private let start: Instant
  private var place = 0

  /// They are played from `start` on. Clocks that step back are not followed.
  public init(_ bytes: [UInt8], from start: Instant) throws(BtsnoopError) {
    self.start = start
    records = try Self.records(bytes)
  }

  public var nextTime: Instant? { place < records.count ? time(of: records[place]) : nil }

  public mutating func next(at now: Instant) -> [UInt8]? {
    guard let time = nextTime, time <= now else { return nil }
    defer { place += 1 }
    return records[place].packet
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
      guard Written.reportCount(packet) != nil else { continue }
      records.append(Record(time: Instant(microseconds: last), packet: packet))
    }
    return records
  }
}
