// SPDX-License-Identifier: GPL-3.0-or-later

public import DeviceLines
public import HCI
public import Interfaces

/// One advertising report as `decode` shows it.
public struct DecodedReport: Equatable, Sendable {
  /// Since the capture's first record.
  public let time: Seconds
  public let header: ReportHeader
  /// The data of this report alone.
  public let data: [UInt8]
  /// The data of the whole chain, on the last report of a chain that had several.
  public let assembled: [UInt8]?
  /// What the whole data says. Nil while fragments of a chain are still to come, and at the end of a chain that
  /// outgrew what an advertising set can have.
  public let fields: AdvertisementFields?

  public init(
    time: Seconds, header: ReportHeader, data: [UInt8], assembled: [UInt8]? = nil,
    fields: AdvertisementFields?
  ) {
    self.time = time
    self.header = header
    self.data = data
    self.assembled = assembled
    self.fields = fields
  }
}

extension ReportHeader {
  /// dBm; nil when the report has no reading.
  public var reading: Int8? { hasReading ? rssi : nil }

  /// dBm, of an extended report that gives it.
  public var transmitPower: Int8? { txPower == Self.noTxPower ? nil : txPower }

  /// 0 to 15, of an extended report that gives it.
  public var validAdvertisingSID: UInt8? { advertisingSID == Self.noAdvertisingSID ? nil : advertisingSID }
}
