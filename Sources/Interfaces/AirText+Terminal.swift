// SPDX-License-Identifier: Apache-2.0

import JSON

extension AirText {
  /// Columns that text of the air takes at most.
  public static let columnsMax = 64
  /// Marks drawn over one character; more are escaped, so that a text cannot grow without taking columns.
  private static let marksMax = 2

  /// The text in quotes, safe on a terminal and in a log: controls, line breaks, bidirectional overrides, invisible,
  /// private and unassigned characters stand as `\u{1B}`, ill-formed bytes as `\xFF`, quotes and backslashes behind
  /// a backslash. Between the quotes there are at most `columnsMax` columns; what was cut leaves an ellipsis.
  public func terminal(columnsMax: Int = AirText.columnsMax) -> String {
    "\"" + escaped(columnsMax: columnsMax) + "\""
  }

  /// As ``terminal(columnsMax:)``, without the quotes around it.
  public func escaped(columnsMax: Int = AirText.columnsMax) -> String {
    escaped(columnsMax: columnsMax, quotes: true)
  }

  /// As ``escaped(columnsMax:)``, with quotes and backslashes as they are: for sentences that quote already.
  public func sentence(columnsMax: Int) -> String { escaped(columnsMax: columnsMax, quotes: false) }

  private func escaped(columnsMax: Int, quotes: Bool) -> String {
    precondition(columnsMax > 0, "an ellipsis takes a column")
    if isPlain, bytes.count <= columnsMax { return String(decoding: bytes, as: UTF8.self) }
    var shown = ""
    var columns = 0
    /// Where the text is cut if it turns out to be too long: with an ellipsis it still fits.
    var cut = (text: "", isFixed: false)
    for piece in pieces(escapingQuotes: quotes) {
      if columns + piece.columnCount > columnsMax - 1, !cut.isFixed { cut = (shown, true) }
      if columns + piece.columnCount > columnsMax { return cut.text + "…" }
      columns += piece.columnCount
      shown += piece.text
    }
    return shown
  }

  /// Whether nothing has to be escaped, whatever is quoted: letters, digits, blanks and most signs of ASCII.
  private var isPlain: Bool {
    bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  /// What must not be torn apart, and the columns it takes.
  private func pieces(escapingQuotes: Bool) -> [(text: String, columnCount: Int)] {
    var marks = Self.marksMax
    return parts.map { part in
      guard case .scalar(let scalar) = part, scalar.isCombiningMark else {
        marks = 0
        return Self.piece(part, escapingQuotes)
      }
      marks += 1
      return marks > Self.marksMax ? Self.escape(scalar) : Self.piece(part, escapingQuotes)
    }
  }

  private static func piece(_ part: Part, _ escapingQuotes: Bool) -> (text: String, columnCount: Int) {
    switch part {
    case .illFormed(let bytes):
      let text = bytes.map { "\\x" + Hex([$0]).text.uppercased() }.joined()
      return (text, text.utf8.count)
    case .scalar(let scalar):
      if escapingQuotes, scalar == "\"" || scalar == "\\" { return ("\\\(scalar)", 2) }
      return scalar.isInvisible ? escape(scalar) : (String(scalar), scalar.columnCount)
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> (text: String, columnCount: Int) {
    (scalar.escape, scalar.escape.utf8.count)
  }
}
