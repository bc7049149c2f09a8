// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem

/// The agent's log: lines on standard error. Writing them never blocks.
///
/// A line that cannot be written at once is dropped and counted; a line with that count precedes the next one.
struct Log {
  let style: LogStyle
  /// The least urgent level that is logged.
  let level: LogLevel
  private(set) var droppedCount: UInt64 = 0
  private var unreportedCount: UInt64 = 0
  private let write: ([UInt8]) -> Bool
  private let time: () -> String

  init(
    _ style: LogStyle, _ level: LogLevel, time: @escaping () -> String = LogOutput.localTime,
    write: @escaping ([UInt8]) -> Bool = LogOutput.write
  ) {
    (self.style, self.level) = (style, level)
    (self.time, self.write) = (time, write)
  }

  mutating func say(_ level: LogLevel, _ sentence: String) {
    guard level <= self.level else { return }
    if unreportedCount > 0 {
      let lines = unreportedCount == 1 ? "line was" : "lines were"
      let loss = "\(unreportedCount) log \(lines) lost: standard error was not read in time"
      if write(style.line(.warning, loss, time: time())) { unreportedCount = 0 }
    }
    guard unreportedCount == 0, write(style.line(level, sentence, time: time())) else {
      droppedCount &+= 1
      unreportedCount &+= 1
      return
    }
  }
}

/// How much a log line matters: the priorities of syslog(3) that an agent needs.
///
/// Raw values are the words of the option `--log-level` and of log lines.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case error, warning, notice, info, debug

  /// The priority of an error is 3, and the others follow.
  var priority: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 3 }

  public static func < (left: Self, right: Self) -> Bool { left.priority < right.priority }
}

/// Limits lines that an untrusted party can cause to one per kind and minute.
///
/// Capacity: one entry per kind. Lines that are held back are counted; the next line of the kind has the count.
struct LogLimiter<Kind: Hashable & CaseIterable & Sendable>: Sendable {
  static var pauseMilliseconds: Int64 { 60_000 }

  private struct Entry: Sendable {
    var last: Instant
    var heldCount = 0
  }

  private var entries: [Kind: Entry] = [:]

  /// Returns how many lines of this kind were held back since the last; nil when this one is held back too.
  mutating func admit(_ kind: Kind, at now: Instant) -> Int? {
    guard let entry = entries[kind] else {
      entries[kind] = Entry(last: now)
      return 0
    }
    guard now.milliseconds(since: entry.last) >= Self.pauseMilliseconds else {
      entries[kind]?.heldCount += 1
      return nil
    }
    entries[kind] = Entry(last: now)
    return entry.heldCount
  }
}

/// The format of a log line.
enum LogStyle: Equatable, Sendable {
  /// For the journal, which adds the time and reads the priority from the prefix (sd-daemon(3)).
  case journal
  /// For a terminal, with the local time.
  case terminal

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
    if line.count >= LogOutput.lineBytesMax {
      var end = LogOutput.lineBytesMax - 4
      // Not within a character.
      while line[end] & 0xC0 == 0x80 { end -= 1 }
      line = line[..<end] + Array("…".utf8)
    }
    return line + [UInt8(ascii: "\n")]
  }
}
