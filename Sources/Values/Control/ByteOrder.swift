// SPDX-License-Identifier: Apache-2.0

// Numbers as arrays of bytes, away from the data path, which reads them with the cursor of HCI.

extension FixedWidthInteger {
  /// The bytes, the least significant first.
  package var littleEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }

  /// The number that these bytes are, the most significant first.
  package init(bigEndian bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Self($1) } }
}

extension Block128 {
  /// Returns nil unless there are 16 bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.init(high: UInt64(bigEndian: bytes[..<8]), low: UInt64(bigEndian: bytes[8...]))
  }
}
