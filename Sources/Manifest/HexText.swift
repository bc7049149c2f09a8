// SPDX-License-Identifier: GPL-3.0-or-later

/// Conversion between hexadecimal digits and values.
public enum HexText {
  /// Returns the bytes of an even number of digits of any case; nil for anything else.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map(digit)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns the number that 1 to 16 digits denote, most significant first; nil for anything else.
  public static func value(_ text: some StringProtocol) -> UInt64? {
    guard (1...16).contains(text.utf8.count) else { return nil }
    var value: UInt64 = 0
    for byte in text.utf8 {
      guard let digit = digit(byte) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// The low `count` digits of a number, lower case.
  public static func digits(_ value: UInt64, count: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }

  /// A company identifier as the Bluetooth SIG writes it: `0x004C`.
  public static func company(_ identifier: UInt16) -> String {
    "0x" + digits(UInt64(identifier), count: 4).uppercased()
  }

  /// The value of a digit of any case; nil for anything else.
  public static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
