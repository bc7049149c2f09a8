// SPDX-License-Identifier: GPL-3.0-or-later

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
