// SPDX-License-Identifier: Apache-2.0

/// How a number lies in bytes, and what it counts: a row of a format's table.
struct SensorField {
  let name: String
  let unit: String?
  /// Where it begins, in a layout of a fixed size.
  let offset: Int
  /// 1 to 4.
  let byteCount: Int
  let isSigned: Bool
  /// What the number is multiplied by, and then added to it; `exponent` is that of the result.
  let factor: Int64
  let addend: Int64
  let exponent: Int
  /// The bits of the number, where several share bytes: how many are below them, and how many they are.
  let bits: (shift: Int, count: Int)?
  /// The number that says that the value is not available.
  let missing: Int64?

  init(
    _ name: String, _ unit: String? = nil, at offset: Int = 0, _ byteCount: Int,
    signed isSigned: Bool = false,
    factor: Int64 = 1, plus addend: Int64 = 0, exponent: Int = 0, bits: (shift: Int, count: Int)? = nil,
    missing: Int64? = nil
  ) {
    (self.name, self.unit, self.offset, self.byteCount) = (name, unit, offset, byteCount)
    (self.isSigned, self.factor, self.addend, self.exponent) = (isSigned, factor, addend, exponent)
    (self.bits, self.missing) = (bits, missing)
  }

  /// The value; nil when the bytes say that there is none.
  func value(in data: ArraySlice<UInt8>, isBigEndian: Bool) -> SensorValue? {
    let field = data.dropFirst(offset).prefix(byteCount)
    guard field.count == byteCount else { return nil }
    var word = Int64(isBigEndian ? field.bigEndianWord : field.littleEndianWord)
    if let bits { word = (word >> Int64(bits.shift)) & ((1 << Int64(bits.count)) - 1) }
    if isSigned, word >= 1 << Int64(8 * byteCount - 1) { word -= 1 << Int64(8 * byteCount) }
    guard word != missing else { return nil }
    return SensorValue(name, .number(DecimalNumber(word * factor + addend, exponent: exponent)), unit: unit)
  }
}

extension ArraySlice<UInt8> {
  /// The bytes as a number, the most significant one first.
  var bigEndianWord: UInt32 { reduce(0) { $0 << 8 | UInt32($1) } }

  /// The bytes as a number, the least significant one first.
  var littleEndianWord: UInt32 { reversed().reduce(0) { $0 << 8 | UInt32($1) } }

  /// The byte at an offset from the first one; nil after the last one.
  func byte(at offset: Int) -> UInt8? { dropFirst(offset).first }
}
