// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CLIBFUZZER_H
#define CLIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own main, for programs that have another: runs what the arguments ask for and returns the exit
/// status. Declared here because compiler-rt installs no header for it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
