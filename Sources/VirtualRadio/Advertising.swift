// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// How a device advertises.
public enum Advertising: Equatable, Sendable {
  /// A legacy PDU other than the directed one and the scan response.
  case legacy(AdvertisingPDU)
  /// ADV_DIRECT_IND, which has no data.
  case directed(to: DeviceAddress)
  case extended(AdvertisingSet)
}

/// A set of extended advertising.
public struct AdvertisingSet: Equatable, Sendable {
  /// 0...15
  public var id: UInt8
  /// Connectable, scannable, or neither. A scannable set's payload is its scan response.
  public var properties: ReportHeader.Properties
  public var primaryPHY = PHY.le1M
  public var secondaryPHY = PHY.le1M
  /// dBm, or `ReportHeader.noTxPower`.
  public var txPower = ReportHeader.noTxPower
  /// How many bytes of the data the device puts into one packet.
  public var fragmentByteCount = ReportEncoder.extendedDataBytesMax

  public init(id: UInt8, properties: ReportHeader.Properties = ReportHeader.Properties(rawValue: 0)) {
    self.id = id
    self.properties = properties
  }
}

extension Advertising {
  /// The PHY of its first packet.
  var primaryPHY: PHY {
    switch self {
    case .legacy, .directed: .le1M
    case .extended(let set): set.primaryPHY
    }
  }
}
