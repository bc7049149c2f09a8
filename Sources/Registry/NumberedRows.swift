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

/// How the places of a bounded table that several apps fill are divided: half of them among the apps of the manifest, at
/// least one each while they reach; the other half goes to who comes first.
public enum PlaceShares {
  /// Whether an app may take one more place and leave every other app its share.
  ///
  /// - Parameters:
  ///   - owners: The app of each place that is taken.
  ///   - appCount: The number of apps in the manifest.
  public static func admit(_ app: String, among owners: [String], appCount: Int, capacity: Int) -> Bool {
    guard owners.count < capacity else { return false }
    let share = max(1, capacity / 2 / max(1, appCount))
    var counts: [String: Int] = [app: 0]
    for owner in owners { counts[owner, default: 0] += 1 }
    guard let own = counts.removeValue(forKey: app), own >= share else { return true }
    let absent = max(0, appCount - 1 - counts.count) * share
    let kept = counts.values.reduce(absent) { $0 + max(0, share - $1) }
    return owners.count + kept < capacity
  }
}

/// A row of a table that several apps fill, in which the oldest rows give way.
protocol AppRow: NumberedRow {
  var app: String { get }
}

extension RegistryTombstone: AppRow {}
extension FormerIdentifier: AppRow {}

extension NumberedRows where Row: AppRow {
  /// The row that gives way to a new one of an app: the oldest of the app that has the most; of its own when none has
  /// more than it.
  func rowToReplace(for app: String) -> Row? {
    var counts: [String: Int] = [:]
    for row in rows { counts[row.app, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    let owner = counts[app] == most ? app : rows.first { counts[$0.app] == most }?.app
    return rows.first { $0.app == owner }
  }
}
