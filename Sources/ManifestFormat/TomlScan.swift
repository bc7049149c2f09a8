// SPDX-License-Identifier: GPL-3.0-or-later

/// A scan of a text before it is parsed: refuses input that the parser does not handle safely.
///
/// One pass with one byte of look-ahead beyond a quote. It follows strings and comments only as far as needed to know
/// whether a byte is inside one; if it and the parser disagree about a malformed text, the parser still refuses it.
struct TomlScan {
  /// The largest number of segments of a dotted key; each one is a nested table.
  static let keySegmentsMax = 16
  /// The largest nesting of lists and inline tables.
  static let depthMax = 16

  private enum Place {
    case bare, comment
    case string(quote: UInt8, isLong: Bool)
  }

  private let text: [UInt8]
  private var index = 0
  private var line = 1
  private var place = Place.bare
  private var dots = 0
  private var depth = 0

  private init(_ text: [UInt8]) { self.text = text }

  static func check(_ text: [UInt8]) throws(TomlSyntaxError) {
    guard text.count <= TomlDocument.byteCountMax else {
      throw TomlSyntaxError(line: 1, reason: .tooLong(byteCount: text.count))
    }
    var scan = TomlScan(text)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { scan.index = 3 }
    while scan.index < text.count { try scan.step() }
  }

  private mutating func step() throws(TomlSyntaxError) {
    let byte = text[index]
    switch place {
    case .bare: try stepBare(byte)
    case .comment: index += 1
    case .string(let quote, let isLong): stepString(byte, quote: quote, isLong: isLong)
    }
    if byte == UInt8(ascii: "\n") { try endLine() }
  }

  private mutating func endLine() throws(TomlSyntaxError) {
    if case .string(_, let isLong) = place {
      guard isLong else { throw failure(.openString) }
    } else {
      place = .bare
    }
    line += 1
    dots = 0
  }

  private mutating func stepBare(_ byte: UInt8) throws(TomlSyntaxError) {
    index += 1
    switch byte {
    case UInt8(ascii: "#"): place = .comment
    case UInt8(ascii: "\""), UInt8(ascii: "'"): openString(byte)
    case UInt8(ascii: "."):
      dots += 1
      guard dots < Self.keySegmentsMax else { throw failure(.tooManyKeySegments) }
    case UInt8(ascii: "="), UInt8(ascii: ","): dots = 0
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      dots = 0
      depth += 1
      guard depth <= Self.depthMax else { throw failure(.tooDeep) }
    case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
    case 0x80...: throw failure(.notASCII)
    default: break
    }
  }

  private func failure(_ reason: TomlSyntaxError.Reason) -> TomlSyntaxError {
    TomlSyntaxError(line: line, reason: reason)
  }

  private mutating func openString(_ quote: UInt8) {
    let isLong = quoteRun(quote) >= 2
    if isLong { index += 2 }
    place = .string(quote: quote, isLong: isLong)
  }

  private mutating func stepString(_ byte: UInt8, quote: UInt8, isLong: Bool) {
    if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
      skipEscape()
    } else if byte != quote {
      index += 1
    } else if isLong {
      // Up to two quotes may stand before the three that end the string.
      let run = min(quoteRun(quote), 5)
      index += run
      if run >= 3 { place = .bare }
    } else {
      index += 1
      place = .bare
    }
  }

  /// An escaped line break still ends the line.
  private mutating func skipEscape() {
    index += 1
    if index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
  }

  /// Returns the number of quotes at the current position, at most five.
  private func quoteRun(_ quote: UInt8) -> Int {
    text[index...].prefix(5).prefix { $0 == quote }.count
  }
}
