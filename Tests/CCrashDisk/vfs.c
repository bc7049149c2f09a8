// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file system interface of SQLite (sqlite.org/vfs.html).

#include "disk.h"

#include <stdlib.h>
#include <string.h>

/// An open file. Its name may be deleted.
struct handle {
  sqlite3_file base;
  crash_disk *disk;
  int file;
  /// A log that was created here: syncing it syncs the folder, as SQLite's own VFS does.
  int syncs_folder;
  char deleted_on_close[NAME_BYTES_MAX];
};

static struct handle *of(sqlite3_file *base) { return (struct handle *)base; }
static struct file *file_of(sqlite3_file *base) { return &of(base)->disk->files[of(base)->file]; }

static int disk_close(sqlite3_file *base) {
  struct handle *handle = of(base);
  if (handle->deleted_on_close[0]) disk_name(handle->disk, handle->deleted_on_close, "", -1);
  return SQLITE_OK;
}

static int disk_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
  int code = disk_begin(of(base)->disk, CALL_READ, 0);
  if (code != SQLITE_OK) return code;
  struct bytes *now = &file_of(base)->now;
  size_t start = (size_t)offset, wanted = (size_t)count;
  size_t there = start >= now->count ? 0 : now->count - start;
  if (there > wanted) there = wanted;
  if (there) memcpy(buffer, now->start + start, there);
  if (there == wanted) return SQLITE_OK;
  memset((uint8_t *)buffer + there, 0, wanted - there);
  return SQLITE_IOERR_SHORT_READ;
}

static int disk_write(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
  int half;
  int code = disk_begin(of(base)->disk, CALL_WRITE, &half);
  if (code != SQLITE_OK && !half) return code;
  disk_edit(file_of(base), (size_t)offset, buffer, half ? (size_t)count / 2 : (size_t)count);
  return disk_is_cut(of(base)->disk) ? SQLITE_IOERR_WRITE : code;
}

static int disk_truncate(sqlite3_file *base, sqlite3_int64 size) {
  int code = disk_begin(of(base)->disk, CALL_TRUNCATE, 0);
  if (code != SQLITE_OK) return code;
  disk_edit(file_of(base), (size_t)size, 0, 0);
  return disk_is_cut(of(base)->disk) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int disk_sync(sqlite3_file *base, int flags) {
  (void)flags;
  int code = disk_begin(of(base)->disk, CALL_SYNC, 0);
  if (code != SQLITE_OK) return code;
  if (disk_is_cut(of(base)->disk)) return SQLITE_IOERR_FSYNC;
  if (of(base)->disk->ignores_syncs) return SQLITE_OK;
  disk_sync_file(file_of(base));
  if (of(base)->syncs_folder) disk_sync_names(of(base)->disk);
  return SQLITE_OK;
}

static int disk_size(sqlite3_file *base, sqlite3_int64 *size) {
  int code = disk_begin(of(base)->disk, CALL_SIZE, 0);
  *size = (sqlite3_int64)file_of(base)->now.count;
  return code;
}

static int disk_lock(sqlite3_file *base, int level) {
  (void)level;
  return disk_begin(of(base)->disk, CALL_LOCK, 0);
}

// Releasing a lock does not fail in a way that a caller could handle.
static int disk_unlock(sqlite3_file *base, int level) {
  (void)base;
  (void)level;
  return SQLITE_OK;
}

static int disk_is_reserved(sqlite3_file *base, int *is_reserved) {
  *is_reserved = 0;
  return disk_begin(of(base)->disk, CALL_LOCK, 0);
}

static int disk_control(sqlite3_file *base, int operation, void *argument) {
  (void)base;
  (void)operation;
  (void)argument;
  return SQLITE_NOTFOUND;
}

static int disk_sector(sqlite3_file *base) {
  (void)base;
  return 4096;
}

// As SQLite assumes for real disks: bytes that were not written stay unchanged.
static int disk_traits(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_is_reserved,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector,
    .xDeviceCharacteristics = disk_traits,
};

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *out_flags) {
  crash_disk *disk = vfs->pAppData;
  struct handle *handle = of(base);
  memset(handle, 0, sizeof *handle);
  handle->disk = disk;
  if (!name) return SQLITE_CANTOPEN;
  int file = disk_find(disk, name);
  int makes = file < 0;
  int code = disk_begin(disk, makes ? CALL_MAKE : CALL_OPEN, 0);
  if (code != SQLITE_OK) return makes ? SQLITE_CANTOPEN : code;
  if (makes) {
    if (!(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
    file = disk_make_file(disk, name);
    handle->syncs_folder = !!(flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL));
    if (disk_is_cut(disk)) return SQLITE_CANTOPEN;
  }
  handle->file = file;
  if (flags & SQLITE_OPEN_DELETEONCLOSE) strcpy(handle->deleted_on_close, name);
  base->pMethods = &methods;
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
  crash_disk *disk = vfs->pAppData;
  int code = disk_begin(disk, CALL_DELETE, 0);
  if (code != SQLITE_OK) return code;
  if (disk_find(disk, name) < 0) return SQLITE_IOERR_DELETE_NOENT;
  disk_name(disk, name, "", -1);
  if (disk_is_cut(disk)) return SQLITE_IOERR_DELETE;
  if (syncs_folder) disk_sync_names(disk);
  return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)flags;
  crash_disk *disk = vfs->pAppData;
  *result = disk_find(disk, name) >= 0;
  return disk_begin(disk, CALL_ACCESS, 0);
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int count, char *full) {
  (void)vfs;
  if (strlen(name) >= (size_t)count) return SQLITE_CANTOPEN;
  strcpy(full, name);
  return SQLITE_OK;
}

static int vfs_random(sqlite3_vfs *vfs, int count, char *bytes) {
  (void)vfs;
  memset(bytes, 0x5A, (size_t)count);
  return count;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
  (void)vfs;
  *days = 2460000.5;
  return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
  (void)vfs;
  (void)count;
  (void)text;
  return 0;
}

void disk_register(crash_disk *disk) {
  disk->vfs = (sqlite3_vfs){
      .iVersion = 1,
      .szOsFile = sizeof(struct handle),
      .mxPathname = NAME_BYTES_MAX,
      .zName = disk->vfs_name,
      .pAppData = disk,
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_name,
      .xRandomness = vfs_random,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_time,
      .xGetLastError = vfs_last_error,
  };
  sqlite3_vfs_register(&disk->vfs, 0);
}
