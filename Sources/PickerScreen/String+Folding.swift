// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import ToolText

extension String {
  /// Lines of at most `columns` columns, folded at blanks, or anywhere in a word that is too long by itself.
  func folded(to columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ", omittingEmptySubsequences: false).flatMap({ $0.pieces(of: columns) }) {
      if !line.isEmpty, line.columnCount + 1 + word.columnCount > columns {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return lines + [line]
  }

  /// At most `columns` columns; an ellipsis replaces the rest. For text that is already safe for the terminal.
  func cut(to columns: Int, _ glyphs: Glyphs) -> String {
    guard columnCount > columns else { return self }
    return glyphs.shown(self, columnsMax: max(1, columns))
  }
}

extension Substring {
  fileprivate func pieces(of columns: Int) -> [String] {
    var pieces: [String] = []
    var piece = ""
    for character in self {
      if !piece.isEmpty, piece.columnCount + String(character).columnCount > columns {
        pieces.append(piece)
        piece = ""
      }
      piece.append(character)
    }
    return pieces + [piece]
  }
}
