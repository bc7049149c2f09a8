// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import ManifestFormat
import VirtualRadio

/// The kinds of advertising PDU (Core Specification 5.4, Volume 6, Part B, 2.3).
private enum AdvertisingKind: String, CaseIterable {
  case connectable, scannable
  case nonConnectable = "non-connectable"
  case directed, extended
  case extendedConnectable = "extended-connectable"
  case extendedScannable = "extended-scannable"
}

extension Advertising {
  init?(_ table: TableReader<DeviceKey>) {
    var kind = AdvertisingKind.connectable
    table.read(.pdu, into: &kind)
    if kind != .directed { table.refuse([.target, .targetType], onlyFor: "pdu = \"directed\"") }
    let isExtended = kind.rawValue.hasPrefix("extended")
    if !isExtended {
      table.refuse([.set, .primaryPHY, .secondaryPHY, .txPower, .fragment], onlyFor: "extended advertising")
    }
    switch kind {
    case .connectable: self = .legacy(.connectable)
    case .scannable: self = .legacy(.scannable)
    case .nonConnectable: self = .legacy(.nonConnectable)
    case .directed:
      table.require(.target)
      guard let bits = table.address(.target) else { return nil }
      let type = table.word(.targetType, [("public", AddressType.public), ("random", .random)])
      self = .directed(to: DeviceAddress(bits: bits, type: type ?? .public))
    case .extended: self = .extended(AdvertisingSet(table, ReportHeader.Properties(rawValue: 0)))
    case .extendedConnectable: self = .extended(AdvertisingSet(table, .connectable))
    case .extendedScannable: self = .extended(AdvertisingSet(table, .scannable))
    }
  }
}

extension AdvertisingSet {
  fileprivate init(_ table: TableReader<DeviceKey>, _ properties: ReportHeader.Properties) {
    self.init(id: table.integer(.set, in: 0...15) ?? 0, properties: properties)
    primaryPHY = table.word(.primaryPHY, [("1M", .le1M), ("coded", .coded)]) ?? .le1M
    let known: [(String, PHY)] = [("1M", .le1M), ("2M", .le2M), ("coded", .coded)]
    secondaryPHY = table.word(.secondaryPHY, known) ?? primaryPHY
    if primaryPHY == .coded && secondaryPHY == .le2M { table.report(.codedWith2M, at: .secondaryPHY) }
    txPower = table.integer(.txPower, in: -127...20) ?? txPower
    fragmentByteCount =
      table.integer(.fragment, in: 1...ReportEncoder.extendedDataBytesMax) ?? fragmentByteCount
  }
}
