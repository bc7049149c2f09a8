// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// The devices and networks of a request in the order of their rows, and the selected one.
///
/// Until a key acts on a row, the list shows its top, and the first row is selected. From then on the selected device
/// stays on its line of the screen whatever happens around it: the other rows are sorted around it, and no line is
/// empty while rows are out of sight. When the device is gone, its row stays until the selection moves, so that no
/// other device slips under a key that is being pressed.
///
/// With a filter only the candidates appear of which the name, the name of their own or of the network, or the address
/// has its text.
///
/// Capacity: ``rowsMax`` devices, more than the agent reports; further ones do not appear.
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

  /// Whether each group has a line with its item's name.
  let hasHeadings: Bool
  private var all: [PickerRow] = []
  /// The rows that the filter lets through.
  var rows: [PickerRow] { filter.isEmpty ? all : all.filter { $0.line.hasText(filter) } }
  /// In lower case; empty for none.
  private(set) var filter = ""
  /// The device that the operator selected; nil before the first key.
  private(set) var pinned: CandidateLine.Key?
  /// When another device took the first row; nil while the row has its first device.
  private(set) var firstChanged: Instant?
  private var first: CandidateLine.Key?
  /// The pinned row's index in its group, while the group has that many rows.
  private var slot = 0
  /// The line of the screen for the pinned row, while the screen has that many lines.
  private var anchor = 0

  init(hasHeadings: Bool) { self.hasHeadings = hasHeadings }

  var isEmpty: Bool { all.isEmpty }
  /// With and without the filter.
  var counts: (shown: Int, all: Int) { (rows.count, all.count) }
  var selected: CandidateLine.Key? { pinned ?? firstRow?.line.key }
  var selectedRow: PickerRow? { rows.first { $0.line.key == selected } }
  private var firstRow: PickerRow? { rows.min(by: PickerRow.isAbove) }

  // MARK: Replies of the agent

  mutating func update(_ line: CandidateLine, at now: Instant) {
    if let index = all.firstIndex(where: { $0.line.key == line.key }) {
      all[index].update(line, at: now)
    } else if all.count < Self.rowsMax {
      all.append(PickerRow(line, at: now))
    }
    noteFirst(at: now)
  }

  mutating func markGone(_ candidate: UInt32, at now: Instant) {
    guard let index = all.firstIndex(where: { $0.line.candidate == candidate }) else { return }
    if all[index].line.key == pinned { all[index].isGone = true } else { all.remove(at: index) }
    noteFirst(at: now)
  }

  private mutating func noteFirst(at now: Instant) {
    guard let key = firstRow?.line.key, key != first else { return }
    if first != nil { firstChanged = now }
    first = key
  }

  // MARK: Lines

  /// The lines that a screen of this height shows; nil for an empty one.
  func visible(height: Int) -> [Line?] { window(height: height).visible }

  /// The part of the list that a screen of this height shows.
  func window(height: Int) -> PickerWindow {
    let groups = groups
    let count = rows.count + (hasHeadings ? groups.count : 0)
    let anchor = max(0, min(anchor, height - 1))
    var lines: [Line] = []
    var top = 0
    for (item, group) in groups {
      if hasHeadings { lines.append(.heading(item: item)) }
      var rows = group.sorted(by: PickerRow.isAbove)
      if let index = rows.firstIndex(where: { $0.line.key == pinned }) {
        let row = rows.remove(at: index)
        // The place at which the list fills the screen.
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

  /// Shows only devices that have the text; the selection restarts when its device does not have it.
  mutating func show(only text: String, at now: Instant) {
    filter = text.lowercased()
    if pinned != nil, selectedRow == nil { (pinned, slot, anchor) = (nil, 0, 0) }
    noteFirst(at: now)
  }

  /// Fixes the selected row on its line.
  mutating func pin() {
    guard pinned == nil, let row = firstRow else { return }
    pinned = row.line.key
    slot = 0
    anchor = hasHeadings ? 1 : 0
  }

  /// Moves the selection by `count` rows, or to the last one in that direction.
  mutating func move(by count: Int, height: Int) {
    pin()
    let seen = window(height: height)
    guard let old = seen.lines.firstIndex(where: { $0.row?.line.key == pinned }) else { return }
    let target = seen.place(count, rowsFrom: old)
    guard target != old, let row = seen.lines[target].row else { return }
    slot = slot(of: target, in: seen.lines)
    // The row of a device that is gone stays only while it is selected.
    all.removeAll { $0.line.key == pinned && $0.isGone }
    pinned = row.line.key
    anchor = seen.line(of: target)
    settle(height: height)
  }

  /// Puts the selected row on the nearest line at which the list fills the screen.
  mutating func settle(height: Int) {
    guard let item = selectedRow?.line.itemIndex, pinned != nil else { return }
    let groups = groups
    let before = groups.filter { $0.item < item }.reduce(0) { $0 + $1.rows.count }
    let headings = hasHeadings ? groups.count { $0.item <= item } : 0
    let size = groups.first { $0.item == item }?.rows.count ?? 1
    let place = before + headings + min(slot, size - 1)
    let count = rows.count + (hasHeadings ? groups.count : 0)
    // The first row keeps its group's heading in sight.
    let line = max(hasHeadings && place == 1 ? 1 : 0, min(anchor, height - 1))
    anchor = place - max(0, min(place - line, count - height))
  }

  private func slot(of place: Int, in lines: [Line]) -> Int {
    let rows = lines[..<place].reversed().prefix { $0.row != nil }
    return rows.count { $0.row?.isGone == false }
  }
}

extension CandidateLine {
  /// Whether a name or the address has a text, which is in lower case.
  fileprivate func hasText(_ text: String) -> Bool {
    [name, (deviceName ?? ssid)?.repaired, address?.text].contains { field in
      field.map { field in
        let rest = Array(field.lowercased().unicodeScalars)
        let wanted = Array(text.unicodeScalars)
        return (0..<max(0, rest.count - wanted.count + 1)).contains { rest[$0...].starts(with: wanted) }
      } ?? false
    }
  }
}
