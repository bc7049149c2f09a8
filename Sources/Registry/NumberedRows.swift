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
    let place = place(of: number)
    return place < rows.count && rows[place].number == number ? rows[place] : nil
  }

  /// Adds the row, or replaces the row with its number.
  mutating func put(_ row: Row) {
    let place = place(of: row.number)
    if place < rows.count, rows[place].number == row.number {
      rows[place] = row
    } else {
      rows.insert(row, at: place)
    }
  }

  mutating func drop(_ number: Int64) {
    let place = place(of: number)
    if place < rows.count, rows[place].number == number { rows.remove(at: place) }
  }

  /// Returns the index of the first row after a number.
  func place(after number: Int64) -> Int { place(of: number + 1) }

  /// Returns the index where the row with this number is or would be inserted.
  private func place(of number: Int64) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
