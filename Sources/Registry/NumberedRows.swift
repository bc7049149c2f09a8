// SPDX-License-Identifier: GPL-3.0-or-later

/// A row with a number that is its own in its table and above zero.
public protocol NumberedRow: Equatable, Sendable {
  var number: Int64 { get set }
}

/// The rows of one table in the order of their numbers.
///
/// Searching by number halves; everything else looks at each row, of which there are 2,048 at most
/// (``RegistryLimits``).
struct NumberedRows<Row: NumberedRow>: Equatable, Sendable {
  private(set) var rows: [Row] = []

  /// The number of a row that is added next.
  var nextNumber: Int64 { (rows.last?.number ?? 0) + 1 }

  subscript(number: Int64) -> Row? {
    let place = place(of: number)
    return place < rows.count && rows[place].number == number ? rows[place] : nil
  }

  /// Adds the row, in place of one with its number.
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

  /// Where the rows behind a number begin.
  func place(after number: Int64) -> Int { place(of: number + 1) }

  /// Where a row with that number is or would be.
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
