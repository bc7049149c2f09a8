// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stands in front of glibc's allocator and counts. The program's own definitions win over the library's for every
// caller in the process, the Swift runtime included.

#include "CAllocations.h"
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

extern void __libc_free(void *);

static unsigned long count;
static unsigned long freed;

static void note(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

unsigned long allocation_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

unsigned long release_count(void) { return __atomic_load_n(&freed, __ATOMIC_RELAXED); }

void free(void *block) {
  if (!block) return;
  __atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED);
  __libc_free(block);
}

void *malloc(size_t size) { note(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { note(); return __libc_calloc(number, size); }
// A block that moves or grows is a new one, and the old one is gone.
void *realloc(void *block, size_t size) {
  note();
  if (block) __atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED);
  return __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { note(); return __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  note();
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
