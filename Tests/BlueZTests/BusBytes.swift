// SPDX-License-Identifier: GPL-3.0-or-later

/// Writes the bytes of D-Bus values for tests, in either byte order, from the specification and not from the reader.
struct BusBytes {
  private(set) var bytes: [UInt8] = []
  let isBigEndian: Bool

  init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

  mutating func align(_ count: Int) {
    while bytes.count % count != 0 { bytes.append(0) }
  }

  mutating func number(_ value: UInt64, _ byteCount: Int) {
    align(byteCount)
    let little = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    bytes += isBigEndian ? little.reversed() : little
  }

  mutating func string(_ text: String) {
    number(UInt64(text.utf8.count), 4)
    bytes += Array(text.utf8) + [0]
  }

  mutating func signature(_ text: String) { bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0] }

  mutating func variant(_ type: String, _ body: (inout BusBytes) -> Void) {
    signature(type)
    body(&self)
  }

  /// An array whose elements begin at multiples of `alignment`.
  mutating func array(_ alignment: Int, _ body: (inout BusBytes) -> Void) {
    number(0, 4)
    let lengthOffset = bytes.count - 4
    align(alignment)
    let start = bytes.count
    body(&self)
    var length = BusBytes(isBigEndian: isBigEndian)
    length.number(UInt64(bytes.count - start), 4)
    bytes.replaceSubrange(lengthOffset..<lengthOffset + 4, with: length.bytes)
  }

  /// A structure, or an entry of a dictionary.
  mutating func structure(_ body: (inout BusBytes) -> Void) {
    align(8)
    body(&self)
  }
}

extension BusBytes {
  /// A reply with a body of this signature to the call with serial 2.
  static func reply(
    _ signature: String, isBigEndian: Bool = false, kind: UInt8 = 2, error: String? = nil,
    _ body: (inout BusBytes) -> Void = { _ in }
  ) -> [UInt8] {
    var content = BusBytes(isBigEndian: isBigEndian)
    body(&content)
    var message = BusBytes(isBigEndian: isBigEndian)
    message.bytes = [UInt8(ascii: isBigEndian ? "B" : "l"), kind, 1, 1]
    message.number(UInt64(content.bytes.count), 4)
    message.number(77, 4)
    message.array(8) { fields in
      fields.structure { field in
        field.bytes.append(5)
        field.variant("u") { $0.number(2, 4) }
      }
      if let error {
        fields.structure { field in
          field.bytes.append(4)
          field.variant("s") { $0.string(error) }
        }
      }
      guard !signature.isEmpty else { return }
      fields.structure { field in
        field.bytes.append(8)
        field.variant("g") { $0.signature(signature) }
      }
    }
    message.align(8)
    return message.bytes + content.bytes
  }
}
