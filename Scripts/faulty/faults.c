// SPDX-License-Identifier: GPL-3.0-or-later
//
// A library to load before others: calls of libc that fail as ACCESSORY_FAULT says, "CALL NUMBER": the call with this number
// fails, counted from 1 at the start of the program; 0 only counts. At its end the program prints how many there were. A file
// ACCESSORY_FAULT_FILE lets fsync hang as long as it is there.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static char call[16];
static long number;
static const char *file;
static atomic_long count;

__attribute__((constructor)) static void begin(void) {
  const char *fault = getenv("ACCESSORY_FAULT");
  file = getenv("ACCESSORY_FAULT_FILE");
  if (!fault || sscanf(fault, "%15s %ld", call, &number) != 2) call[0] = 0;
}

__attribute__((destructor)) static void end(void) {
  if (call[0]) dprintf(STDERR_FILENO, "%ld calls of %s\n", count, call);
}

/// Whether this call is the one that fails.
static int fails(const char *name) {
  return call[0] && !strcmp(name, call) && atomic_fetch_add(&count, 1) + 1 == number;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void hang(void) {
  const struct timespec pause = {0, 20000000};
  while (file && access(file, F_OK) == 0) nanosleep(&pause, NULL);
}

int fsync(int descriptor) {
  hang();
  return REAL(fsync)(descriptor);
}

int fdatasync(int descriptor) {
  hang();
  return REAL(fdatasync)(descriptor);
}

static int is_unreadable(void) {
  if (!fails("read")) return 0;
  errno = EIO;
  return 1;
}

ssize_t read(int descriptor, void *bytes, size_t size) {
  return is_unreadable() ? -1 : REAL(read)(descriptor, bytes, size);
}

ssize_t pread64(int descriptor, void *bytes, size_t size, off64_t offset) {
  return is_unreadable() ? -1 : REAL(pread64)(descriptor, bytes, size, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset) {
  return is_unreadable() ? -1 : REAL(pread)(descriptor, bytes, size, offset);
}

int accept4(int descriptor, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
  if (fails("accept")) {
    errno = EMFILE;
    return -1;
  }
  return REAL(accept4)(descriptor, address, length, flags);
}

static int is_exhausted(void) {
  if (!fails("malloc")) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return is_exhausted() ? NULL : __libc_malloc(size); }
void *calloc(size_t items, size_t size) { return is_exhausted() ? NULL : __libc_calloc(items, size); }
void *realloc(void *block, size_t size) { return is_exhausted() ? NULL : __libc_realloc(block, size); }
