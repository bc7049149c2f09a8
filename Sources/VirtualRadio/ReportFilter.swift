// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Selects the reports that a controller sends to the host.
public struct ReportFilter: Sendable {
  /// Directed advertising that is reported (Core Specification 5.4, Volume 4, Part E, 7.8.10).
  public enum Directed: Equatable, Sendable {
    case all
    /// Only advertising to one of these addresses and, with `unresolved`, to any resolvable private address.
    case meant(for: [DeviceAddress], unresolved: Bool)
  }

  public var directed = Directed.all
  /// The only advertisers to report; nil reports all.
  public var acceptList: [DeviceAddress]?
  /// The events that the host wants to see (7.8.1).
  public var formats: Set<ReportFormat> = [.legacy, .directed, .extended]
  /// Drops duplicates; nil reports them.
  public var duplicates: DuplicateCache?

  public init() {}

  /// Returns those reports of one advertising event that the host receives.
  mutating func reportsToSend(_ heard: [TimedReport]) -> [TimedReport] {
    let wanted = heard.filter { accepts($0.report.header) && formats.contains($0.format) }
    return duplicates?.fresh(wanted) ?? wanted
  }

  private func accepts(_ header: ReportHeader) -> Bool {
    if let acceptList, !acceptList.contains(header.address) { return false }
    guard case .meant(let own, let unresolved) = directed, let target = header.directAddress else {
      return true
    }
    return own.contains(target) || (unresolved && target.lifetime == .resolvablePrivate)
  }
}

/// The reports that a controller remembers: by address and kind of packet, in extended advertising also by set
/// and data (an advertiser gives new data a new identifier, Volume 6, Part B, 4.3.8). New data of a legacy advertiser
/// is a duplicate, as on many real controllers.
///
/// It has 128 entries. When it is full, it forgets the oldest, whose next report is then sent again.
public struct DuplicateCache: Sendable {
  private struct Key: Equatable {
    var address: DeviceAddress
    var pdu: AdvertisingPDU
    var isScanResponse: Bool
    var set: UInt8
    var data: [UInt8]
  }

  static let capacity = 128
  private var seen: [Key] = []

  public init() {}

  mutating func removeAll() { seen.removeAll() }

  /// Returns the reports that are no duplicates. The fragments of a chain are reported or dropped together.
  mutating func fresh(_ heard: [TimedReport]) -> [TimedReport] {
    let isFresh = [false, true].map { isScanResponse in
      insert(heard.filter { $0.isScanResponse == isScanResponse })
    }
    return heard.filter { isFresh[$0.isScanResponse ? 1 : 0] }
  }

  private mutating func insert(_ chain: [TimedReport]) -> Bool {
    guard let header = chain.first?.report.header else { return false }
    let data = header.pdu == .extended ? chain.flatMap(\.report.data) : []
    let key = Key(
      address: header.address, pdu: header.pdu, isScanResponse: chain[0].isScanResponse,
      set: header.advertisingSID,
      data: data)
    guard !seen.contains(key) else { return false }
    if seen.count == Self.capacity { seen.removeFirst() }
    seen.append(key)
    return true
  }
}

extension TimedReport {
  fileprivate var isScanResponse: Bool { report.header.properties.contains(.scanResponse) }
}
