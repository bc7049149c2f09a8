// SPDX-License-Identifier: GPL-3.0-or-later

/// Where one statement of a TOML text begins and ends: a header, a key with its value, a comment or an empty line.
///
/// It passes over strings, comments and line breaks inside of a value. The text must have been parsed before, so that
/// every string and every bracket is closed.
struct TomlStatement {
  /// The list that is the statement's value.
  struct List: Equatable {
    /// The offset of the opening bracket, and of the closing one.
    let open: Int
    var close: Int
    /// The offset after the last element, or after its comma; after the opening bracket in an empty list.
    var elementsEnd: Int
  }

  let start: Int
  /// The offset after the line break that ends the statement.
  private(set) var end: Int
  /// The first character that is no blank; nil for an empty line.
  private(set) var first: UInt8?
  private(set) var list: List?

  private var depth = 0
  private var isValue = false
  /// The offset after the last character that is neither blank nor comment.
  private(set) var meaningfulEnd: Int

  /// Reads the statement that begins at an offset.
  init(in text: [UInt8], at start: Int) {
    self.start = start
    end = start
    meaningfulEnd = start
    while end < text.count, !readToken(of: text) {}
  }

  var isHeader: Bool { first == UInt8(ascii: "[") }
  /// Whether it is neither a comment nor an empty line.
  var isMeaningful: Bool { first != nil && first != UInt8(ascii: "#") }

  /// Returns whether the token ends the statement.
  private mutating func readToken(of text: [UInt8]) -> Bool {
    let byte = text[end]
    if first == nil, !Self.isBlank(byte), byte != UInt8(ascii: "\n") { first = byte }
    switch byte {
    case UInt8(ascii: "\n"):
      end += 1
      return depth == 0
    case UInt8(ascii: "#"): end = text[end...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      end = Self.stringEnd(in: text, at: end)
      meaningfulEnd = end
    case UInt8(ascii: "["), UInt8(ascii: "{"): openBracket(byte)
    case UInt8(ascii: "]"), UInt8(ascii: "}"): closeBracket()
    default:
      end += 1
      if byte == UInt8(ascii: "=") { isValue = true }
      if !Self.isBlank(byte) { meaningfulEnd = end }
    }
    return false
  }

  private mutating func openBracket(_ byte: UInt8) {
    if isValue, depth == 0, list == nil, byte == UInt8(ascii: "[") {
      list = List(open: end, close: end, elementsEnd: end + 1)
    }
    depth += 1
    end += 1
    meaningfulEnd = end
  }

  private mutating func closeBracket() {
    depth -= 1
    if depth == 0, list != nil, list?.open == list?.close {
      list?.close = end
      list?.elementsEnd = meaningfulEnd
    }
    end += 1
    meaningfulEnd = end
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  /// The offset after a string of any of TOML's four kinds.
  private static func stringEnd(in text: [UInt8], at start: Int) -> Int {
    let quote = text[start]
    let isLong = text[start...].starts(with: [quote, quote, quote])
    var offset = start + (isLong ? 3 : 1)
    while offset < text.count {
      if text[offset] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        offset += 2
      } else if !isLong, text[offset] == quote {
        return offset + 1
      } else if isLong, text[offset...].starts(with: [quote, quote, quote]) {
        // Up to two more quotes belong to the string.
        let quotes = text[offset...].prefix(5).prefix { $0 == quote }.count
        return offset + quotes
      } else {
        offset += 1
      }
    }
    return text.count
  }
}

extension TomlStatement {
  /// The statements of a whole text.
  static func all(in text: [UInt8]) -> [TomlStatement] {
    var statements: [TomlStatement] = []
    var offset = 0
    while offset < text.count {
      let statement = TomlStatement(in: text, at: offset)
      statements.append(statement)
      offset = statement.end
    }
    return statements
  }

  /// `app`, `a.b` and `item` for `[[app."a.b".item]]  # comment`; nil for anything but a header. Escapes in a quoted key
  /// stay as they are.
  func headerPath(in text: [UInt8]) -> [String]? {
    guard isHeader else { return nil }
    let inner = text[start..<end].drop { $0 != UInt8(ascii: "[") }.drop { $0 == UInt8(ascii: "[") }
    var keys: [[UInt8]] = [[]]
    var quote: UInt8?
    for byte in inner {
      if byte == quote {
        quote = nil
      } else if quote != nil {
        keys[keys.count - 1].append(byte)
      } else if byte == UInt8(ascii: "]") {
        break
      } else if byte == UInt8(ascii: ".") {
        keys.append([])
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if !Self.isBlank(byte) {
        keys[keys.count - 1].append(byte)
      }
    }
    return keys.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The key of `key = value`; nil for anything else.
  func key(in text: [UInt8]) -> String? {
    guard isMeaningful, !isHeader else { return nil }
    return Self.plain(text[start..<end].prefix { $0 != UInt8(ascii: "=") })
  }

  /// A key without blanks and quotes.
  private static func plain(_ key: some Sequence<UInt8>) -> String {
    String(decoding: key.filter { !" \t\"'".utf8.contains($0) }, as: UTF8.self)
  }
}
