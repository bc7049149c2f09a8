// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces

extension Unicode.Scalar {
  /// Whether the character is drawn over the one before it.
  var isCombiningMark: Bool {
    let category = properties.generalCategory
    return category == .nonspacingMark || category == .enclosingMark
  }

  /// Columns of a terminal that the character takes; meant for those that are not hidden from people.
  var columnCount: Int {
    isCombiningMark ? 0 : EastAsianWidth.isWide(value) ? 2 : 1
  }
}
