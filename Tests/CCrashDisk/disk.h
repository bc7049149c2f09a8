// SPDX-License-Identifier: GPL-3.0-or-later
//
// The implementation of the disk: files, names, and changes that were not synced yet.

#ifndef CRASH_DISK_IMPLEMENTATION_H
#define CRASH_DISK_IMPLEMENTATION_H

#include "CCrashDisk.h"

#include <sqlite3.h>

enum { FILES_MAX = 128, NAME_BYTES_MAX = 64, SECTOR_BYTES = 512 };

struct bytes {
  uint8_t *start;
  size_t count;
};

/// A write, or with `data` NULL a truncation to `offset`.
struct edit {
  size_t offset, count;
  uint8_t *data;
  struct edit *next;
};

/// The visible bytes, the durable bytes, and the edits between them.
struct file {
  struct bytes now, safe;
  struct edit *first, *last;
};

struct folder {
  char names[FILES_MAX][NAME_BYTES_MAX];
  int files[FILES_MAX];
  int count;
};

/// A change of names: link (`file`), unlink (-1), or rename (`to` is not empty).
struct naming {
  char name[NAME_BYTES_MAX], to[NAME_BYTES_MAX];
  int file;
};

struct crash_disk {
  sqlite3_vfs vfs;
  char vfs_name[NAME_BYTES_MAX];
  struct file files[FILES_MAX];
  int file_count;
  struct folder now, safe;
  struct naming namings[FILES_MAX];
  int naming_count;
  int64_t changes, calls, failures, cut_at, fail_at;
  enum power_fault fault;
  int stays, is_off, ignores_syncs;
};

/// The kinds of calls, which decide how a call can fail.
enum call {
  CALL_READ, CALL_WRITE, CALL_TRUNCATE, CALL_SYNC, CALL_SIZE, CALL_OPEN, CALL_MAKE, CALL_DELETE, CALL_ACCESS,
  CALL_LOCK, CALL_RENAME
};

/// Counts a call. Returns SQLITE_OK or the code it fails with; with `*half` a write still writes its first half.
int disk_begin(crash_disk *disk, enum call call, int *half);

/// Counts a change. Returns whether the power fails in it: then it may be begun, and fails.
int disk_is_cut(crash_disk *disk);

int disk_find(const crash_disk *disk, const char *name);
int disk_make_file(crash_disk *disk, const char *name);
void disk_name(crash_disk *disk, const char *name, const char *to, int file);
void disk_sync_names(crash_disk *disk);
void disk_edit(struct file *file, size_t offset, const uint8_t *data, size_t count);
void disk_sync_file(struct file *file);
void disk_register(crash_disk *disk);

#endif
