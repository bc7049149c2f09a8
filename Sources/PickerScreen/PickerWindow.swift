// SPDX-License-Identifier: GPL-3.0-or-later

/// The part of a list that is on the screen, around a row that stays on its line.
///
/// Where there are too few lines above or below that row to fill the screen, the list is a ring: behind its last line
/// comes its first.
struct PickerWindow {
  /// All of the list, from its beginning.
  let lines: [PickerList.Line]
  /// The place in the list of what is shown first; below zero when there is room above all of it.
  let top: Int
  let height: Int

  /// Lines that find no room; below zero, lines of the screen that need nothing.
  private var spare: Int { lines.count - height }
  private var isRing: Bool { top < min(0, spare) || top > max(0, spare) }

  /// The place in the list of what a line of the screen shows; nil for nothing. In a ring, lines below the screen go on.
  private func place(at line: Int) -> Int? {
    let length = max(lines.count, height)
    let place = isRing ? ((top + line) % length + length) % length : top + line
    return lines.indices.contains(place) ? place : nil
  }

  var visible: [PickerList.Line?] { (0..<height).map { place(at: $0).map { lines[$0] } } }

  /// How many rows are out of sight, above and below.
  var hiddenCounts: (above: Int, below: Int) {
    let shown = Set((0..<height).compactMap(place))
    let hidden = rowPlaces.filter { !shown.contains($0) }
    guard isRing else { return (hidden.count { $0 < top }, hidden.count { $0 >= top }) }
    return top > 0 ? (hidden.count, 0) : (0, hidden.count)
  }

  private var rowPlaces: [Int] { lines.indices.filter { lines[$0].row != nil } }

  /// The place of the row that is so many rows below another one, or above it, as they are seen; as far as there are rows.
  func place(_ count: Int, rowsFrom place: Int) -> Int {
    let isJump = abs(count) >= PickerList.rowsMax
    let ring = (0..<max(lines.count, height)).compactMap(self.place).filter { lines[$0].row != nil }
    let places = isRing && !isJump ? ring : rowPlaces
    guard let index = places.firstIndex(of: place) else { return place }
    guard isRing, !isJump, spare > 0 else { return places[max(0, min(places.count - 1, index + count))] }
    return places[((index + count) % places.count + places.count) % places.count]
  }

  /// The line of the screen that shows a place, or the one nearest to it.
  func line(of place: Int) -> Int {
    (0..<height).first { self.place(at: $0) == place } ?? (place < top ? 0 : height - 1)
  }
}
