// SPDX-License-Identifier: GPL-3.0-or-later

/// Bytes written as pairs of hex digits; blanks, newlines and everything from `//` to the end of a line are
/// skipped, so that each segment can say what it is.
public func hex(_ text: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var high: UInt8?
  for line in text.split(separator: "\n") {
    for character in line.utf8.prefix(commentStart(line.utf8)) where !isBlank(character) {
      let digit = hexDigit(character)
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
  }
  precondition(high == nil, "half a byte in \(text)")
  return bytes
}

/// Bytes as lower-case hex, without blanks.
public func hexText(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef")
  var text = ""
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return text
}

private func commentStart(_ line: Substring.UTF8View) -> Int {
  let bytes = Array(line)
  let slash = UInt8(ascii: "/")
  return bytes.indices.first { bytes[$0] == slash && $0 + 1 < bytes.count && bytes[$0 + 1] == slash }
    ?? bytes.count
}

private func isBlank(_ character: UInt8) -> Bool {
  character == UInt8(ascii: " ") || character == UInt8(ascii: "\t")
}

private func hexDigit(_ character: UInt8) -> UInt8 {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
  default: preconditionFailure("not a hex digit: \(character)")
  }
}
