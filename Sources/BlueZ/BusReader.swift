// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads values from the bytes of a message (D-Bus specification 0.43, "Marshaling (Wire Format)").
///
/// Capacity: the depth that the specification allows, and ``valuesMax`` values; anything beyond, and every length that runs
/// past the end, is an error.
struct BusReader {
  /// 32 arrays, 32 structures, and the variants between them.
  private static let depthMax = 64
  /// A thousand devices have 300,000, with their bytes; each takes up to 50 bytes of memory.
  static let valuesMax = 1 << 20
  /// The longest signature.
  private static let signatureMax = 255

  private let bytes: [UInt8]
  private let isBigEndian: Bool
  /// Counted from the first byte of the message, which alignment depends on.
  private(set) var offset: Int
  private var valueCount = 0

  init(_ bytes: [UInt8], from offset: Int, isBigEndian: Bool) {
    self.bytes = bytes
    self.offset = offset
    self.isBigEndian = isBigEndian
  }

  /// Reads one value of each complete type in a signature.
  mutating func values(of signature: String) throws(BusError) -> [BusValue] {
    var types = Array(signature.utf8)[...]
    var values: [BusValue] = []
    while !types.isEmpty { values.append(try value(of: &types, depth: 0)) }
    return values
  }

  /// Reads one value, and removes its type from the front of `types`.
  private mutating func value(
    of types: inout ArraySlice<UInt8>, depth: Int
  ) throws(BusError) -> BusValue {
    valueCount += 1
    guard valueCount <= Self.valuesMax, depth < Self.depthMax, let type = types.popFirst() else {
      throw .malformed
    }
    switch Character(Unicode.Scalar(type)) {
    case "y": return .number(try number(byteCount: 1))
    case "b": return .bool(try number(byteCount: 4) != 0)
    case "n", "q": return .number(try number(byteCount: 2))
    case "i", "u", "h": return .number(try number(byteCount: 4))
    case "x", "t", "d": return .number(try number(byteCount: 8))
    case "s", "o": return .string(try string(byteCount: Int(try number(byteCount: 4))))
    case "g": return .string(try string(byteCount: Int(try number(byteCount: 1))))
    case "v": return try variant(depth: depth)
    case "a": return try array(of: &types, depth: depth)
    case "(": return try structure(until: ")", &types, depth: depth)
    case "{": return try structure(until: "}", &types, depth: depth)
    default: throw .malformed
    }
  }

  private mutating func variant(depth: Int) throws(BusError) -> BusValue {
    let signature = try string(byteCount: Int(try number(byteCount: 1)))
    guard signature.utf8.count <= Self.signatureMax else { throw .malformed }
    var types = Array(signature.utf8)[...]
    let value = try value(of: &types, depth: depth + 1)
    guard types.isEmpty else { throw .malformed }
    return value
  }

  private mutating func array(
    of types: inout ArraySlice<UInt8>, depth: Int
  ) throws(BusError) -> BusValue {
    let byteCount = Int(try number(byteCount: 4))
    guard let element = types.first else { throw .malformed }
    // The padding before the first element does not count.
    try align(to: Self.alignment(of: element))
    let end = offset + byteCount
    guard end <= bytes.count else { throw .malformed }
    let elementTypes = types
    var elements: [BusValue] = []
    while offset < end {
      types = elementTypes
      elements.append(try value(of: &types, depth: depth + 1))
    }
    guard offset == end else { throw .malformed }
    if elements.isEmpty { types = try Self.rest(after: elementTypes) }
    return .array(elements)
  }

  private mutating func structure(
    until end: Character, _ types: inout ArraySlice<UInt8>, depth: Int
  ) throws(BusError) -> BusValue {
    try align(to: 8)
    var parts: [BusValue] = []
    while let next = types.first, Character(Unicode.Scalar(next)) != end {
      parts.append(try value(of: &types, depth: depth + 1))
    }
    guard types.popFirst() != nil, !parts.isEmpty else { throw .malformed }
    return .structure(parts)
  }

  // MARK: - Bytes

  private mutating func number(byteCount: Int) throws(BusError) -> UInt64 {
    try align(to: byteCount)
    guard offset + byteCount <= bytes.count else { throw .malformed }
    defer { offset += byteCount }
    let part = bytes[offset..<offset + byteCount]
    return isBigEndian
      ? part.reduce(0) { $0 << 8 | UInt64($1) } : part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A string and the zero after it.
  private mutating func string(byteCount: Int) throws(BusError) -> String {
    guard byteCount < bytes.count - offset, bytes[offset + byteCount] == 0 else { throw .malformed }
    defer { offset += byteCount + 1 }
    return String(decoding: bytes[offset..<offset + byteCount], as: UTF8.self)
  }

  mutating func align(to byteCount: Int) throws(BusError) {
    offset += (byteCount - offset % byteCount) % byteCount
    guard offset <= bytes.count else { throw .malformed }
  }

  private static func alignment(of type: UInt8) -> Int {
    switch Character(Unicode.Scalar(type)) {
    case "y", "g", "v": 1
    case "n", "q": 2
    case "x", "t", "d", "(", "{": 8
    default: 4
    }
  }

  /// Returns what follows the first complete type of a signature.
  private static func rest(after types: ArraySlice<UInt8>) throws(BusError) -> ArraySlice<UInt8> {
    var rest = types
    var open = 0
    while let type = rest.popFirst() {
      switch Character(Unicode.Scalar(type)) {
      case "a": continue
      case "(", "{": open += 1
      case ")", "}": open -= 1
      default: break
      }
      if open == 0 { return rest }
    }
    throw .malformed
  }
}
