// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

/// The format of a log line.
enum LogStyle: Equatable, Sendable {
  /// For the journal, which adds the time and reads the priority from the prefix (sd-daemon(3)).
  case journal
  /// For a terminal, with the local time.
  case terminal

  /// The longest line that a pipe takes in one piece.
  static let lineBytesMax = 4096

  /// Returns one line with its line feed. Line breaks and control characters in `sentence` are escaped; a line that is
  /// too long is truncated and ends with an ellipsis.
  func line(_ level: LogLevel, _ sentence: String, time: @autoclosure () -> String) -> [UInt8] {
    let head =
      switch self {
      case .journal: "<\(level.priority)>"
      case .terminal: "\(time()) \(level.rawValue): "
      }
    var line = Array(head.utf8)
    for scalar in sentence.unicodeScalars {
      let isControl = scalar.value < 0x20 || scalar.value == 0x7F
      line += (isControl ? scalar.escape : String(scalar)).utf8
    }
    if line.count >= Self.lineBytesMax {
      var end = Self.lineBytesMax - 4
      // Not within a character.
      while line[end] & 0xC0 == 0x80 { end -= 1 }
      line = line[..<end] + Array("…".utf8)
    }
    return line + [UInt8(ascii: "\n")]
  }
}
