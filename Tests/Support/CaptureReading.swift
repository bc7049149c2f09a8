// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A btsnoop record with a copy of its packet.
public struct ReadRecord: Equatable {
  public let offset: Int
  public let time: Instant
  public let originalByteCount: Int
  public let flags: UInt32
  public let cumulativeDrops: UInt32
  public let content: BtsnoopRecord.Content
  public let payload: [UInt8]

  public init(
    offset: Int, time: Instant, originalByteCount: Int, flags: UInt32, cumulativeDrops: UInt32,
    content: BtsnoopRecord.Content, payload: [UInt8]
  ) {
    self.offset = offset
    self.time = time
    self.originalByteCount = originalByteCount
    self.flags = flags
    self.cumulativeDrops = cumulativeDrops
    self.content = content
    self.payload = payload
  }

  /// The packet with its H4 indicator, when the record holds a packet.
  public var packet: [UInt8]? {
    guard case .packet(let kind, _, _) = content else { return nil }
    return [kind.rawValue] + payload
  }
}

/// Everything that a btsnoop file was read as.
public struct CaptureReading: Equatable {
  public var datalink: BtsnoopDatalink?
  public var records: [ReadRecord] = []
  /// Why reading ended before the file did.
  public var error: BtsnoopError?
  /// How often the record reader was asked.
  public var steps = 0

  public init(_ file: [UInt8]) { self.init(borrowing: file.rawSpan) }

  public init(borrowing file: RawSpan) {
    do throws(BtsnoopError) {
      var reader = try BtsnoopReader(file)
      datalink = reader.datalink
      steps += 1
      while let record = try reader.next() {
        steps += 1
        records.append(
          ReadRecord(
            offset: record.offset, time: record.time, originalByteCount: record.originalByteCount,
            flags: record.flags, cumulativeDrops: record.cumulativeDrops, content: record.content,
            payload: record.payload.bytes))
      }
    } catch {
      self.error = error
    }
  }
}
