// SPDX-License-Identifier: GPL-3.0-or-later

/// A key of a terminal.
public enum PickerKey: Equatable, Sendable {
  /// A character that was typed or pasted; controls come as the keys below, others not at all.
  case character(Unicode.Scalar)
  case enter, escape, tab, backTab
  case up, down, left, right, pageUp, pageDown, home, end
  case backspace, delete
  /// Ctrl-U: all that was typed.
  case clear
}
