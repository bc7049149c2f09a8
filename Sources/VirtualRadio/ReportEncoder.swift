// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Encodes the H4 event packets in which a controller reports advertising (Core Specification 5.4, Volume 4, Part E,
/// 7.7.65).
public enum ReportEncoder {
  /// The most data that one extended report carries; longer data is a chain of reports (7.7.65.13).
  public static var extendedDataBytesMax: Int { 229 }

  /// One event with the reports in order. Together they must fit one event; see ``eventByteCount(_:_:)``.
  public static func event(_ format: ReportFormat, _ reports: AirReport...) -> [UInt8] {
    event(format, reports)
  }

  public static func event(_ format: ReportFormat, _ reports: [AirReport]) -> [UInt8] {
    precondition(reports.count <= 255, "the number of reports is one byte")
    let parameters = reports.flatMap { report(format, $0) }
    return PacketEncoder.leMetaEvent(format.rawValue, [UInt8(reports.count)] + parameters)
  }

  /// One extended report event for each fragment of a report.
  public static func chain(
    _ report: AirReport, fragmentByteCount: Int = extendedDataBytesMax
  ) -> [[UInt8]] {
    report.fragments(of: fragmentByteCount).map { event(.extended, $0) }
  }

  /// How many bytes of parameters an event with these reports has; an event holds 255.
  public static func eventByteCount(_ format: ReportFormat, _ reports: [AirReport]) -> Int {
    reports.reduce(2) { $0 + fixedByteCount(format) + (format == .directed ? 0 : $1.data.count) }
  }

  /// How many bytes a report has besides its data.
  private static func fixedByteCount(_ format: ReportFormat) -> Int {
    switch format {
    case .legacy: 10
    case .directed: 16
    case .extended: 24
    }
  }

  private static func report(_ format: ReportFormat, _ report: AirReport) -> [UInt8] {
    switch format {
    case .legacy: legacy(report)
    case .directed: directed(report)
    case .extended: extended(report)
    }
  }

  /// 7.7.65.2
  private static func legacy(_ report: AirReport) -> [UInt8] {
    let header = report.header
    precondition(header.pdu != .extended, "a legacy report has a legacy PDU")
    return [header.pdu.rawValue, header.address.type.rawValue] + header.address.bytes
      + [UInt8(report.data.count)] + report.data + header.rssi.bytes
  }

  /// 7.7.65.11
  private static func directed(_ report: AirReport) -> [UInt8] {
    let header = report.header
    guard let target = header.directAddress else { preconditionFailure("a directed report has a target") }
    return [AdvertisingPDU.directed.rawValue, header.address.type.rawValue] + header.address.bytes
      + [targetType(header, target)] + target.bytes + header.rssi.bytes
  }

  /// 7.7.65.13
  private static func extended(_ report: AirReport) -> [UInt8] {
    let header = report.header
    let eventType = UInt16(header.properties.rawValue & 0x1F) | UInt16(header.dataStatus.rawValue) << 5
    let target = header.directAddress ?? DeviceAddress(bits: 0, type: .public)
    return eventType.bytes + [header.address.type.rawValue] + header.address.bytes
      + [header.primaryPHY.rawValue, header.secondaryPHY?.rawValue ?? 0, header.advertisingSID]
      + header.txPower.bytes + header.rssi.bytes + header.periodicInterval.bytes
      + [targetType(header, target)] + target.bytes + [UInt8(report.data.count)] + report.data
  }

  private static func targetType(_ header: ReportHeader, _ target: DeviceAddress) -> UInt8 {
    header.properties.contains(.unresolvedTarget) ? 0xFE : target.type.rawValue
  }
}
