// SPDX-License-Identifier: GPL-3.0-or-later
//
// The calls that the tool needs beside those of CLinux.

#ifndef C_TOOL_H
#define C_TOOL_H

#include <stddef.h>

/// Ends the process as the signal does by default, blocked or not.
_Noreturn void ctool_end_by_signal(int number);

/// Runs a program with this process's standard streams, found through PATH, and waits for its end. `status` is as of
/// waitpid(2). `output` is what it has as its standard output, -1 for this process's. -1 with errno when it cannot run.
int ctool_run_and_wait(char *const arguments[], int output, int *status);

/// A file that is in memory only. -1 with errno.
int ctool_memory_file(void);

/// Gives the file of `descriptor` the extended attributes of `source`: access lists and labels, but no digests of its
/// contents. Returns -1 with errno.
int ctool_copy_attributes(const char *source, int descriptor);

/// Receives what is there; `passed` becomes a descriptor that came beside it, which the caller closes, or -1.
long ctool_receive_passed(int descriptor, void *bytes, size_t count, int *passed);

#endif
