// SPDX-License-Identifier: GPL-3.0-or-later

/// How a screen divides its lines. The list always begins on the same line, so that the selected row does not move.
///
/// Columns and rows are counted in characters of the terminal.
struct PickerLayout: Equatable {
  static let columnsMin = 40
  static let rowsMin = 10

  /// Whether there is room for a line above the columns.
  let hasCaptions: Bool
  /// Tabs, question, facts, and captions.
  let headerHeight: Int
  let listHeight: Int
  /// The selected device, and the last message.
  let infoHeight: Int

  init(_ size: ScreenSize) {
    hasCaptions = size.rows >= 16
    headerHeight = hasCaptions ? 4 : 3
    infoHeight = hasCaptions ? 3 : 2
    // The last line shows the keys.
    listHeight = max(1, size.rows - headerHeight - infoHeight - 1)
  }
}

extension PickerModel {
  var layout: PickerLayout { PickerLayout(size) }

  var isLargeEnough: Bool { size.columns >= PickerLayout.columnsMin && size.rows >= PickerLayout.rowsMin }
}
