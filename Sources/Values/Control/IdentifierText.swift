// SPDX-License-Identifier: Apache-2.0

/// Company identifiers and service UUIDs in their written form.
public enum IdentifierText {
  /// `0x004C` with one to four hexadecimal digits, or `004C` with four.
  public static func companyIdentifier(_ text: String) -> UInt16? {
    let digits = text.dropHexPrefix
    let lengths = digits.utf8.count == text.utf8.count ? 4...4 : 1...4
    guard lengths.contains(digits.utf8.count), let value = Hex.value(digits) else { return nil }
    return UInt16(value)
  }

  /// 4, 8 or 32 hexadecimal digits of any case, with or without `0x`; 32 may be grouped 8-4-4-4-12 by dashes.
  public static func serviceUUID(_ text: String) -> BluetoothUUID? {
    let digits = text.dropHexPrefix
    switch digits.utf8.count {
    case 4, 8: return Hex.value(digits).map { BluetoothUUID(short: UInt32($0)) }
    case 32: return longUUID(digits)
    case 36: return ungrouped(digits).flatMap { longUUID($0) }
    default: return nil
    }
  }

  /// The shortest form: 4 or 8 lower-case digits when the UUID is on the base UUID, else 8-4-4-4-12.
  public static func text(of uuid: BluetoothUUID) -> String {
    guard let short = uuid.short else {
      let digits = Hex.digits(uuid.high, count: 16) + Hex.digits(uuid.low, count: 16)
      return grouped(digits)
    }
    return Hex.digits(UInt64(short), count: short > 0xFFFF ? 8 : 4)
  }

  private static let groupLengths = [8, 4, 4, 4, 12]

  private static func longUUID(_ digits: some StringProtocol) -> BluetoothUUID? {
    guard let high = Hex.value(digits.prefix(16)), let low = Hex.value(digits.suffix(16)) else {
      return nil
    }
    return BluetoothUUID(high: high, low: low)
  }

  private static func ungrouped(_ text: some StringProtocol) -> String? {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == groupLengths ? groups.joined() : nil
  }

  private static func grouped(_ digits: String) -> String {
    var rest = Substring(digits)
    return groupLengths.map { length in
      defer { rest = rest.dropFirst(length) }
      return String(rest.prefix(length))
    }.joined(separator: "-")
  }
}

extension String {
  fileprivate var dropHexPrefix: Substring {
    hasPrefix("0x") || hasPrefix("0X") ? dropFirst(2) : self[...]
  }
}

/// Device addresses in their written form.
public enum AddressText {
  /// Six pairs of hexadecimal digits between colons, most significant first, as 48 bits.
  public static func bits(_ text: String) -> UInt64? {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [2, 2, 2, 2, 2, 2] else { return nil }
    return Hex.value(groups.joined())
  }

  /// One to six pairs of hexadecimal digits between colons, as an address begins.
  public static func prefix(_ text: String) -> AddressPrefix? {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...6).contains(groups.count), groups.allSatisfy({ $0.utf8.count == 2 }),
      let bits = Hex.value(groups.joined())
    else { return nil }
    let missingBits = UInt64(8 * (6 - groups.count))
    return AddressPrefix(of: bits << missingBits, byteCount: UInt8(groups.count))
  }

  /// The written form of a prefix.
  public static func text(of prefix: AddressPrefix) -> String {
    let whole = text(of: prefix.bits << UInt64(8 * (6 - Int(prefix.byteCount))))
    return String(whole.prefix(3 * Int(prefix.byteCount) - 1))
  }

  /// The written form of the low 48 bits.
  public static func text(of bits: UInt64) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(17)
    for shift in stride(from: 44, through: 0, by: -4) {
      if shift % 8 == 4, shift < 44 { text.append(UInt8(ascii: ":")) }
      text.append(Hex.digit(UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 0xF, a: UInt8(ascii: "A")))
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension BluetoothUUID {
  /// 4, 8 or 8-4-4-4-12 lower-case digits: the shortest form, whichever size the advertiser used.
  public var text: String { IdentifierText.text(of: self) }
}

extension DeviceAddress {
  /// `AA:BB:CC:DD:EE:FF`, the most significant byte first; nil for an anonymous advertiser, which has none.
  public var text: String? { type == .anonymous ? nil : AddressText.text(of: bits) }
}
