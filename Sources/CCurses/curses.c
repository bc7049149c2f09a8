// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include "CCurses.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

static SCREEN *screen;
static struct termios before;
/// What makes the terminal an ordinary one again; to be written where ncurses cannot be called.
static char ending[256];
static size_t ending_length;
static int is_colored;

int ccurses_is_terminal(void) { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

int ccurses_is_unicode(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

static void restore_settings(void) { tcsetattr(STDIN_FILENO, TCSANOW, &before); }

/// Only what may be called while a signal is handled.
static void end_badly(int number) {
  ssize_t written = write(STDOUT_FILENO, ending, ending_length);
  (void)written;
  restore_settings();
  raise(number);
}

static void note_ending(const char *capability) {
  const char *text = tigetstr(capability);
  if (text == NULL || text == (const char *)-1) return;
  size_t length = strlen(text);
  if (ending_length + length > sizeof ending) return;
  memcpy(ending + ending_length, text, length);
  ending_length += length;
}

/// Whether a program that does nothing about a signal is ended by it: every other signal is ignored, or stops the
/// program or continues it (signal(7)). SIGKILL ends it too, but cannot be caught.
static int ends_program(int number) {
  switch (number) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGKILL: return 0;
    default: return 1;
  }
}

/// What ends a program without asking it, but not what is ignored, or blocked to be waited for. The first signal is
/// handled; raised again it does what it always did. The C library refuses those that it keeps to itself.
static void watch_endings(void) {
  struct sigaction action = {.sa_handler = end_badly, .sa_flags = SA_RESETHAND}, present;
  sigemptyset(&action.sa_mask);
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number <= SIGRTMAX; number++) {
    if (!ends_program(number) || sigismember(&blocked, number) == 1) continue;
    if (sigaction(number, NULL, &present) != 0 || present.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, NULL);
  }
}

/// Whether the terminal is of a known kind whose cursor can be put anywhere: without that nothing can be drawn
/// (terminfo(5)).
static int can_be_drawn_on(void) {
  int error = 0;
  if (setupterm(NULL, STDOUT_FILENO, &error) != OK) return 0;
  const char *text = tigetstr("cup");
  int can = text != NULL && text != (const char *)-1;
  del_curterm(cur_term);
  return can;
}

int ccurses_begin(int wants_color) {
  setlocale(LC_CTYPE, "");
  if (!can_be_drawn_on()) return -1;
  if (tcgetattr(STDIN_FILENO, &before) != 0) return -1;
  screen = newterm(NULL, stdout, stdin);
  if (screen == NULL) return -1;
  ending_length = 0;
  note_ending("sgr0");
  note_ending("cnorm");
  note_ending("rmkx");
  note_ending("rmcup");
  watch_endings();
  set_escdelay(25);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  curs_set(0);
  is_colored = wants_color && has_colors() && start_color() == OK && use_default_colors() == OK;
  if (is_colored) {
    init_pair(1, COLOR_GREEN, -1);
    init_pair(2, COLOR_RED, -1);
  }
  ccurses_resize();
  return 0;
}

void ccurses_end(void) {
  if (screen == NULL) return;
  // Without a second screen to leave, the next output begins on the last line.
  char *leave = tigetstr("rmcup");
  if (leave == NULL || leave == (char *)-1) {
    move(LINES - 1, 0);
    clrtoeol();
    refresh();
  }
  endwin();
  delscreen(screen);
  screen = NULL;
  restore_settings();
}

void ccurses_resize(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
  if (size.ws_row != LINES || size.ws_col != COLS) resizeterm(size.ws_row, size.ws_col);
}

int ccurses_rows(void) { return LINES; }
int ccurses_columns(void) { return COLS; }

void ccurses_erase(void) { erase(); }

static attr_t attributes(int style) {
  attr_t attributes = A_NORMAL;
  if (style & CCURSES_STRONG) attributes |= A_BOLD;
  if (style & CCURSES_FAINT) attributes |= A_DIM;
  if (style & CCURSES_REVERSED) attributes |= A_REVERSE;
  if (is_colored && style & CCURSES_GOOD) attributes |= COLOR_PAIR(1);
  if (is_colored && style & CCURSES_BAD) attributes |= COLOR_PAIR(2);
  return attributes;
}

void ccurses_draw(int row, int column, const char *text, int style) {
  attrset(attributes(style));
  mvaddstr(row, column, text);
  attrset(A_NORMAL);
}

void ccurses_show(int cursor_row, int cursor_column) {
  if (cursor_row < 0) {
    curs_set(0);
  } else {
    move(cursor_row, cursor_column);
    curs_set(1);
  }
  refresh();
}

void ccurses_redraw(void) { clearok(curscr, TRUE); }

static int function_key(wint_t key) {
  switch (key) {
    case KEY_ENTER: return CCURSES_ENTER;
    case KEY_BTAB: return CCURSES_BACK_TAB;
    case KEY_UP: return CCURSES_UP;
    case KEY_DOWN: return CCURSES_DOWN;
    case KEY_LEFT: return CCURSES_LEFT;
    case KEY_RIGHT: return CCURSES_RIGHT;
    case KEY_PPAGE: return CCURSES_PAGE_UP;
    case KEY_NPAGE: return CCURSES_PAGE_DOWN;
    case KEY_HOME: return CCURSES_HOME;
    case KEY_END: return CCURSES_END;
    case KEY_BACKSPACE: return CCURSES_BACKSPACE;
    case KEY_DC: return CCURSES_DELETE;
    default: return CCURSES_OTHER;
  }
}

static int control_key(wint_t key) {
  switch (key) {
    case '\r':
    case '\n': return CCURSES_ENTER;
    case '\t': return CCURSES_TAB;
    case 0x1B: return CCURSES_ESCAPE;
    case 0x08:
    case 0x7F: return CCURSES_BACKSPACE;
    case 0x01: return CCURSES_HOME;
    case 0x05: return CCURSES_END;
    case 0x0C: return CCURSES_REDRAW;
    case 0x15: return CCURSES_CLEAR;
    default: return CCURSES_OTHER;
  }
}

int ccurses_key(uint32_t *scalar) {
  wint_t key = 0;
  switch (get_wch(&key)) {
    case OK:
      if (key < 0x20 || key == 0x7F) return control_key(key);
      *scalar = (uint32_t)key;
      return CCURSES_CHARACTER;
    case KEY_CODE_YES: return function_key(key);
    default: return CCURSES_NONE;
  }
}
