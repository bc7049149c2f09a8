// SPDX-License-Identifier: Apache-2.0

/// Bytes shown as lower-case hexadecimal digits without separators.
public struct Hex: Equatable, Sendable {
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The bytes of an even number of digits in either case; nil for anything else.
  public init?(digits: some StringProtocol) {
    guard digits.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.utf8.count / 2)
    var high: UInt8?
    for digit in digits.utf8 {
      guard let value = Self.value(ofDigit: digit) else { return nil }
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    self.bytes = bytes
  }

  public var text: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      digits.append(Self.digit(byte >> 4))
      digits.append(Self.digit(byte & 0xF))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the number that 1 to 16 digits denote, most significant first; nil for anything else.
  public static func value(_ digits: some StringProtocol) -> UInt64? {
    guard (1...16).contains(digits.utf8.count) else { return nil }
    var value: UInt64 = 0
    for digit in digits.utf8 {
      guard let digit = Self.value(ofDigit: digit) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// A company identifier as the Bluetooth SIG writes it: `0x004C`.
  public static func company(_ identifier: UInt16) -> String {
    "0x" + digits(UInt64(identifier), count: 4).uppercased()
  }

  /// The low `count` digits of a number.
  public static func digits(_ value: UInt64, count: Int) -> String {
    let digits = (0..<count).reversed().map {
      digit(UInt8(truncatingIfNeeded: value >> UInt64(4 * $0)) & 0xF)
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// The value of a digit in either case; nil for any other character.
  public static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The digit of a value below 16, with the letters that begin at `a`.
  public static func digit(_ value: UInt8, a: UInt8 = UInt8(ascii: "a")) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : a + value - 10
  }
}
