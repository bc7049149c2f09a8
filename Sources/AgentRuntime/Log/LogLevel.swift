// SPDX-License-Identifier: GPL-3.0-or-later

/// How much a log line matters: the priorities of syslog(3) that an agent needs.
public enum LogLevel: Int, CaseIterable, Comparable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7

  /// As an option names it, and as a line says it.
  public var word: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .notice: "notice"
    case .info: "info"
    case .debug: "debug"
    }
  }

  public init?(word: String) {
    guard let level = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = level
  }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
