// SPDX-License-Identifier: Apache-2.0

/// Reads values from the bytes of a message (D-Bus specification 0.43, "Marshaling (Wire Format)").
///
/// Capacity: the depth that the specification allows, and ``valuesMax`` values; anything beyond, and every length that runs
/// past the end, is an error.
struct BusReader {
  /// 32 arrays, 32 structures, and the variants between them.
  private static let depthMax = 64
  /// A thousand devices of bluetoothd have 100,000; each takes up to 50 bytes of memory.
  static let valuesMax = 1 << 18

  private let bytes: [UInt8]
  private let isBigEndian: Bool
  /// Counted from the first byte, on which alignment depends.
  private(set) var offset: Int
  private var valueCount = 0

  init(_ bytes: [UInt8], from offset: Int = 0, isBigEndian: Bool) {
    (self.bytes, self.offset, self.isBigEndian) = (bytes, offset, isBigEndian)
  }

  /// Reads one value of each complete type in a signature.
  mutating func values(of signature: String) throws(BusError) -> [BusValue] {
    var types = Array(signature.utf8)[...]
    var values: [BusValue] = []
    while !types.isEmpty { values.append(try value(of: &types, depth: 0)) }
    return values
  }

  /// Reads one value, and removes its type from the front of `types`.
  private mutating func value(of types: inout ArraySlice<UInt8>, depth: Int) throws(BusError) -> BusValue {
    valueCount += 1
    guard valueCount <= Self.valuesMax, depth < Self.depthMax, let letter = types.popFirst() else {
      throw .malformed
    }
    let type = Unicode.Scalar(letter)
    if let byteCount = BusValue.byteCount(of: type) {
      let bits = try number(byteCount: byteCount)
      guard type != "b" || bits < 2 else { throw .malformed }
      return .number(type, bits)
    }
    switch type {
    case "s", "o", "g": return .text(type, try text(lengthByteCount: type == "g" ? 1 : 4))
    case "v":
      var types = Array(try text(lengthByteCount: 1).utf8)[...]
      let value = try value(of: &types, depth: depth + 1)
      guard types.isEmpty else { throw .malformed }
      return .variant(value)
    case "a": return try array(of: &types, depth: depth)
    case "(": return .structure(try parts(until: UInt8(ascii: ")"), &types, depth: depth))
    case "{": return .structure(try parts(until: UInt8(ascii: "}"), &types, depth: depth))
    default: throw .malformed
    }
  }

  private mutating func array(of types: inout ArraySlice<UInt8>, depth: Int) throws(BusError) -> BusValue {
    let byteCount = Int(try number(byteCount: 4))
    let rest = try Self.rest(after: types)
    let element = types[..<rest.startIndex]
    types = rest
    // The padding before the first element does not count.
    try align(to: Self.alignment(of: element.first))
    let end = offset + byteCount
    guard end <= bytes.count else { throw .malformed }
    if element.elementsEqual([UInt8(ascii: "y")]) {
      defer { offset = end }
      return .bytes(Array(bytes[offset..<end]))
    }
    var elements: [BusValue] = []
    while offset < end {
      var left = element
      elements.append(try value(of: &left, depth: depth + 1))
    }
    guard offset == end else { throw .malformed }
    return .array(of: String(decoding: element, as: UTF8.self), elements)
  }

  private mutating func parts(
    until end: UInt8, _ types: inout ArraySlice<UInt8>, depth: Int
  ) throws(BusError) -> [BusValue] {
    try align(to: 8)
    var parts: [BusValue] = []
    while let next = types.first, next != end { parts.append(try value(of: &types, depth: depth + 1)) }
    guard types.popFirst() != nil, !parts.isEmpty else { throw .malformed }
    return parts
  }

  // MARK: - Bytes

  mutating func number(byteCount: Int) throws(BusError) -> UInt64 {
    try align(to: byteCount)
    guard offset + byteCount <= bytes.count else { throw .malformed }
    defer { offset += byteCount }
    let part = bytes[offset..<offset + byteCount]
    return isBigEndian
      ? part.reduce(0) { $0 << 8 | UInt64($1) } : part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A length, the text, and the zero after it.
  private mutating func text(lengthByteCount: Int) throws(BusError) -> String {
    let byteCount = Int(try number(byteCount: lengthByteCount))
    guard byteCount < bytes.count - offset, bytes[offset + byteCount] == 0 else { throw .malformed }
    defer { offset += byteCount + 1 }
    return String(decoding: bytes[offset..<offset + byteCount], as: UTF8.self)
  }

  mutating func align(to byteCount: Int) throws(BusError) {
    offset += (byteCount - offset % byteCount) % byteCount
    guard offset <= bytes.count else { throw .malformed }
  }

  /// At multiples of how many bytes a value of this type begins.
  static func alignment(of type: UInt8?) -> Int {
    switch type.map({ Unicode.Scalar($0) }) {
    case "(", "{": 8
    case "g", "v", nil: 1
    case let type?: BusValue.byteCount(of: type) ?? 4
    }
  }

  /// Returns what follows the first complete type of a signature.
  private static func rest(after types: ArraySlice<UInt8>) throws(BusError) -> ArraySlice<UInt8> {
    var rest = types
    var open = 0
    while let type = rest.popFirst() {
      switch Unicode.Scalar(type) {
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

/// Writes values in little-endian order (D-Bus specification 0.43, "Marshaling (Wire Format)").
struct BusWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ values: [BusValue]) {
    for value in values { write(value) }
  }

  private mutating func write(_ value: BusValue) {
    switch value {
    case .number(let type, let bits): write(bits, byteCount: BusValue.byteCount(of: type) ?? 0)
    case .text(let type, let text):
      write(UInt64(text.utf8.count), byteCount: type == "g" ? 1 : 4)
      bytes += Array(text.utf8) + [0]
    case .bytes(let contents):
      write(UInt64(contents.count), byteCount: 4)
      bytes += contents
    case .array(let type, let elements): write(elements, of: type)
    case .structure(let parts):
      align(to: 8)
      write(parts)
    case .variant(let content): write([.text("g", content.type), content])
    }
  }

  private mutating func write(_ elements: [BusValue], of type: String) {
    write(0, byteCount: 4)
    let lengthEnd = bytes.count
    // The padding before the first element does not count.
    align(to: BusReader.alignment(of: type.utf8.first))
    let start = bytes.count
    write(elements)
    var length = BusWriter()
    length.write(UInt64(bytes.count - start), byteCount: 4)
    bytes.replaceSubrange(lengthEnd - 4..<lengthEnd, with: length.bytes)
  }

  private mutating func write(_ bits: UInt64, byteCount: Int) {
    align(to: byteCount)
    for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * index))) }
  }

  mutating func align(to byteCount: Int) {
    while bytes.count % byteCount != 0 { bytes.append(0) }
  }
}
