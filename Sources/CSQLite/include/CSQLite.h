// SPDX-License-Identifier: GPL-3.0-or-later
//
// SQLite, and what its variadic functions and casts keep from Swift.

#ifndef C_SQLITE_H
#define C_SQLITE_H

#include <sqlite3.h>
#include <stdint.h>

/// Makes a connection careful and small: no triggers, views or functions from the file, no writing to the
/// schema's table by hand, no checkpoint at the end unless it is asked for, no memory set aside, values and
/// statements of limited size, and `steps_max` steps (then SQLITE_INTERRUPT). SQLITE_OK, or why not.
int csqlite_restrain(sqlite3 *database, int value_byte_count_max, int steps_max);

/// Replaces the contents of a database in memory with those of a file, which are copied. SQLITE_OK, or why not.
int csqlite_load(sqlite3 *database, const void *bytes, int64_t count);

/// Whether closing the connection writes the log back into the file.
int csqlite_checkpoint_on_close(sqlite3 *database, int is_wanted);

/// Begins a new allowance of steps.
void csqlite_allow_steps(sqlite3 *database, int steps_max);

/// Binds copies: the memory may go at once. NULL is an empty value.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count);
int csqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count);

#endif
