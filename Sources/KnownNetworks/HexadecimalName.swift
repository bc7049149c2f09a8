// SPDX-License-Identifier: GPL-3.0-or-later

/// Names that are written as hexadecimal digits, and the files of iwd, whose names are those of networks.
public enum HexadecimalName {
  private static let suffixes = [".psk", ".open", ".8021x"]

  /// The bytes of pairs of digits in either case; nil for anything else, and for none.
  static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      guard let value = value(digit) else { return nil }
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The network of a file of iwd (iwd.network(5)): the name as it stands, of letters, digits, blanks, `_` and `-`, or `=` and
  /// hexadecimal digits. Another file has none.
  public static func names(ofIWDFile file: String) -> StoredNames {
    guard let suffix = suffixes.first(where: { file.hasSuffix($0) }) else { return StoredNames() }
    let name = Array(file.utf8.dropLast(suffix.utf8.count))
    var names = StoredNames()
    if name.first == UInt8(ascii: "=") {
      names.append(bytes(name.dropFirst()))
    } else {
      names.append(name.allSatisfy(isPlain) ? name : nil)
    }
    return names
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || [0x20, 0x5F, 0x2D].contains(byte)
  }
}
