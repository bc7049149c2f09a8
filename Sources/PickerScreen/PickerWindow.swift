// SPDX-License-Identifier: GPL-3.0-or-later

/// The part of a list that is on the screen, around a row that stays on its line.
///
/// Where too few lines above or below that row would leave the screen part empty, the list is a ring: its first line
/// follows its last.
struct PickerWindow {
  /// The whole list.
  let lines: [PickerList.Line]
  /// The index in the list of the first line on the screen; negative when empty lines come first.
  let top: Int
  let height: Int

  /// How many lines do not fit; negative for the empty lines of the screen.
  private var spare: Int { lines.count - height }
  private var isRing: Bool { top < min(0, spare) || top > max(0, spare) }

  /// The index in the list of a line of the screen; nil for an empty one. A ring continues with its first line.
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

  /// The index of the row `count` rows below another one (above it, if negative), in the order on the screen, or of the
  /// last one in that direction.
  func place(_ count: Int, rowsFrom place: Int) -> Int {
    let isJump = abs(count) >= PickerList.rowsMax
    let ring = (0..<max(lines.count, height)).compactMap(self.place).filter { lines[$0].row != nil }
    let places = isRing && !isJump ? ring : rowPlaces
    guard let index = places.firstIndex(of: place) else { return place }
    guard isRing, !isJump, spare > 0 else { return places[max(0, min(places.count - 1, index + count))] }
    return places[((index + count) % places.count + places.count) % places.count]
  }

  /// The line of the screen that shows an index, or the nearest one.
  func line(of place: Int) -> Int {
    (0..<height).first { self.place(at: $0) == place } ?? (place < top ? 0 : height - 1)
  }
}
