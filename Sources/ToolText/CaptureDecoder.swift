// SPDX-License-Identifier: GPL-3.0-or-later

public import Explanation
public import HCI
import Interfaces

/// Decodes a capture record by record.
///
/// Times count from the first record and may go backwards with the recorder's clock; they are shown as they are.
///
/// Capacity: ``AddressCount/capacity`` addresses are counted; of more the summary says that there are more.
public struct CaptureDecoder: ~Copyable {
  /// What a record turned out to hold.
  public enum Entry: Equatable, Sendable {
    case report(DecodedReport)
    case other(OtherPacket)
  }

  private var decoder: ReportDecoder
  private var start: Instant?
  private var advertisers = AddressCount()
  private var summary = CaptureSummary()

  /// The arena's memory must outlive the decoder.
  public init(in arena: inout Arena) { decoder = ReportDecoder(in: &arena) }

  /// Passes what the record holds to `body`, reports in their order.
  public mutating func decode(_ record: borrowing BtsnoopRecord, _ body: (Entry) -> Void) {
    let start = self.start ?? record.time
    self.start = start
    summary.recorder.count(record)
    summary.duration = Seconds(from: start, to: record.time)
    if isReports(record, since: start, body) { return }
    summary.otherPacketCount += 1
    body(.other(OtherPacket(record, time: summary.duration)))
  }

  private mutating func isReports(
    _ record: borrowing BtsnoopRecord, since start: Instant, _ body: (Entry) -> Void
  ) -> Bool {
    guard case .packet(.event, _, _) = record.content else { return false }
    do throws(EventError) {
      let event = try Event(parsing: record.payload)
      return decoder.decodeReports(of: event, at: record.time, since: start) { report in
        advertisers.insert(report.header.address)
        body(.report(report))
      }
    } catch {
      return false
    }
  }

  /// What was decoded so far.
  public var total: CaptureSummary {
    var total = summary
    total.reportCount = decoder.reportCount
    total.lostReportCount = decoder.lostCount
    total.advertiserCount = advertisers.count
    total.hasMoreAdvertisers = advertisers.isFull
    return total
  }
}

/// Counts addresses, each once.
///
/// Capacity: ``capacity`` addresses. Of more it only remembers that there were more.
struct AddressCount {
  static let capacity = 16384

  private var addresses: Set<DeviceAddress> = []
  /// Whether there were more than are counted.
  private(set) var isFull = false

  var count: Int { addresses.count }

  mutating func insert(_ address: DeviceAddress) {
    if addresses.count < Self.capacity {
      addresses.insert(address)
    } else if !isFull {
      isFull = !addresses.contains(address)
    }
  }
}
