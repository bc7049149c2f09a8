// SPDX-License-Identifier: GPL-3.0-or-later

private import CToml
import Manifest

/// Parses TOML text into nodes with their lines.
package enum TomlDocument {
  /// The most bytes of a text that are read.
  package static let byteCountMax = 16 << 20

  /// Returns the root table of at most ``byteCountMax`` bytes of UTF-8.
  package static func parse(_ text: [UInt8]) throws(TomlSyntaxError) -> TomlNode {
    try TomlScan.check(text)
    guard let document = unsafe parsed(text) else { throw TomlSyntaxError(line: 1, reason: .outOfMemory) }
    // The document lives until here; all values taken from it are copies.
    defer { unsafe ctoml_free(document) }
    guard unsafe ctoml_node_count(document) > 0 else { throw unsafe syntaxError(of: document) }
    var index = 0
    return unsafe node(of: document, at: &index).node
  }

  /// The parser reads the buffer only during the call.
  private static func parsed(_ text: [UInt8]) -> OpaquePointer? {
    unsafe text.withUnsafeBufferPointer { buffer in
      unsafe ctoml_parse(buffer.baseAddress, buffer.count)
    }
  }

  private static func syntaxError(of document: OpaquePointer) -> TomlSyntaxError {
    let error = unsafe ctoml_syntax_error(document)
    let message = unsafe string(error.message, byteCount: error.message_byte_count)
    return unsafe TomlSyntaxError(line: Int(error.line), reason: .malformed(message))
  }

  /// Returns the node at `index`, and moves `index` past it and its children. The children follow it depth first, and
  /// there are as many as it says, so the index stays below the count.
  private static func node(of document: OpaquePointer, at index: inout Int) -> TomlNode.Entry {
    let flat = unsafe ctoml_node_at(document, index)
    index += 1
    let children = unsafe flat.kind == CTOML_TABLE || flat.kind == CTOML_ARRAY ? flat.child_count : 0
    let below = (0..<children).map { _ in unsafe node(of: document, at: &index) }
    let key = unsafe string(flat.key, byteCount: flat.key_byte_count)
    return unsafe TomlNode.Entry(
      key: key, node: TomlNode(line: Int(flat.line), value: value(of: flat, below: below)))
  }

  private static func value(of flat: ctoml_node, below: [TomlNode.Entry]) -> TomlNode.Value {
    switch unsafe flat.kind {
    case CTOML_TABLE: .table(below)
    case CTOML_ARRAY: .array(below.map(\.node))
    case CTOML_STRING: .string(unsafe string(flat.text, byteCount: flat.text_byte_count))
    case CTOML_INTEGER: .integer(unsafe flat.integer)
    case CTOML_BOOLEAN: .boolean(unsafe flat.integer != 0)
    case CTOML_FLOAT: .float
    default: .date
    }
  }

  /// Copies bytes that the document holds.
  private static func string(_ start: UnsafePointer<UInt8>?, byteCount: Int) -> String {
    unsafe String(decoding: UnsafeBufferPointer(start: start, count: byteCount), as: UTF8.self)
  }
}

/// Why a text is not accepted as TOML, and on which line.
package struct TomlSyntaxError: Error, Equatable {
  package struct Reason: Equatable, Sendable {
    let sentence: String

    /// The parser's message, without its opening and with quoted text escaped.
    static func malformed(_ message: String) -> Self {
      let opening = "Error while parsing "
      let rest = message.hasPrefix(opening) ? message.dropFirst(opening.count) : message[...]
      if rest.hasSuffix("could not determine value type") { return bareWord }
      return Self(sentence: "this is not TOML: \(String(rest).escapedForDisplay(scalarCountMax: 200))")
    }
    static func tooLong(byteCount: Int) -> Self {
      Self(sentence: "the file has \(byteCount) bytes; at most \(TomlDocument.byteCountMax) are read")
    }
    static let bareWord = Self(
      sentence: "this is not TOML: a value that is a text stands in quotes, such as user = \"daemon\"")
    static let notASCII = Self(
      sentence: "this is not TOML: a character outside ASCII stands outside a string or comment; quote it")
    static let tooManyKeySegments = Self(
      sentence: "a dotted key has more than \(TomlScan.keySegmentsMax) parts; use fewer tables")
    static let tooDeep = Self(
      sentence: "lists and tables stand more than \(TomlScan.depthMax) deep in one another; use fewer")
    static let openString = Self(
      sentence: "this is not TOML: a string does not end on its line; close it with the quote it began with")
    static let outOfMemory = Self(sentence: "there is not enough memory to read the file")
  }

  package let line: Int
  package let reason: Reason
}

/// A value in a TOML text and its line.
package struct TomlNode: Sendable {
  /// A key of a table and its value.
  package struct Entry: Sendable {
    package let key: String
    package let node: TomlNode
  }

  package indirect enum Value: Sendable {
    case table([Entry])
    case array([TomlNode])
    case string(String)
    case integer(Int64)
    case float
    case boolean(Bool)
    case date
  }

  /// The line of the key, or of the value when it has none; counted from 1.
  package let line: Int
  package let value: Value

  /// The value of a key of a table; nil for any other value, or without the key.
  package func entry(_ key: String) -> TomlNode? {
    guard case .table(let entries) = value else { return nil }
    return entries.first { $0.key == key }?.node
  }

  /// The name of the value's type.
  package var kindName: String {
    switch value {
    case .table: "a table"
    case .array: "a list"
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a fraction"
    case .boolean: "a boolean"
    case .date: "a date or time"
    }
  }
}
