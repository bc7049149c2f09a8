// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads the binary format (CFBinaryPList.c of Apple's CoreFoundation, version 00): objects, a table with the offset of
/// each, and a trailer of 32 bytes.
///
/// Objects may refer to each other in any way, and many to one text: the values that are read and the bytes of their texts
/// are counted, and their depth is bounded.
struct BinaryPropertyList {
  private static let trailerByteCount = 32

  private let bytes: [UInt8]
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  private var objectCount = 0
  private var offsetTable = 0
  private var valueCount = 0
  private var textByteCount = 0

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    var reader = try BinaryPropertyList(bytes)
    let top = try reader.number(at: bytes.count - 16, byteCount: 8)
    return try reader.value(of: top, depth: 0)
  }

  private init(_ bytes: [UInt8]) throws(PropertyListError) {
    let trailer = bytes.count - Self.trailerByteCount
    guard trailer >= 8 else { throw .malformed(offset: bytes.count) }
    self.bytes = bytes
    (offsetByteCount, referenceByteCount) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
    let count = try number(at: trailer + 8, byteCount: 8)
    let table = try number(at: trailer + 24, byteCount: 8)
    guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount), table <= trailer,
      count <= (trailer - table) / offsetByteCount
    else { throw .malformed(offset: trailer) }
    (objectCount, offsetTable) = (count, table)
  }

  private mutating func value(of reference: Int, depth: Int) throws(PropertyListError) -> PropertyList {
    valueCount += 1
    guard depth < PropertyList.depthMax, valueCount <= PropertyList.valuesMax else { throw .tooLarge }
    guard reference < objectCount else { throw .malformed(offset: offsetTable) }
    let offset = try number(at: offsetTable + reference * offsetByteCount, byteCount: offsetByteCount)
    guard offset < offsetTable else { throw .malformed(offset: offset) }
    let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0xF))
    switch kind {
    case 0x0: return bytes[offset] == 0x08 ? .bool(false) : bytes[offset] == 0x09 ? .bool(true) : .other
    case 0x1:
      // Integers of more than eight bytes are unsigned ones beyond every identifier.
      return low <= 3 ? .integer(try integer(at: offset + 1, byteCount: 1 << low)) : .other
    case 0x5, 0x6:
      let (start, count) = try extent(at: offset, low)
      return .string(try string(at: start, count: count, isWide: kind == 0x6))
    case 0xA, 0xC:
      let (start, count) = try extent(at: offset, low)
      return .array(try values(at: start, count: count, depth: depth))
    case 0xD:
      let (start, count) = try extent(at: offset, low)
      return .dictionary(try dictionary(at: start, count: count, depth: depth))
    default: return .other
    }
  }

  /// Where the content of an object begins, and how many elements it has.
  private func extent(at offset: Int, _ low: Int) throws(PropertyListError) -> (start: Int, count: Int) {
    guard low == 0xF else { return (offset + 1, low) }
    // The count follows as an integer.
    guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 0x1, bytes[offset + 1] & 0xF <= 3 else {
      throw .malformed(offset: offset)
    }
    let byteCount = 1 << Int(bytes[offset + 1] & 0xF)
    return (offset + 2 + byteCount, try number(at: offset + 2, byteCount: byteCount))
  }

  private mutating func values(
    at start: Int, count: Int, depth: Int
  ) throws(PropertyListError) -> [PropertyList] {
    guard count <= PropertyList.valuesMax else { throw .tooLarge }
    var values: [PropertyList] = []
    for index in 0..<count {
      let reference = try number(at: start + index * referenceByteCount, byteCount: referenceByteCount)
      values.append(try value(of: reference, depth: depth + 1))
    }
    return values
  }

  /// All keys come first, then all values.
  private mutating func dictionary(
    at start: Int, count: Int, depth: Int
  ) throws(PropertyListError) -> [String: PropertyList] {
    let keys = try values(at: start, count: count, depth: depth)
    let values = try values(at: start + count * referenceByteCount, count: count, depth: depth)
    var dictionary: [String: PropertyList] = [:]
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = key else { throw .malformed(offset: start) }
      dictionary[name] = value
    }
    return dictionary
  }

  private mutating func string(at start: Int, count: Int, isWide: Bool) throws(PropertyListError) -> String {
    let unit = isWide ? 2 : 1
    guard start <= bytes.count, count <= (bytes.count - start) / unit else { throw .malformed(offset: start) }
    textByteCount += count * unit
    guard textByteCount <= PropertyList.textBytesMax else { throw .tooLarge }
    let part = bytes[start..<start + count * unit]
    guard isWide else { return String(decoding: part, as: UTF8.self) }
    let units = stride(from: start, to: part.endIndex, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// A number that counts or refers; one beyond any file is an error.
  private func number(at offset: Int, byteCount: Int) throws(PropertyListError) -> Int {
    let value = UInt64(bitPattern: try integer(at: offset, byteCount: byteCount))
    guard value <= UInt64(Int32.max) else { throw .malformed(offset: offset) }
    return Int(value)
  }

  /// Most significant byte first; only integers of eight bytes are signed.
  private func integer(at offset: Int, byteCount: Int) throws(PropertyListError) -> Int64 {
    guard offset >= 0, byteCount >= 1, offset <= bytes.count - byteCount else {
      throw .malformed(offset: offset)
    }
    return Int64(bitPattern: bytes[offset..<offset + byteCount].reduce(0) { $0 << 8 | UInt64($1) })
  }
}
