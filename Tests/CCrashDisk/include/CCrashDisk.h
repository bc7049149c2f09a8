// SPDX-License-Identifier: GPL-3.0-or-later
//
// A disk in memory for SQLite whose power fails and whose calls fail when a test says so.
//
// What was written is seen at once and kept only when it was synced: the bytes of a file by syncing the file,
// names by syncing the folder. There is one folder, no locks, and one thread.

#ifndef C_CRASH_DISK_H
#define C_CRASH_DISK_H

#include <stddef.h>
#include <stdint.h>

typedef struct crash_disk crash_disk;

/// What becomes of writes that were not synced when the power fails.
enum power_loss {
  POWER_LOSES_ALL,
  POWER_LOSES_NOTHING,
  /// Each sector of 512 bytes that was written is kept or not.
  POWER_LOSES_SECTORS,
  /// The same, and of a sector perhaps only the first bytes are kept.
  POWER_TEARS_SECTORS,
};

/// Which errors calls fail with.
enum power_fault {
  /// Every call with the I/O error of its kind.
  POWER_FAULT_IO,
  /// What takes space finds none; of a write a half is made.
  POWER_FAULT_FULL,
  /// What changes the disk finds it read-only.
  POWER_FAULT_READ_ONLY,
  /// Locks are somebody else's.
  POWER_FAULT_LOCKED,
};

/// An empty disk that SQLite knows by `name`; NULL when there is no memory.
crash_disk *crash_disk_make(const char *name);

/// A disk that holds what is safe on another.
crash_disk *crash_disk_copy(const crash_disk *disk, const char *name);

/// Nobody may have a file open.
void crash_disk_free(crash_disk *disk);

/// The power fails in change `change`, counted from 0: it is begun, it fails, and so does everything after it.
/// -1: never.
void crash_disk_cut_at(crash_disk *disk, int64_t change);

/// The power fails now, between two changes.
void crash_disk_off(crash_disk *disk);

/// From now on the disk says that it synced, and does not.
void crash_disk_ignore_syncs(crash_disk *disk);

/// The power comes back: what was not safe is lost as `loss` and `seed` say.
void crash_disk_restart(crash_disk *disk, enum power_loss loss, uint64_t seed);

/// Call `call`, counted from 0, fails, and with `stays` every later one too. -1: none.
void crash_disk_fail_at(crash_disk *disk, int64_t call, enum power_fault fault, int stays);

/// Calls that failed because they were told to.
int64_t crash_disk_failures(const crash_disk *disk);

/// Changes and calls so far.
int64_t crash_disk_changes(const crash_disk *disk);
int64_t crash_disk_calls(const crash_disk *disk);

/// 0, or an error of errno(3).
int crash_disk_create(crash_disk *disk, const char *name);
int crash_disk_rename(crash_disk *disk, const char *name, const char *new_name);
int crash_disk_remove(crash_disk *disk, const char *name);
int crash_disk_sync_folder(crash_disk *disk);

/// Whether there is a file: 1, 0, or the negative of an error.
int crash_disk_exists(crash_disk *disk, const char *name);

/// Copies the first bytes of a file: how many, or the negative of an error.
long crash_disk_head(crash_disk *disk, const char *name, uint8_t *bytes, size_t count);

/// Copies a file's bytes, as many as fit, and answers how many there are; 0 when there is no file.
size_t crash_disk_read(const crash_disk *disk, const char *name, uint8_t *bytes, size_t count);

/// A file's bytes, put there by hand and safe at once.
void crash_disk_put(crash_disk *disk, const char *name, const uint8_t *bytes, size_t count);

#endif
