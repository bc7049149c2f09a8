// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// The devices of a request, in the order of their rows, and which of them is selected.
///
/// Until a key is about a row, the list shows its top, whose first row is selected. From then on the selected device
/// stays on its line of the screen whatever happens around it: the others are sorted about it, and no line is empty while
/// there are rows out of sight. Once it is gone its row stays until the person goes elsewhere, so that no other device
/// slips under a key that is being pressed.
///
/// Capacity: ``rowsMax`` devices, more than the agent tells of; others are not shown.
struct PickerList: Equatable, Sendable {
  static let rowsMax = 256

  /// A line of the list.
  enum Line: Equatable {
    case heading(item: Int)
    case row(PickerRow)

    var row: PickerRow? {
      switch self {
      case .heading: nil
      case .row(let row): row
      }
    }
  }

  /// Whether a line with its item's name stands above each group.
  let hasHeadings: Bool
  private(set) var rows: [PickerRow] = []
  /// The device that the person has gone to; nil before the first key.
  private(set) var pinned: DeviceAddress?
  /// When another device took the first row; nil while it is its first one's.
  private(set) var firstChanged: Instant?
  private var first: DeviceAddress?
  /// Of the pinned row: its place in its group, and the line that it is shown on, as far as there are so many.
  private var slot = 0
  private var anchor = 0

  init(hasHeadings: Bool) { self.hasHeadings = hasHeadings }

  var isEmpty: Bool { rows.isEmpty }
  var selected: DeviceAddress? { pinned ?? firstRow?.line.address }
  var selectedRow: PickerRow? { rows.first { $0.line.address == selected } }
  private var firstRow: PickerRow? { rows.min(by: PickerRow.isAbove) }

  // MARK: What the agent tells

  mutating func take(_ line: CandidateLine, at now: Instant) {
    if let index = rows.firstIndex(where: { $0.line.address == line.address }) {
      rows[index].update(line, at: now)
    } else if rows.count < Self.rowsMax {
      rows.append(PickerRow(line, at: now))
    }
    noteFirst(at: now)
  }

  mutating func lose(_ candidate: UInt32, at now: Instant) {
    guard let index = rows.firstIndex(where: { $0.line.candidate == candidate }) else { return }
    if rows[index].line.address == pinned { rows[index].isGone = true } else { rows.remove(at: index) }
    noteFirst(at: now)
  }

  private mutating func noteFirst(at now: Instant) {
    guard let address = firstRow?.line.address, address != first else { return }
    if first != nil { firstChanged = now }
    first = address
  }

  // MARK: Lines

  /// What is shown on so many lines of the screen; nil stands for an empty one.
  func visible(height: Int) -> [Line?] { window(height: height).visible }

  /// The part of the list that is shown on so many lines.
  func window(height: Int) -> PickerWindow {
    let groups = groups
    let count = rows.count + (hasHeadings ? groups.count : 0)
    let anchor = max(0, min(anchor, height - 1))
    var lines: [Line] = []
    var top = 0
    for (item, group) in groups {
      if hasHeadings { lines.append(.heading(item: item)) }
      var rows = group.sorted(by: PickerRow.isAbove)
      if let index = rows.firstIndex(where: { $0.line.address == pinned }) {
        let row = rows.remove(at: index)
        // Where it has to stand for the list to fill the screen.
        let spare = count - height
        let wanted = max(anchor + min(0, spare), min(lines.count + slot, anchor + max(0, spare)))
        let place = max(lines.count, min(wanted, lines.count + rows.count))
        rows.insert(row, at: place - lines.count)
        top = place - anchor
      }
      lines += rows.map(Line.row)
    }
    return PickerWindow(lines: lines, top: top, height: height)
  }

  /// The rows of each item, in the items' order.
  private var groups: [(item: Int, rows: [PickerRow])] {
    Dictionary(grouping: rows, by: \.line.itemIndex).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  // MARK: Keys

  /// From now on the selected row stays where it is.
  mutating func pin() {
    guard pinned == nil, let row = firstRow else { return }
    pinned = row.line.address
    slot = 0
    anchor = hasHeadings ? 1 : 0
  }

  /// Moves the selection by so many rows, as far as there are rows.
  mutating func move(by count: Int, height: Int) {
    pin()
    let seen = window(height: height)
    guard let old = seen.lines.firstIndex(where: { $0.row?.line.address == pinned }) else { return }
    let target = seen.place(count, rowsFrom: old)
    guard target != old, let row = seen.lines[target].row else { return }
    slot = slot(of: target, in: seen.lines)
    // A device that is gone stays only while it is selected.
    rows.removeAll { $0.line.address == pinned && $0.isGone }
    pinned = row.line.address
    anchor = seen.line(of: target)
    settle(height: height)
  }

  /// Puts the selected row on the nearest line from which the list fills the screen as it is.
  mutating func settle(height: Int) {
    guard let item = selectedRow?.line.itemIndex, pinned != nil else { return }
    let groups = groups
    let before = groups.filter { $0.item < item }.reduce(0) { $0 + $1.rows.count }
    let headings = hasHeadings ? groups.count { $0.item <= item } : 0
    let size = groups.first { $0.item == item }?.rows.count ?? 1
    let place = before + headings + min(slot, size - 1)
    let count = rows.count + (hasHeadings ? groups.count : 0)
    // Its group's heading is shown with the first row.
    let line = max(hasHeadings && place == 1 ? 1 : 0, min(anchor, height - 1))
    anchor = place - max(0, min(place - line, count - height))
  }

  private func slot(of place: Int, in lines: [Line]) -> Int {
    let rows = lines[..<place].reversed().prefix { $0.row != nil }
    return rows.count { $0.row?.isGone == false }
  }
}
