// SPDX-License-Identifier: GPL-3.0-or-later

/// How the lines of a screen are shared out. The list begins on the same line whatever else is shown, so that nothing
/// moves what is selected.
struct PickerLayout: Equatable {
  static let columnsMin = 40
  static let rowsMin = 10

  /// Whether there is room for a line above the columns.
  let hasCaptions: Bool
  /// Tabs, question, facts, and captions.
  let headerHeight: Int
  let listHeight: Int
  /// What is selected, and what has happened.
  let infoHeight: Int

  init(_ size: ScreenSize) {
    hasCaptions = size.rows >= 16
    headerHeight = hasCaptions ? 4 : 3
    infoHeight = hasCaptions ? 3 : 2
    // The last line has the keys.
    listHeight = max(1, size.rows - headerHeight - infoHeight - 1)
  }
}

extension PickerModel {
  var layout: PickerLayout { PickerLayout(size) }

  var isLargeEnough: Bool { size.columns >= PickerLayout.columnsMin && size.rows >= PickerLayout.rowsMin }
}
