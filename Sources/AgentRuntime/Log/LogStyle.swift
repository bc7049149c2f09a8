// SPDX-License-Identifier: GPL-3.0-or-later

/// How a log line looks.
enum LogStyle: Equatable, Sendable {
  /// For the journal, which has the time and takes the priority from the front (sd-daemon(3)).
  case journal
  /// For people, with the local time.
  case terminal

  /// The longest line; a pipe takes so much whole.
  static let lineBytesMax = 4096

  /// One line with its end. Line breaks and controls in `sentence` are escaped, whoever put them there; what is too
  /// long is cut, which an ellipsis says.
  func line(_ level: LogLevel, _ sentence: String, time: @autoclosure () -> String) -> [UInt8] {
    let head =
      switch self {
      case .journal: "<\(level.rawValue)>"
      case .terminal: "\(time()) \(level.word): "
      }
    var line = Array(head.utf8)
    for scalar in sentence.unicodeScalars {
      line += scalar.value < 0x20 || scalar.value == 0x7F ? Self.escape(scalar) : Array(String(scalar).utf8)
    }
    if line.count >= Self.lineBytesMax {
      var end = Self.lineBytesMax - 4
      // Not within a character.
      while line[end] & 0xC0 == 0x80 { end -= 1 }
      line = line[..<end] + Array("…".utf8)
    }
    return line + [UInt8(ascii: "\n")]
  }

  private static func escape(_ scalar: Unicode.Scalar) -> [UInt8] {
    Array("\\u{\(String(scalar.value, radix: 16, uppercase: true))}".utf8)
  }
}
