// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Reads an interface definition word by word and skips blanks and comments (varlink.org, "Interface
/// Definition", "Grammar": space, tab, CR and LF; from `#` to the end of the line).
struct InterfaceScanner {
  private let bytes: [UInt8]
  private(set) var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func error(_ kind: InterfaceError.Kind, at place: Int? = nil) -> InterfaceError {
    let before = bytes[..<(place ?? index)]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    return InterfaceError(kind: kind, line: line, column: 1 + before.count - lineStart)
  }

  private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func skipBlanks() {
    while let byte = byte(at: index) {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): index += 1
      case UInt8(ascii: "#"): skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() {
    while let byte = byte(at: index), byte != UInt8(ascii: "\n") { index += 1 }
  }

  var isAtEnd: Bool { index == bytes.count }

  /// Skips blanks and reads the sign if it comes next; returns whether it did.
  mutating func has(_ sign: StaticString) -> Bool {
    skipBlanks()
    guard startsHere(sign) else { return false }
    index += sign.utf8CodeUnitCount
    return true
  }

  mutating func expect(_ sign: StaticString) throws(InterfaceError) {
    guard has(sign) else { throw error(.expected(sign.description)) }
  }

  /// Skips blanks and reads the keyword if it comes next as a whole word; returns whether it did.
  mutating func has(keyword: StaticString) -> Bool {
    skipBlanks()
    guard startsHere(keyword) else { return false }
    let end = index + keyword.utf8CodeUnitCount
    if let next = byte(at: end), next.isLetterOrDigit { return false }
    index = end
    return true
  }

  mutating func name(_ what: String) throws(InterfaceError) -> String {
    guard let name = nameIfNext() else { throw error(.expected(what)) }
    return name
  }

  /// Skips blanks and reads `[A-Z][A-Za-z0-9]*` if it comes next.
  mutating func nameIfNext() -> String? {
    skipBlanks()
    guard let name = word(where: { $0.isUpper }, { $0.isLetterOrDigit }) else { return nil }
    index += name.utf8.count
    return name
  }

  /// `[A-Za-z](_?[A-Za-z0-9])*`
  mutating func fieldName() throws(InterfaceError) -> String {
    skipBlanks()
    guard let name = word(where: { $0.isLetter }, { $0.isWord }), !name.hasSuffix("_"),
      !zip(name, name.dropFirst()).contains(where: { $0 == "_" && $1 == "_" })
    else {
      throw error(.expected("the name of a field"))
    }
    index += name.utf8.count
    return name
  }

  mutating func interfaceName() throws(InterfaceError) -> String {
    skipBlanks()
    guard let name = word(where: { $0.isLetter }, { $0.isNamePart }), InterfaceName.isValid(name) else {
      throw error(.expected("the name of an interface, as org.example.lights"))
    }
    index += name.utf8.count
    return name
  }

  private func startsHere(_ text: StaticString) -> Bool {
    var place = index
    for byte in text.description.utf8 {
      guard self.byte(at: place) == byte else { return false }
      place += 1
    }
    return true
  }

  /// The bytes from here on that `isFirst` and then `isRest` accept; does not advance.
  private func word(where isFirst: (UInt8) -> Bool, _ isRest: (UInt8) -> Bool) -> String? {
    guard let first = byte(at: index), isFirst(first) else { return nil }
    return String(decoding: bytes[index...].prefix(while: isRest), as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isWord: Bool { isLetterOrDigit || self == UInt8(ascii: "_") }
  fileprivate var isNamePart: Bool {
    isLetterOrDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
  }
}
