// SPDX-License-Identifier: GPL-3.0-or-later
//
// ncurses (wide characters), as much of it as one screen needs.

#ifndef C_CURSES_H
#define C_CURSES_H

#include <stdint.h>

/// Keys that are no characters.
enum {
  CCURSES_NONE = 0,
  CCURSES_CHARACTER,
  CCURSES_ENTER,
  CCURSES_ESCAPE,
  CCURSES_TAB,
  CCURSES_BACK_TAB,
  CCURSES_UP,
  CCURSES_DOWN,
  CCURSES_LEFT,
  CCURSES_RIGHT,
  CCURSES_PAGE_UP,
  CCURSES_PAGE_DOWN,
  CCURSES_HOME,
  CCURSES_END,
  CCURSES_BACKSPACE,
  CCURSES_DELETE,
  CCURSES_CLEAR,
  CCURSES_REDRAW,
  /// Any other key.
  CCURSES_OTHER,
};

/// How text stands out.
enum {
  CCURSES_STRONG = 1,
  CCURSES_FAINT = 2,
  CCURSES_REVERSED = 4,
  CCURSES_GOOD = 8,
  CCURSES_BAD = 16,
};

/// Takes over the terminal of standard input and output. Returns 0, or -1 when its kind is unknown or has no
/// screen to draw on. From then on the terminal is restored whatever ends the program, except SIGKILL.
int ccurses_begin(int is_colored);

/// Restores the terminal.
void ccurses_end(void);

/// Whether the terminal shows UTF-8, as its locale says.
int ccurses_is_unicode(void);

/// Reads the terminal's size and adopts it.
void ccurses_resize(void);

int ccurses_rows(void);
int ccurses_columns(void);

/// Clears the screen that is being drawn.
void ccurses_erase(void);

/// Draws text, which ends at the right margin at the latest.
void ccurses_draw(int row, int column, const char *text, int style);

/// Shows what was drawn; the cursor stands at a place, or is hidden for -1.
void ccurses_show(int cursor_row, int cursor_column);

/// Makes the next ccurses_show redraw the whole screen.
void ccurses_redraw(void);

/// The next key that was pressed, CCURSES_NONE when there is none yet; `scalar` becomes the character.
int ccurses_key(uint32_t *scalar);

/// Whether both standard input and output are a terminal.
int ccurses_is_terminal(void);

#endif
