// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Rendering

/// The devices of a request, in the order of their rows, and which of them is selected.
///
/// The selected device stays on its line of the screen whatever happens around it: within its group it keeps its place
/// while the others are sorted about it, and what comes and goes above it scrolls. Once it is gone its row stays until
/// the person goes elsewhere, so that no other device slips under a key that is being pressed.
///
/// Capacity: ``rowsMax`` devices, more than the agent tells of; others are not shown.
struct PickerList: Equatable, Sendable {
  static let rowsMax = 256

  /// A line of the list.
  enum Line: Equatable {
    case heading(item: Int)
    case row(PickerRow)
  }

  /// Whether a line with its item's name stands above each group.
  let hasHeadings: Bool
  private(set) var rows: [PickerRow] = []
  private(set) var selected: DeviceAddress?
  /// Of the selected row: its place in its group, and the line that it is shown on, as far as there are so many.
  private var slot = 0
  private var anchor: Int

  init(hasHeadings: Bool) {
    self.hasHeadings = hasHeadings
    anchor = hasHeadings ? 1 : 0
  }

  var isEmpty: Bool { rows.isEmpty }
  var selectedRow: PickerRow? { rows.first { $0.line.address == selected } }

  // MARK: What the agent tells

  mutating func take(_ line: CandidateLine, at now: Instant) {
    if let index = rows.firstIndex(where: { $0.line.address == line.address }) {
      rows[index].update(line, at: now)
    } else if rows.count < Self.rowsMax {
      rows.append(PickerRow(line, at: now))
      if selected == nil { selected = line.address }
    }
  }

  mutating func lose(_ candidate: UInt32) {
    guard let index = rows.firstIndex(where: { $0.line.candidate == candidate }) else { return }
    if rows[index].line.address == selected { rows[index].isGone = true } else { rows.remove(at: index) }
  }

  // MARK: Lines

  /// The rows of each group, the groups in the order of their items.
  var lines: [Line] {
    let groups = Dictionary(grouping: rows, by: \.line.itemIndex)
    return groups.keys.sorted().flatMap { item -> [Line] in
      let lines = arranged(groups[item] ?? []).map(Line.row)
      return hasHeadings ? [.heading(item: item)] + lines : lines
    }
  }

  private func arranged(_ group: [PickerRow]) -> [PickerRow] {
    var rows = group.filter { $0.line.address != selected }.sorted(by: PickerRow.isBefore)
    if let row = group.first(where: { $0.line.address == selected }) {
      rows.insert(row, at: min(slot, rows.count))
    }
    return rows
  }

  /// What is shown on so many lines of the screen; nil stands for an empty one.
  func visible(height: Int) -> [Line?] {
    let lines = lines
    let top = top(of: lines, height: height)
    return (top..<top + height).map { lines.indices.contains($0) ? lines[$0] : nil }
  }

  /// How many rows are out of sight, above and below.
  func hiddenCounts(height: Int) -> (above: Int, below: Int) {
    let lines = lines
    let top = top(of: lines, height: height)
    let places = rowPlaces(in: lines)
    return (places.count { $0 < top }, places.count { $0 >= top + height })
  }

  /// The line that is shown first; negative when there is room above all of them.
  private func top(of lines: [Line], height: Int) -> Int {
    (place(in: lines) ?? 0) - max(0, min(anchor, height - 1))
  }

  private func place(in lines: [Line]) -> Int? {
    lines.firstIndex { line in
      if case .row(let row) = line { row.line.address == selected } else { false }
    }
  }

  private func rowPlaces(in lines: [Line]) -> [Int] {
    lines.indices.filter { if case .row = lines[$0] { true } else { false } }
  }

  // MARK: Keys

  /// Moves the selection by so many rows, as far as there are rows.
  mutating func move(by count: Int, height: Int) {
    let seen = lines
    let places = rowPlaces(in: seen)
    guard let old = place(in: seen), let index = places.firstIndex(of: old) else { return }
    let target = places[max(0, min(places.count - 1, index + count))]
    guard target != old, case .row(let row) = seen[target] else { return }
    let wanted = target - top(of: seen, height: height)
    slot = slot(of: target, in: seen)
    // A device that is gone stays only while it is selected.
    rows.removeAll { $0.line.address == selected && $0.isGone }
    selected = row.line.address
    anchor = settled(wanted, height: height)
  }

  /// The line for the selected row that is nearest to the wanted one and leaves no lines empty that could be filled.
  private func settled(_ wanted: Int, height: Int) -> Int {
    let lines = lines
    let place = place(in: lines) ?? 0
    // Its group's heading is shown with the first row.
    let line = max(hasHeadings && place == 1 ? 1 : 0, min(wanted, height - 1))
    let top = max(0, min(place - line, max(0, lines.count - height)))
    return place - top
  }

  private func slot(of place: Int, in lines: [Line]) -> Int {
    var slot = 0
    for line in lines[..<place].reversed() {
      switch line {
      case .heading: return slot
      case .row(let row): slot += row.isGone ? 0 : 1
      }
    }
    return slot
  }
}
