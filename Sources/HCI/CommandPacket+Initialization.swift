// SPDX-License-Identifier: GPL-3.0-or-later

/// The commands that bring a controller up and make it scan (Core Specification 5.4, Volume 4, Part E, 7.3 to 7.8).
extension CommandPacket {
  public static var reset: Self { Self(.reset) }
  public static var readLocalVersion: Self { Self(.readLocalVersion) }
  public static var readSupportedCommands: Self { Self(.readSupportedCommands) }
  public static var readAddress: Self { Self(.readAddress) }
  public static var leReadLocalFeatures: Self { Self(.leReadLocalFeatures) }

  public static func setEventMask(_ mask: EventMask) -> Self {
    Self(.setEventMask).with(mask.rawValue, byteCount: 8)
  }

  public static func leSetEventMask(_ mask: LEEventMask) -> Self {
    Self(.leSetEventMask).with(mask.rawValue, byteCount: 8)
  }

  /// The low 48 bits; the byte written first in text is the most significant one.
  public static func leSetRandomAddress(_ bits: UInt64) -> Self {
    Self(.leSetRandomAddress).with(bits, byteCount: 6)
  }

  /// 7.8.10: LE_Scan_Type, LE_Scan_Interval, LE_Scan_Window, Own_Address_Type, Scanning_Filter_Policy.
  public static func leSetScanParameters(
    _ scan: ScanParameters, ownAddress: OwnAddressType = .public, filter: ScanFilterPolicy = .all
  ) -> Self {
    Self(.leSetScanParameters).with(scan)
      .with(UInt64(ownAddress.rawValue), byteCount: 1).with(UInt64(filter.rawValue), byteCount: 1)
  }

  /// 7.8.11: LE_Scan_Enable, Filter_Duplicates.
  public static func leSetScanEnable(_ isEnabled: Bool, filtersDuplicates: Bool = false) -> Self {
    Self(.leSetScanEnable).with(isEnabled ? 1 : 0, byteCount: 1)
      .with(filtersDuplicates ? 1 : 0, byteCount: 1)
  }

  /// 7.8.64: Own_Address_Type, Scanning_Filter_Policy, Scanning_PHYs, and three parameters for each PHY, 1M first.
  /// At least one PHY is scanned.
  public static func leSetExtendedScanParameters(
    le1M: ScanParameters?, coded: ScanParameters?, ownAddress: OwnAddressType = .public,
    filter: ScanFilterPolicy = .all
  ) -> Self {
    precondition(le1M != nil || coded != nil, "a scan has a PHY")
    let phys: UInt64 = (le1M == nil ? 0 : 1) | (coded == nil ? 0 : 4)
    var packet = Self(.leSetExtendedScanParameters).with(UInt64(ownAddress.rawValue), byteCount: 1)
      .with(UInt64(filter.rawValue), byteCount: 1).with(phys, byteCount: 1)
    if let le1M { packet = packet.with(le1M) }
    if let coded { packet = packet.with(coded) }
    return packet
  }

  /// 7.8.65: Enable, Filter_Duplicates, Duration in 10 ms, Period in 1.28 s; 0 scans until it is disabled.
  public static func leSetExtendedScanEnable(
    _ isEnabled: Bool, duplicates: DuplicateFilter = .off, duration: UInt16 = 0, period: UInt16 = 0
  ) -> Self {
    Self(.leSetExtendedScanEnable).with(isEnabled ? 1 : 0, byteCount: 1)
      .with(UInt64(duplicates.rawValue), byteCount: 1).with(UInt64(duration), byteCount: 2)
      .with(UInt64(period), byteCount: 2)
  }

  private func with(_ value: UInt64, byteCount count: Int) -> Self {
    var packet = self
    packet.append(value, byteCount: count)
    return packet
  }

  private func with(_ scan: ScanParameters) -> Self {
    with(UInt64(scan.kind.rawValue), byteCount: 1).with(UInt64(scan.interval), byteCount: 2)
      .with(UInt64(scan.window), byteCount: 2)
  }
}
