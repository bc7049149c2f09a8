// SPDX-License-Identifier: GPL-3.0-or-later

#include "CSQLite.h"

#include <string.h>

// Called after a number of steps of a statement, which is then interrupted.
static int end(void *context) {
  (void)context;
  return 1;
}

static int set(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

void csqlite_allow_steps(sqlite3 *database, int steps_max) {
  sqlite3_progress_handler(database, steps_max, end, 0);
}

int csqlite_load(sqlite3 *database, const void *bytes, int64_t count) {
  void *copy = sqlite3_malloc64((sqlite3_uint64)count);
  if (!copy) return SQLITE_NOMEM;
  memcpy(copy, bytes, (size_t)count);
  // SQLite frees the copy, also if the call fails.
  return sqlite3_deserialize(
      database, "main", copy, count, count, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
}

int csqlite_checkpoint_on_close(sqlite3 *database, int is_wanted) {
  return set(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_wanted);
}

int csqlite_restrain(sqlite3 *database, int value_byte_count_max, int steps_max) {
  static const int options[][2] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
      {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
  };
  for (unsigned index = 0; index < sizeof options / sizeof *options; index++) {
    int result = set(database, options[index][0], options[index][1]);
    if (result != SQLITE_OK) return result;
  }
  int result = sqlite3_db_config(database, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, 0, 0);
  if (result != SQLITE_OK) return result;
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, value_byte_count_max);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, value_byte_count_max);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
  csqlite_allow_steps(database, steps_max);
  return SQLITE_OK;
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

int csqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
