// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The scan commands with their parameters, whose byte counts the caller has checked.
extension LinkLayer {
  /// 7.8.10
  mutating func setScanParameters(_ bytes: [UInt8]) -> ErrorCode {
    guard allows(.legacy) else { return .commandDisallowed }
    guard let parameters = Self.parameters(bytes[0...4]),
      ScanParameters.legacyRange.contains(parameters.interval),
      ScanParameters.legacyRange.contains(parameters.window), let own = OwnAddressType(rawValue: bytes[5]),
      let filter = ScanFilterPolicy(rawValue: bytes[6])
    else { return .invalidParameters }
    return setScan(Scan(le1M: parameters, coded: nil, ownAddress: own, filter: filter))
  }

  /// 7.8.11
  mutating func setScanEnable(_ bytes: [UInt8]) -> ErrorCode {
    guard allows(.legacy) else { return .commandDisallowed }
    guard bytes[0] <= 1, bytes[1] <= 1 else { return .invalidParameters }
    guard bytes[0] == 1 else { return disableScan() }
    return enableScan(Enabled(duplicates: bytes[1] == 1 ? .on : .off))
  }

  /// 7.8.64; refuses PHYs that the controller does not have.
  mutating func setExtendedScanParameters(_ bytes: [UInt8], hasCodedPHY: Bool) -> ErrorCode {
    guard allows(.extended) else { return .commandDisallowed }
    guard let own = OwnAddressType(rawValue: bytes[0]), let filter = ScanFilterPolicy(rawValue: bytes[1])
    else { return .invalidParameters }
    let phys = bytes[2]
    guard phys != 0, phys & ~(hasCodedPHY ? 0b101 : 0b001) == 0 else { return .unsupportedParameter }
    guard bytes.count == 3 + 5 * phys.nonzeroBitCount else { return .invalidParameters }
    let scans = stride(from: 3, to: bytes.count, by: 5)
      .compactMap { Self.parameters(bytes[$0..<($0 + 5)]) }
    guard scans.count == phys.nonzeroBitCount, scans.allSatisfy({ $0.window >= 4 }) else {
      return .invalidParameters
    }
    return setScan(
      Scan(
        le1M: phys & 1 != 0 ? scans[0] : nil, coded: phys & 4 != 0 ? scans[scans.count - 1] : nil,
        ownAddress: own, filter: filter))
  }

  /// 7.8.65
  mutating func setExtendedScanEnable(_ bytes: [UInt8]) -> ErrorCode {
    guard allows(.extended) else { return .commandDisallowed }
    guard bytes[0] <= 1, let duplicates = DuplicateFilter(rawValue: bytes[1]) else {
      return .invalidParameters
    }
    guard bytes[0] == 1 else { return disableScan() }
    let duration = bytes.little(2, 2) * 10_000
    let period = bytes.little(4, 2) * 1_280_000
    guard period == 0 || (duration > 0 && duration < period), duplicates != .resetEachPeriod || period > 0
    else { return .invalidParameters }
    return enableScan(
      Enabled(
        duplicates: duplicates, duration: duration > 0 ? Int64(duration) : nil,
        period: period > 0 ? Int64(period) : nil))
  }

  /// 7.8.16: adding an address twice changes nothing.
  mutating func addToAcceptList(_ address: DeviceAddress) -> ErrorCode {
    guard enabled == nil || scan.filter == .all || scan.filter == .allAndUnresolved else {
      return .commandDisallowed
    }
    guard !acceptList.contains(address) else { return .success }
    guard acceptList.count < Self.acceptListCapacity else { return .memoryExceeded }
    acceptList.append(address)
    return .success
  }

  /// Scan_Type, Scan_Interval, Scan_Window.
  private static func parameters(_ bytes: ArraySlice<UInt8>) -> ScanParameters? {
    let bytes = Array(bytes)
    let (interval, window) = (UInt16(bytes.little(1, 2)), UInt16(bytes.little(3, 2)))
    guard let kind = ScanParameters.Kind(rawValue: bytes[0]), window <= interval else { return nil }
    return ScanParameters(kind, interval: interval, window: window)
  }
}

extension [UInt8] {
  /// `count` bytes from `offset` on, least significant first.
  func little(_ offset: Int, _ count: Int) -> UInt64 {
    self[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Address type and address, as in the accept list; nil for a reserved type.
  var typedAddress: DeviceAddress? {
    guard self[0] <= 1 else { return nil }
    return DeviceAddress(bits: little(1, 6), type: self[0] == 0 ? .public : .random)
  }
}
