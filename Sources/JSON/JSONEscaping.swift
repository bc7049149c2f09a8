// SPDX-License-Identifier: Apache-2.0

/// Writes text as a JSON string (RFC 8259, 7).
///
/// It escapes quotes, backslashes and controls, as the standard requires. It also escapes DEL, the C1 controls, the
/// line and paragraph separators, and everything that is invisible or changes the direction of writing, so that a line
/// is safe on a terminal. It does not escape a solidus.
enum JSONEscaping {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if isPlain(text) {
      bytes.append(contentsOf: text.utf8)
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a text stands for itself: printable ASCII without quotes and backslashes, as most are.
  private static func isPlain(_ text: String) -> Bool {
    let utf8 = text.utf8.span
    for index in utf8.indices {
      switch utf8[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): return false
      case 0x20...0x7E: continue
      default: return false
      }
    }
    return true
  }

  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\"": bytes.append(contentsOf: "\\\"".utf8)
    case "\\": bytes.append(contentsOf: "\\\\".utf8)
    case "\n": bytes.append(contentsOf: "\\n".utf8)
    case "\r": bytes.append(contentsOf: "\\r".utf8)
    case "\t": bytes.append(contentsOf: "\\t".utf8)
    case "\u{8}": bytes.append(contentsOf: "\\b".utf8)
    case "\u{C}": bytes.append(contentsOf: "\\f".utf8)
    // The most frequent case, before the lookup in Unicode tables.
    case " "..."~": bytes.append(UInt8(ascii: scalar))
    default:
      guard scalar.isInvisible else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        return
      }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        bytes.append(contentsOf: "\\u".utf8)
        bytes.append(contentsOf: Hex.digits(UInt64(unit), count: 4).utf8)
      }
    }
  }
}
