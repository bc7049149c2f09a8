// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

extension AirText {
  /// Reads text as ``escaped(columnsMax:)`` writes it: `\u{1B}` is a scalar, `\xFF` a byte, and a backslash stands before
  /// a quote or a backslash. Any other backslash is one.
  public init(escaped text: String) {
    var bytes: [UInt8] = []
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let (read, count) = Self.readEscape(rest) else {
        bytes += Array(String(scalar).utf8)
        continue
      }
      bytes += read
      rest = rest.dropFirst(count)
    }
    self.init(bytes)
  }

  /// What stands behind a backslash, and how many scalars it takes; nil when it is no escape.
  private static func readEscape(_ text: ArraySlice<Unicode.Scalar>) -> (bytes: [UInt8], count: Int)? {
    func digits(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      var digits = String.UnicodeScalarView()
      digits.append(contentsOf: scalars)
      return String(digits)
    }
    switch text.first {
    case "\"": return ([UInt8(ascii: "\"")], 1)
    case "\\": return ([UInt8(ascii: "\\")], 1)
    case "x":
      guard let hex = Hex(digits: digits(text.dropFirst().prefix(2))), hex.bytes.count == 1 else {
        return nil
      }
      return (hex.bytes, 3)
    case "u":
      guard text.dropFirst().first == "{", let end = text.firstIndex(of: "}"),
        let value = UInt32(digits(text[..<end].dropFirst(2)), radix: 16),
        let scalar = Unicode.Scalar(value)
      else { return nil }
      return (Array(String(scalar).utf8), end - text.startIndex + 1)
    default: return nil
    }
  }
}
