// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem
import ToolSystem

/// The log of a bridge: lines on standard error, for the journal with a priority (sd-daemon(3)). Writing never blocks.
public struct BridgeLog: Sendable {
  public enum Level: Int, Sendable {
    case error = 3
    case warning, notice, info
  }

  private let isJournal: Bool

  public init() { isJournal = LogOutput.isJournal(Environment.value(of: "JOURNAL_STREAM")) }

  /// `sentence` has no control characters but those of names that were escaped.
  public func say(_ level: Level, _ sentence: String) {
    let head = isJournal ? "<\(level.rawValue)>" : "\(LogOutput.localTime()) "
    _ = LogOutput.write(Array("\(head)\(sentence)\n".utf8.prefix(LogOutput.lineBytesMax)))
  }
}
