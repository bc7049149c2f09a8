// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

/// What a capture held.
public struct CaptureSummary: Equatable, Sendable {
  /// From the first record to the last.
  public var duration = Seconds(microseconds: 0)
  public var reportCount = 0
  /// Reports that events announced and that could not be read.
  public var lostReportCount = 0
  /// Addresses with their types; anonymous advertisers count as one.
  public var advertiserCount = 0
  /// Whether there were more than are counted.
  public var hasMoreAdvertisers = false
  /// Records that hold no advertising reports.
  public var otherPacketCount = 0

  public var recorder = RecorderLosses()

  public init() {}

  /// `5000 reports of 32 addresses in 178.125 s; 12 other packets`.
  public var text: String {
    let reports = count(reportCount, "report", "reports")
    let addresses =
      (hasMoreAdvertisers ? "more than " : "") + count(advertiserCount, "address", "addresses")
    let seconds = "\(duration.text(decimals: 3)) s"
    let others = count(otherPacketCount, "other packet", "other packets")
    let lost = lostReportCount == 0 ? "" : "; \(count(lostReportCount, "report", "reports")) unreadable"
    let recorder = recorder.sentence.map { "\($0)\n" } ?? ""
    return "\(reports) of \(addresses) in \(seconds); \(others)\(lost)\n\(recorder)"
  }

  private func count(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}
