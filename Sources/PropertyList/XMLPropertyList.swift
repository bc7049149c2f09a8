// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads the XML format (PropertyList-1.0.dtd of Apple): UTF-8, without entities of its own.
struct XMLPropertyList {
  private enum Tag: Equatable {
    case open(String)
    case empty(String)
    case close(String)
  }

  private let bytes: [UInt8]
  private var offset = 0
  private var valueCount = 0

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    var reader = XMLPropertyList(bytes: bytes)
    var tag = try reader.nextTag()
    // The element plist is left out by some tools.
    let isWrapped = tag == .open("plist")
    if isWrapped { tag = try reader.nextTag() }
    let value = try reader.value(of: tag, depth: 0)
    if isWrapped {
      guard try reader.nextTag() == .close("plist") else { throw reader.malformed }
    }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var malformed: PropertyListError { .malformed(offset: offset) }

  // MARK: - Values

  private mutating func value(of tag: Tag, depth: Int) throws(PropertyListError) -> PropertyList {
    valueCount += 1
    guard depth < PropertyList.depthMax, valueCount <= PropertyList.valuesMax else { throw .tooLarge }
    switch tag {
    case .open("dict"): return .dictionary(try dictionary(depth: depth))
    case .open("array"):
      var elements: [PropertyList] = []
      while case let tag = try nextTag(), tag != .close("array") {
        elements.append(try value(of: tag, depth: depth + 1))
      }
      return .array(elements)
    case .open("string"): return .string(try text(until: "string"))
    case .open("integer"):
      let digits = try text(until: "integer").filter { !$0.isWhitespace }
      guard let integer = Self.integer(digits) else { throw malformed }
      return .integer(integer)
    case .open(let name) where ["real", "date", "data"].contains(name):
      _ = try text(until: name)
      return .other
    case .empty("dict"): return .dictionary([:])
    case .empty("array"): return .array([])
    case .empty("string"): return .string("")
    case .empty("true"): return .bool(true)
    case .empty("false"): return .bool(false)
    case .empty("data"): return .other
    case .open("true"), .open("false"):
      guard case .open(let name) = tag, try nextTag() == .close(name) else { throw malformed }
      return .bool(name == "true")
    case .open, .empty, .close: throw malformed
    }
  }

  private mutating func dictionary(depth: Int) throws(PropertyListError) -> [String: PropertyList] {
    var dictionary: [String: PropertyList] = [:]
    while case let tag = try nextTag(), tag != .close("dict") {
      guard tag == .open("key") else { throw malformed }
      let key = try text(until: "key")
      dictionary[key] = try value(of: try nextTag(), depth: depth + 1)
    }
    return dictionary
  }

  private static func integer(_ digits: String) -> Int64? {
    guard digits.lowercased().hasPrefix("0x") else { return Int64(digits) }
    return Int64(digits.dropFirst(2), radix: 16)
  }

  // MARK: - Tags and text

  /// The next tag, after spaces, comments, declarations and instructions. Attributes say nothing here.
  private mutating func nextTag() throws(PropertyListError) -> Tag {
    while true {
      while offset < bytes.count, bytes[offset].isXMLSpace { offset += 1 }
      if begins(with: "<!--") {
        try skip(through: "-->")
      } else if begins(with: "<?") {
        try skip(through: "?>")
      } else if begins(with: "<!") {
        try skip(through: ">")
      } else {
        break
      }
    }
    guard begins(with: "<") else { throw malformed }
    let start = offset + 1
    try skip(through: ">")
    let content = String(decoding: bytes[start..<offset - 1], as: UTF8.self)
    let isEmpty = content.hasSuffix("/")
    let name = String(content.prefix { !$0.isWhitespace && $0 != "/" })
    if content.hasPrefix("/") { return .close(content.dropFirst().filter { !$0.isWhitespace }) }
    return isEmpty ? .empty(name) : .open(name)
  }

  /// The text up to the closing tag of an element.
  private mutating func text(until name: String) throws(PropertyListError) -> String {
    var text: [UInt8] = []
    while offset < bytes.count {
      if begins(with: "</\(name)") {
        guard try nextTag() == .close(name) else { throw malformed }
        return String(decoding: text, as: UTF8.self)
      } else if begins(with: "<![CDATA[") {
        let start = offset + 9
        try skip(through: "]]>")
        text += bytes[start..<max(start, offset - 3)]
      } else if begins(with: "<!--") {
        try skip(through: "-->")
      } else if begins(with: "&") {
        let start = offset + 1
        try skip(through: ";")
        guard let scalar = Self.entity(String(decoding: bytes[start..<offset - 1], as: UTF8.self)) else {
          throw malformed
        }
        text += Array(String(scalar).utf8)
      } else if bytes[offset] == UInt8(ascii: "<") {
        throw malformed
      } else {
        text.append(bytes[offset])
        offset += 1
      }
    }
    throw malformed
  }

  private static func entity(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { return nil }
      let isHex = name.hasPrefix("#x")
      return UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
  }

  private func begins(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

  private mutating func skip(through end: String) throws(PropertyListError) {
    while offset < bytes.count, !begins(with: end) { offset += 1 }
    guard offset < bytes.count else { throw malformed }
    offset += end.utf8.count
  }
}
