// SPDX-License-Identifier: Apache-2.0

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
