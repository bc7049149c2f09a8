// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

int load_library(struct library *library) {
  library->handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library->handle) return -ELIBACC;
#define X(name) \
  if (!(library->name = (__typeof__(&name))dlsym(library->handle, #name))) return -ELIBACC;
  LIBRARY_FUNCTIONS(X)
#undef X
  return 0;
}

void unload_library(struct library *library) {
  if (library->handle) dlclose(library->handle);
  library->handle = NULL;
}
