// SPDX-License-Identifier: GPL-3.0-or-later

/// A row with a number above zero that is unique in its table.
public protocol NumberedRow: Equatable, Sendable {
  var number: Int64 { get set }
}

/// The rows of one table in the order of their numbers.
///
/// A search by number is binary; every other search is linear over at most 2,048 rows (``RegistryLimits``).
struct NumberedRows<Row: NumberedRow>: Equatable, Sendable {
  private(set) var rows: [Row] = []

  /// The number of the next added row.
  var nextNumber: Int64 { (rows.last?.number ?? 0) + 1 }

  subscript(number: Int64) -> Row? {
    let index = index(of: number)
    return index < rows.count && rows[index].number == number ? rows[index] : nil
  }

  /// Adds the row, or replaces the row with its number.
  mutating func put(_ row: Row) {
    let index = index(of: row.number)
    if index < rows.count, rows[index].number == row.number {
      rows[index] = row
    } else {
      rows.insert(row, at: index)
    }
  }

  mutating func drop(_ number: Int64) {
    let index = index(of: number)
    if index < rows.count, rows[index].number == number { rows.remove(at: index) }
  }

  /// Returns the index of the first row after a number.
  func index(after number: Int64) -> Int { index(of: number + 1) }

  /// Returns the index where the row with this number is or would be inserted.
  private func index(of number: Int64) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
