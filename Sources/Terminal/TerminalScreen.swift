// SPDX-License-Identifier: GPL-3.0-or-later

import CCurses
public import PickerScreen

/// The terminal of standard input and output, taken over until this value ends, which restores it.
///
/// One at a time. Signals that end the program restore the terminal too, except SIGKILL.
public struct TerminalScreen: ~Copyable {
  /// Whether standard input and output are a terminal.
  public static var isThere: Bool { ccurses_is_terminal() != 0 }

  /// Nil when the terminal ($TERM) is of an unknown kind, or has no screen to draw on.
  public init?(isColored: Bool) {
    guard ccurses_begin(isColored ? 1 : 0) == 0 else { return nil }
  }

  deinit { ccurses_end() }

  public var size: ScreenSize {
    ScreenSize(columns: Int(ccurses_columns()), rows: Int(ccurses_rows()))
  }

  public var glyphs: Glyphs { ccurses_is_unicode() != 0 ? .unicode : .ascii }

  /// Adopts the terminal's present size.
  public mutating func resize() { ccurses_resize() }

  public mutating func show(_ screen: Screen) {
    ccurses_erase()
    for (row, line) in screen.lines.enumerated() {
      for span in line.spans {
        // Holds: the call only reads the text.
        unsafe ccurses_draw(Int32(row), Int32(span.column), span.text, span.style.number)
      }
    }
    ccurses_show(Int32(screen.cursor?.line ?? -1), Int32(screen.cursor?.column ?? -1))
  }

  /// The next key that was pressed; nil when there is none yet.
  public mutating func nextKey() -> PickerKey? {
    while true {
      var scalar: UInt32 = 0
      // Holds: `scalar` is a local variable.
      let key = unsafe ccurses_key(&scalar)
      switch Int(key) {
      case CCURSES_NONE: return nil
      case CCURSES_CHARACTER:
        if let character = Unicode.Scalar(scalar) { return .character(character) }
      case CCURSES_REDRAW: ccurses_redraw()
      default:
        if let known = Self.keys[Int(key)] { return known }
      }
    }
  }

  private static let keys: [Int: PickerKey] = [
    CCURSES_ENTER: .enter, CCURSES_ESCAPE: .escape, CCURSES_TAB: .tab, CCURSES_BACK_TAB: .backTab,
    CCURSES_UP: .up, CCURSES_DOWN: .down, CCURSES_LEFT: .left, CCURSES_RIGHT: .right,
    CCURSES_PAGE_UP: .pageUp, CCURSES_PAGE_DOWN: .pageDown, CCURSES_HOME: .home, CCURSES_END: .end,
    CCURSES_BACKSPACE: .backspace, CCURSES_DELETE: .delete, CCURSES_CLEAR: .clear,
  ]
}

extension ScreenStyle {
  fileprivate var number: Int32 {
    let styles: [(ScreenStyle, Int)] = [
      (.strong, CCURSES_STRONG), (.faint, CCURSES_FAINT), (.reversed, CCURSES_REVERSED),
      (.good, CCURSES_GOOD), (.bad, CCURSES_BAD),
    ]
    return Int32(styles.reduce(0) { contains($1.0) ? $0 | $1.1 : $0 })
  }
}
