// SPDX-License-Identifier: GPL-3.0-or-later

#include "disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// MARK: Bytes

static void bytes_resize(struct bytes *bytes, size_t count) {
  if (count > bytes->count) {
    bytes->start = realloc(bytes->start, count);
    if (!bytes->start) abort();
    memset(bytes->start + bytes->count, 0, count - bytes->count);
  }
  bytes->count = count;
}

static void bytes_write(struct bytes *bytes, size_t offset, const uint8_t *data, size_t count) {
  if (offset + count > bytes->count) bytes_resize(bytes, offset + count);
  memcpy(bytes->start + offset, data, count);
}

static void bytes_set(struct bytes *bytes, const uint8_t *data, size_t count) {
  bytes_resize(bytes, 0);
  if (count) bytes_write(bytes, 0, data, count);
}

static void bytes_apply(struct bytes *bytes, const struct edit *edit) {
  if (edit->data)
    bytes_write(bytes, edit->offset, edit->data, edit->count);
  else
    bytes_resize(bytes, edit->offset);
}

// MARK: Files

void disk_edit(struct file *file, size_t offset, const uint8_t *data, size_t count) {
  struct edit *edit = calloc(1, sizeof *edit);
  if (!edit) abort();
  edit->offset = offset;
  edit->count = count;
  if (data) {
    edit->data = malloc(count ? count : 1);
    if (!edit->data) abort();
    memcpy(edit->data, data, count);
  }
  *(file->last ? &file->last->next : &file->first) = edit;
  file->last = edit;
  bytes_apply(&file->now, edit);
}

static void forget_edits(struct file *file) {
  while (file->first) {
    struct edit *edit = file->first;
    file->first = edit->next;
    free(edit->data);
    free(edit);
  }
  file->last = 0;
}

void disk_sync_file(struct file *file) {
  for (struct edit *edit = file->first; edit; edit = edit->next) bytes_apply(&file->safe, edit);
  forget_edits(file);
}

int disk_make_file(crash_disk *disk, const char *name) {
  if (disk->file_count == FILES_MAX) abort();
  int file = disk->file_count++;
  disk_name(disk, name, "", file);
  return file;
}

// MARK: Names

static int folder_find(const struct folder *folder, const char *name) {
  for (int index = 0; index < folder->count; index++)
    if (!strcmp(folder->names[index], name)) return index;
  return -1;
}

static void folder_unlink(struct folder *folder, const char *name) {
  int index = folder_find(folder, name);
  if (index < 0) return;
  int last = --folder->count;
  if (index == last) return;
  strcpy(folder->names[index], folder->names[last]);
  folder->files[index] = folder->files[last];
}

static void folder_link(struct folder *folder, const char *name, int file) {
  folder_unlink(folder, name);
  if (folder->count == FILES_MAX) abort();
  strcpy(folder->names[folder->count], name);
  folder->files[folder->count++] = file;
}

static void folder_apply(struct folder *folder, const struct naming *naming) {
  if (naming->to[0]) {
    int index = folder_find(folder, naming->name);
    if (index < 0) return;
    int file = folder->files[index];
    folder_unlink(folder, naming->name);
    folder_link(folder, naming->to, file);
  } else if (naming->file >= 0) {
    folder_link(folder, naming->name, naming->file);
  } else {
    folder_unlink(folder, naming->name);
  }
}

int disk_find(const crash_disk *disk, const char *name) {
  int index = folder_find(&disk->now, name);
  return index < 0 ? -1 : disk->now.files[index];
}

void disk_name(crash_disk *disk, const char *name, const char *to, int file) {
  if (strlen(name) >= NAME_BYTES_MAX || strlen(to) >= NAME_BYTES_MAX) abort();
  // More changes of names than any caller makes without syncing the folder.
  if (disk->naming_count == FILES_MAX) disk_sync_names(disk);
  struct naming *naming = &disk->namings[disk->naming_count++];
  strcpy(naming->name, name);
  strcpy(naming->to, to);
  naming->file = file;
  folder_apply(&disk->now, naming);
}

void disk_sync_names(crash_disk *disk) {
  disk->safe = disk->now;
  disk->naming_count = 0;
}

// MARK: Power

static uint64_t draw(uint64_t *seed) {
  *seed += 0x9E3779B97F4A7C15u;
  uint64_t mixed = *seed;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

/// Keeps some of a write's sectors at random.
static void keep_sectors(struct bytes *bytes, const struct edit *edit, int tears, uint64_t *seed) {
  size_t end = edit->offset + edit->count;
  for (size_t start = edit->offset; start < end;) {
    size_t next = (start / SECTOR_BYTES + 1) * SECTOR_BYTES;
    if (next > end) next = end;
    uint64_t chance = draw(seed);
    size_t count = next - start;
    if (tears && chance & 2) count = (size_t)(chance >> 8) % (count + 1);
    if (chance & 1) bytes_write(bytes, start, edit->data + (start - edit->offset), count);
    start = next;
  }
}

static void lose(struct file *file, enum power_loss loss, uint64_t *seed) {
  for (struct edit *edit = file->first; edit; edit = edit->next) {
    if (loss == POWER_LOSES_ALL) break;
    if (loss == POWER_LOSES_NOTHING)
      bytes_apply(&file->safe, edit);
    else if (edit->data)
      keep_sectors(&file->safe, edit, loss == POWER_TEARS_SECTORS, seed);
    else if (draw(seed) & 1)
      bytes_apply(&file->safe, edit);
  }
  forget_edits(file);
  bytes_set(&file->now, file->safe.start, file->safe.count);
}

void crash_disk_restart(crash_disk *disk, enum power_loss loss, uint64_t seed) {
  // Changes of names are journalled in order: the first ones are kept.
  int kept = loss == POWER_LOSES_ALL ? 0 : disk->naming_count;
  if (loss > POWER_LOSES_NOTHING) kept = (int)(draw(&seed) % (uint64_t)(disk->naming_count + 1));
  for (int index = 0; index < kept; index++) folder_apply(&disk->safe, &disk->namings[index]);
  disk->naming_count = 0;
  disk->now = disk->safe;
  for (int file = 0; file < disk->file_count; file++) lose(&disk->files[file], loss, &seed);
  disk->is_off = 0;
  disk->cut_at = disk->fail_at = -1;
  disk->stays = 0;
}

void crash_disk_cut_at(crash_disk *disk, int64_t change) {
  disk->cut_at = change;
  disk->changes = 0;
}

void crash_disk_ignore_syncs(crash_disk *disk) { disk->ignores_syncs = 1; }

void crash_disk_off(crash_disk *disk) { disk->is_off = 1; }

int disk_is_cut(crash_disk *disk) {
  if (disk->changes++ == disk->cut_at) disk->is_off = 1;
  return disk->is_off;
}

// MARK: Faults

void crash_disk_fail_at(crash_disk *disk, int64_t call, enum power_fault fault, int stays) {
  disk->fail_at = call;
  disk->fault = fault;
  disk->stays = stays;
  disk->calls = disk->failures = 0;
}

static int io_error(enum call call) {
  switch (call) {
    case CALL_READ: return SQLITE_IOERR_READ;
    case CALL_WRITE: return SQLITE_IOERR_WRITE;
    case CALL_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case CALL_SYNC: return SQLITE_IOERR_FSYNC;
    case CALL_SIZE: return SQLITE_IOERR_FSTAT;
    case CALL_OPEN:
    case CALL_MAKE: return SQLITE_CANTOPEN;
    case CALL_DELETE: return SQLITE_IOERR_DELETE;
    case CALL_ACCESS: return SQLITE_IOERR_ACCESS;
    case CALL_LOCK: return SQLITE_IOERR_LOCK;
    case CALL_RENAME: return SQLITE_IOERR;
  }
  return SQLITE_IOERR;
}

/// Returns the error of a call under the disk's fault; SQLITE_OK if the fault does not affect it.
static int fault_of(const crash_disk *disk, enum call call) {
  int changes = call == CALL_WRITE || call == CALL_TRUNCATE || call == CALL_MAKE || call == CALL_DELETE ||
                call == CALL_RENAME;
  switch (disk->fault) {
    case POWER_FAULT_IO: return io_error(call);
    case POWER_FAULT_FULL: return call == CALL_WRITE || call == CALL_MAKE ? SQLITE_FULL : SQLITE_OK;
    case POWER_FAULT_READ_ONLY: return changes ? SQLITE_READONLY : SQLITE_OK;
    case POWER_FAULT_LOCKED: return call == CALL_LOCK ? SQLITE_BUSY : SQLITE_OK;
  }
  return SQLITE_OK;
}

int disk_begin(crash_disk *disk, enum call call, int *half) {
  if (disk->is_off) return io_error(call);
  int64_t number = disk->calls++;
  int is_late = disk->stays && number > disk->fail_at;
  int is_due = disk->fail_at >= 0 && (number == disk->fail_at || is_late);
  int code = is_due ? fault_of(disk, call) : SQLITE_OK;
  if (code != SQLITE_OK) disk->failures++;
  if (half) *half = code == SQLITE_FULL;
  return code;
}

int64_t crash_disk_failures(const crash_disk *disk) { return disk->failures; }
int64_t crash_disk_changes(const crash_disk *disk) { return disk->changes; }
int64_t crash_disk_calls(const crash_disk *disk) { return disk->calls; }

// MARK: Calls outside SQLite

static int error_of(int code) {
  return code == SQLITE_FULL ? ENOSPC : code == SQLITE_READONLY ? EROFS : code == SQLITE_OK ? 0 : EIO;
}

int crash_disk_create(crash_disk *disk, const char *name) {
  int code = disk_begin(disk, CALL_MAKE, 0);
  if (code != SQLITE_OK) return error_of(code);
  if (disk_find(disk, name) >= 0) return EEXIST;
  disk_make_file(disk, name);
  return disk_is_cut(disk) ? EIO : 0;
}

int crash_disk_rename(crash_disk *disk, const char *name, const char *new_name) {
  int code = disk_begin(disk, CALL_RENAME, 0);
  if (code != SQLITE_OK) return error_of(code);
  if (disk_find(disk, name) < 0) return ENOENT;
  disk_name(disk, name, new_name, -1);
  return disk_is_cut(disk) ? EIO : 0;
}

int crash_disk_remove(crash_disk *disk, const char *name) {
  int code = disk_begin(disk, CALL_DELETE, 0);
  if (code != SQLITE_OK) return error_of(code);
  if (disk_find(disk, name) < 0) return ENOENT;
  disk_name(disk, name, "", -1);
  return disk_is_cut(disk) ? EIO : 0;
}

int crash_disk_sync_folder(crash_disk *disk) {
  int code = disk_begin(disk, CALL_SYNC, 0);
  if (code != SQLITE_OK) return error_of(code);
  if (disk_is_cut(disk)) return EIO;
  disk_sync_names(disk);
  return 0;
}

int crash_disk_exists(crash_disk *disk, const char *name) {
  int code = disk_begin(disk, CALL_ACCESS, 0);
  return code == SQLITE_OK ? disk_find(disk, name) >= 0 : -error_of(code);
}

long crash_disk_head(crash_disk *disk, const char *name, uint8_t *bytes, size_t count) {
  int code = disk_begin(disk, CALL_READ, 0);
  if (code != SQLITE_OK) return -error_of(code);
  int file = disk_find(disk, name);
  if (file < 0) return -ENOENT;
  struct bytes *now = &disk->files[file].now;
  if (count > now->count) count = now->count;
  if (count) memcpy(bytes, now->start, count);
  return (long)count;
}

size_t crash_disk_read(const crash_disk *disk, const char *name, uint8_t *bytes, size_t count) {
  int file = disk_find(disk, name);
  if (file < 0) return 0;
  const struct bytes *now = &disk->files[file].now;
  if (count > now->count) count = now->count;
  if (count) memcpy(bytes, now->start, count);
  return now->count;
}

void crash_disk_put(crash_disk *disk, const char *name, const uint8_t *bytes, size_t count) {
  int file = disk_find(disk, name);
  if (file < 0) file = disk_make_file(disk, name);
  forget_edits(&disk->files[file]);
  bytes_set(&disk->files[file].now, bytes, count);
  bytes_set(&disk->files[file].safe, bytes, count);
  disk_sync_names(disk);
}

// MARK: Creation

crash_disk *crash_disk_make(const char *name) {
  crash_disk *disk = calloc(1, sizeof *disk);
  if (!disk || strlen(name) >= NAME_BYTES_MAX) return 0;
  strcpy(disk->vfs_name, name);
  disk->cut_at = disk->fail_at = -1;
  disk_register(disk);
  return disk;
}

crash_disk *crash_disk_copy(const crash_disk *disk, const char *name) {
  crash_disk *copy = crash_disk_make(name);
  if (!copy) return 0;
  for (int index = 0; index < disk->safe.count; index++) {
    const struct bytes *safe = &disk->files[disk->safe.files[index]].safe;
    crash_disk_put(copy, disk->safe.names[index], safe->start, safe->count);
  }
  return copy;
}

void crash_disk_free(crash_disk *disk) {
  sqlite3_vfs_unregister(&disk->vfs);
  for (int index = 0; index < disk->file_count; index++) {
    forget_edits(&disk->files[index]);
    free(disk->files[index].now.start);
    free(disk->files[index].safe.start);
  }
  free(disk);
}
