// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import RegistryFormat

/// A digest of all rows, which the file stores beside them: SQLite keeps no checksums, so damage may leave a file that
/// is valid but holds other values.
///
/// It is the number of rows and the sum of their hashes, so that a change needs only the rows that it writes. It finds
/// damage, not forgery: a program that can change rows can also change the digest.
struct RowDigest: Equatable {
  private(set) var rowCount: Int64 = 0
  private(set) var hash: UInt64 = 0

  init() {}

  /// Creates a digest from the values of its own row; nil if they are none.
  init?(_ values: [Value]) {
    guard values.count == 2, case .integer(let rowCount) = values[0], case .integer(let hash) = values[1]
    else {
      return nil
    }
    self.rowCount = rowCount
    self.hash = UInt64(bitPattern: hash)
  }

  /// The values of its own row.
  var values: [Value] { [.integer(rowCount), .integer(Int64(bitPattern: hash))] }

  mutating func add(_ values: [Value], of table: RegistryTable) {
    rowCount &+= 1
    hash &+= Self.hash(values, of: table)
  }

  mutating func remove(_ values: [Value], of table: RegistryTable) {
    rowCount &-= 1
    hash &-= Self.hash(values, of: table)
  }

  private static func hash(_ values: [Value], of table: RegistryTable) -> UInt64 {
    var hash = StableHash()
    hash.add(Array(table.rawValue.utf8))
    for (column, value) in zip(table.columns, values) {
      if column.addedIn != nil {
        // As if the column were not there: rows have the digest that older versions stored.
        if value == .null { continue }
        hash.add(Array(column.name.utf8))
      }
      switch value {
      case .null: hash.add(byte: 0)
      case .integer(let integer):
        hash.add(byte: 1)
        hash.add(number: UInt64(bitPattern: integer))
      case .text(let text):
        hash.add(byte: 2)
        hash.add(Array(text.utf8))
      case .bytes(let bytes):
        hash.add(byte: 3)
        hash.add(bytes)
      case .unsupported: hash.add(byte: 4)
      }
    }
    return hash.result
  }
}

/// A hash that is the same in every run: FNV-1a with 64 bits (Fowler, Noll, Vo), and the last step of SplitMix64, so
/// that sums of hashes do not cancel.
private struct StableHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

  mutating func add(number: UInt64) {
    for shift in stride(from: 0 as UInt64, to: 64, by: 8) {
      add(byte: UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// Adds bytes after their count, so that adjacent values cannot trade bytes.
  mutating func add(_ bytes: [UInt8]) {
    add(number: UInt64(bytes.count))
    for byte in bytes { add(byte: byte) }
  }

  var result: UInt64 {
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
