// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
public import HCI
import Interfaces

/// Turns events into decoded reports, joining the fragments of extended advertising.
///
/// Capacity: the assembler's chains. A report that cannot be read is counted, never the event.
public struct ReportDecoder: ~Copyable {
  /// Chains of extended advertising followed at once; 64 is more than any controller keeps apart.
  public static let reassemblies = 64

  private var assembler: ReportAssembler
  /// Reports that were read.
  public private(set) var reportCount = 0
  /// Reports that could not be read, and events that ended before their reports.
  public private(set) var lostCount = 0

  /// The arena's memory must outlive the decoder.
  public init(in arena: inout Arena) {
    assembler = ReportAssembler(capacity: Self.reassemblies, in: &arena)
  }

  /// Passes each report of the event to `body`. Returns whether the event is one that carries reports.
  public mutating func decodeReports(
    of event: borrowing Event, at now: Instant, since start: Instant, _ body: (DecodedReport) -> Void
  ) -> Bool {
    guard var reports = AdvertisingReports(event) else { return false }
    while true {
      let announced = reports.remaining
      do throws(ReportError) {
        guard let report = try reports.next() else { return true }
        reportCount += 1
        body(decode(report, at: now, time: Seconds(from: start, to: now)))
      } catch {
        lostCount += announced - reports.remaining
      }
    }
  }

  private mutating func decode(
    _ report: borrowing AdvertisingReport, at now: Instant, time: Seconds
  ) -> DecodedReport {
    let data = report.data.copied
    switch assembler.add(report, at: now) {
    case .whole:
      return DecodedReport(
        time: time, header: report.header, data: data, fields: AdvertisementFields(report.data))
    case .pending, .lost:
      return DecodedReport(time: time, header: report.header, data: data, fields: nil)
    case .assembled(let slot, let byteCount):
      let payload = assembler.payload(slot: slot, byteCount: byteCount)
      return DecodedReport(
        time: time, header: report.header, data: data, assembled: payload.copied,
        fields: AdvertisementFields(payload))
    }
  }
}
