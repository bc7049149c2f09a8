// SPDX-License-Identifier: GPL-3.0-or-later
//
// A disk in memory for SQLite that loses power, and whose calls fail, when a test asks for it.
//
// Writes are visible at once and survive a power cut only when they were synced: the bytes of a file by syncing the
// file, names by syncing the folder. There is one folder, no locks, and one thread.

#ifndef C_CRASH_DISK_H
#define C_CRASH_DISK_H

#include <stddef.h>
#include <stdint.h>

typedef struct crash_disk crash_disk;

/// How writes that were not synced are lost when the power fails.
enum power_loss {
  POWER_LOSES_ALL,
  POWER_LOSES_NOTHING,
  /// Each sector of 512 bytes that was written is kept or not.
  POWER_LOSES_SECTORS,
  /// The same, and a kept sector may have only its first new bytes.
  POWER_TEARS_SECTORS,
};

/// The errors with which calls fail.
enum power_fault {
  /// Every call fails with the I/O error of its kind.
  POWER_FAULT_IO,
  /// Calls that need space find none; a write writes its first half.
  POWER_FAULT_FULL,
  /// Calls that change the disk find it read-only.
  POWER_FAULT_READ_ONLY,
  /// Another process holds the locks.
  POWER_FAULT_LOCKED,
};

/// Returns an empty disk that SQLite knows by `name`; NULL if there is not enough memory.
crash_disk *crash_disk_make(const char *name);

/// Returns a disk with what is durable on another one.
crash_disk *crash_disk_copy(const crash_disk *disk, const char *name);

/// Frees the disk. No file may be open.
void crash_disk_free(crash_disk *disk);

/// Cuts the power in change `change`, counted from 0: it is begun and fails, and everything after it fails. -1: never.
void crash_disk_cut_at(crash_disk *disk, int64_t change);

/// Cuts the power now, between two changes.
void crash_disk_off(crash_disk *disk);

/// From now on the disk reports success for a sync, and does nothing.
void crash_disk_ignore_syncs(crash_disk *disk);

/// Restores the power. What was not durable is lost as `loss` and `seed` say.
void crash_disk_restart(crash_disk *disk, enum power_loss loss, uint64_t seed);

/// Makes call `call`, counted from 0, fail, and with `stays` every later one too. -1: none.
void crash_disk_fail_at(crash_disk *disk, int64_t call, enum power_fault fault, int stays);

/// The number of calls that were made to fail.
int64_t crash_disk_failures(const crash_disk *disk);

/// The number of changes and calls so far.
int64_t crash_disk_changes(const crash_disk *disk);
int64_t crash_disk_calls(const crash_disk *disk);

/// Each returns 0 or an error of errno(3).
int crash_disk_create(crash_disk *disk, const char *name);
int crash_disk_rename(crash_disk *disk, const char *name, const char *new_name);
int crash_disk_remove(crash_disk *disk, const char *name);
int crash_disk_sync_folder(crash_disk *disk);

/// Returns 1 if the file exists, 0 if not, or a negated error.
int crash_disk_exists(crash_disk *disk, const char *name);

/// Copies the first bytes of a file. Returns their number or a negated error.
long crash_disk_head(crash_disk *disk, const char *name, uint8_t *bytes, size_t count);

/// Copies a file's bytes, as many as fit. Returns the size of the file; 0 if there is none.
size_t crash_disk_read(const crash_disk *disk, const char *name, uint8_t *bytes, size_t count);

/// Replaces the bytes of a file, durable at once.
void crash_disk_put(crash_disk *disk, const char *name, const uint8_t *bytes, size_t count);

#endif
