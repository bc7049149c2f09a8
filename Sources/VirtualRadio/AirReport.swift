// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// One advertising report to be encoded: what a controller reports about one packet it received.
public struct AirReport: Equatable, Sendable {
  public var header: ReportHeader
  public var data: [UInt8]

  public init(header: ReportHeader, data: [UInt8]) {
    self.header = header
    self.data = data
  }

  /// A legacy PDU, for any of the three formats.
  public init(
    _ pdu: AdvertisingPDU, from address: DeviceAddress, rssi: Int8 = ReportHeader.noRSSI,
    _ payload: AdvertisingPayload = AdvertisingPayload()
  ) {
    var header = ReportHeader(address: address, pdu: pdu, properties: pdu.properties)
    header.rssi = rssi
    self.init(header: header, data: payload.bytes)
  }

  /// A directed PDU, which has no data.
  public init(
    directedTo target: DeviceAddress, from address: DeviceAddress, rssi: Int8 = ReportHeader.noRSSI
  ) {
    self.init(.directed, from: address, rssi: rssi)
    header.directAddress = target
  }

  /// Extended advertising; an anonymous advertiser's address is ``DeviceAddress/anonymous``.
  public init(
    extendedFrom address: DeviceAddress, set: UInt8, properties: ReportHeader.Properties,
    primary: PHY = .le1M, secondary: PHY? = .le1M, txPower: Int8 = ReportHeader.noTxPower,
    rssi: Int8 = ReportHeader.noRSSI, _ payload: AdvertisingPayload
  ) {
    header = ReportHeader(
      address: address, pdu: .extended, properties: properties.union(.extendedEvent))
    header.advertisingSID = set
    header.primaryPHY = primary
    header.secondaryPHY = secondary
    header.txPower = txPower
    header.rssi = rssi
    data = payload.bytes
  }

  /// The same packet, as a controller with extended scanning reports it.
  public var asExtended: Self {
    var report = self
    guard !header.properties.contains(.extendedEvent) else { return report }
    report.header.properties.insert(.legacyPDU)
    report.header.properties.insert(.extendedEvent)
    return report
  }

  /// The chain of reports in which a controller delivers long data: all but the last are incomplete, the last keeps
  /// this report's own status.
  public func fragments(of byteCount: Int = ReportEncoder.extendedDataBytesMax) -> [Self] {
    precondition(byteCount > 0, "a fragment has at least one byte")
    guard data.count > byteCount else { return [self] }
    return stride(from: 0, to: data.count, by: byteCount).map { start in
      let end = min(start + byteCount, data.count)
      var fragment = AirReport(header: header, data: Array(data[start..<end]))
      if end < data.count { fragment.header.dataStatus = .incomplete }
      return fragment
    }
  }
}

extension AdvertisingPDU {
  /// The properties that the PDU's name states (Volume 6, Part B, 2.3.1 and 2.3.2).
  var properties: ReportHeader.Properties {
    switch self {
    case .connectable: .connectable.union(.scannable)
    case .directed: .connectable.union(.directed)
    case .scannable: .scannable
    case .nonConnectable, .extended: ReportHeader.Properties(rawValue: 0)
    case .scanResponse: .scannable.union(.scanResponse)
    }
  }
}

extension DeviceAddress {
  /// The address in a report of an advertiser without one.
  public static var anonymous: Self { Self(bits: 0, type: .anonymous) }
}
