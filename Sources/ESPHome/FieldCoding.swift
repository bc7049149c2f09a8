// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads the fields of a message in protocol buffers' encoding (protobuf.dev, "Encoding"), in the order of its bytes.
struct FieldReader {
  enum Value: Equatable {
    case number(UInt64)
    /// Four bytes, least significant first.
    case word(UInt32)
    /// A text, bytes, or a message.
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next field; nil after the last. Fields of eight bytes, which no message here has, are passed over.
  mutating func next() throws(ESPHomeError) -> (field: UInt64, value: Value)? {
    while !rest.isEmpty {
      let tag = try number()
      switch tag & 7 {
      case 0: return (tag >> 3, .number(try number()))
      case 1: _ = try takeBytes(8)
      case 2:
        let count = try number()
        guard count <= UInt64(rest.count) else { throw .malformedMessage }
        return (tag >> 3, .bytes(try takeBytes(Int(count))))
      case 5: return (tag >> 3, .word(try takeBytes(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }))
      default: throw .malformedMessage
      }
    }
    return nil
  }

  /// Seven bits a byte, the least significant first; the highest bit of a byte says that another follows.
  private mutating func number() throws(ESPHomeError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = rest.popFirst() else { throw .malformedMessage }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .malformedMessage
  }

  private mutating func takeBytes(_ count: Int) throws(ESPHomeError) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .malformedMessage }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}

/// Writes the fields of a message. A field that has the value of its absence is left out, but not in a list.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  init(_ fields: (inout FieldWriter) -> Void = { _ in }) { fields(&self) }

  mutating func number(_ field: Int, _ value: some BinaryInteger) {
    if value != 0 { element(field, UInt64(truncatingIfNeeded: value)) }
  }

  mutating func flag(_ field: Int, _ value: Bool) { number(field, value ? 1 : 0) }

  /// A number that may be below zero (sint32).
  mutating func signed(_ field: Int, _ value: Int32) {
    number(field, UInt32(bitPattern: value << 1 ^ value >> 31))
  }

  /// A number of a list.
  mutating func element(_ field: Int, _ value: UInt64) {
    bytes.append(number: UInt64(field) << 3)
    bytes.append(number: value)
  }

  mutating func word(_ field: Int, _ value: UInt32) {
    guard value != 0 else { return }
    bytes.append(number: UInt64(field) << 3 | 5)
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func float(_ field: Int, _ value: Float) { word(field, value.bitPattern) }

  mutating func text(_ field: Int, _ value: String) { data(field, value.utf8) }

  mutating func data(_ field: Int, _ value: some Collection<UInt8>) {
    if !value.isEmpty { item(field, value) }
  }

  /// A text, or bytes, of a list.
  mutating func item(_ field: Int, _ value: some Collection<UInt8>) {
    bytes.append(number: UInt64(field) << 3 | 2)
    bytes.append(number: UInt64(value.count))
    bytes += value
  }

  /// A message of a list.
  mutating func message(_ field: Int, _ fields: (inout FieldWriter) -> Void) {
    item(field, FieldWriter(fields).bytes)
  }
}

extension [UInt8] {
  /// Appends a number, seven bits a byte, the least significant first.
  mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
