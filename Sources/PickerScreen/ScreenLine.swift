// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import ToolText

/// How a piece of a line stands out. It never carries meaning alone: every terminal shows the same words.
public struct ScreenStyle: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let strong = ScreenStyle(rawValue: 1 << 0)
  public static let faint = ScreenStyle(rawValue: 1 << 1)
  public static let reversed = ScreenStyle(rawValue: 1 << 2)
  /// Green and red, on terminals with colours.
  public static let good = ScreenStyle(rawValue: 1 << 3)
  public static let bad = ScreenStyle(rawValue: 1 << 4)
}

/// Text in one style, at a column of a line.
public struct ScreenSpan: Equatable, Sendable {
  public let column: Int
  public let text: String
  public let style: ScreenStyle
}

/// A line of the screen: spans from left to right that do not overlap.
public struct ScreenLine: Equatable, Sendable {
  public private(set) var spans: [ScreenSpan] = []
  /// The columns that are used so far.
  private(set) var columnCount = 0

  init() {}

  init(_ text: String, _ style: ScreenStyle = []) { append(text, style) }

  mutating func append(_ text: String, _ style: ScreenStyle = []) {
    guard !text.isEmpty else { return }
    spans.append(ScreenSpan(column: columnCount, text: text, style: style))
    columnCount += text.columnCount
  }

  /// Continues at a column, unless the line is already longer.
  mutating func move(to column: Int) { columnCount = max(columnCount, column) }

  /// Appends text that ends at `column`, if it fits after a blank.
  mutating func append(_ text: String, _ style: ScreenStyle = [], endingAt column: Int) {
    let start = column - text.columnCount
    guard start > columnCount else { return }
    move(to: start)
    append(text, style)
  }

  /// The text without styles.
  public var text: String {
    var text = ""
    var column = 0
    for span in spans {
      text += String(repeating: " ", count: span.column - column) + span.text
      column = span.column + span.text.columnCount
    }
    return text
  }

  /// The whole line in another style, drawn from margin to margin.
  func filled(to columns: Int, _ style: ScreenStyle) -> ScreenLine {
    var line = ScreenLine()
    for span in spans {
      line.append(String(repeating: " ", count: span.column - line.columnCount), style)
      line.append(span.text, span.style.union(style))
    }
    line.append(String(repeating: " ", count: max(0, columns - line.columnCount)), style)
    return line
  }
}

/// The content of a terminal.
public struct Screen: Equatable, Sendable {
  /// From the top.
  public internal(set) var lines: [ScreenLine]
  /// The cursor while the operator types; nil without one.
  public internal(set) var cursor: Place?

  /// A line and a column, from 0.
  public struct Place: Equatable, Sendable {
    public let line: Int
    public let column: Int
  }
}

/// The lines and columns of a terminal.
public struct ScreenSize: Equatable, Sendable {
  public let columns: Int
  public let rows: Int

  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}
