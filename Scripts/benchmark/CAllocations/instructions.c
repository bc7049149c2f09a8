// SPDX-License-Identifier: GPL-3.0-or-later

#include "CAllocations.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

void start_instruction_count(void) { CALLGRIND_START_INSTRUMENTATION; }
void stop_instruction_count(void) { CALLGRIND_STOP_INSTRUMENTATION; }
#else
void start_instruction_count(void) {}
void stop_instruction_count(void) {}
#endif
