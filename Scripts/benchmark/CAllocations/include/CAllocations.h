// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

/// Blocks that this process has asked the heap for since it started.
unsigned long allocation_count(void);
/// Blocks that it has given back.
unsigned long release_count(void);

/// Tells callgrind, if the program runs under it, what to count. Without valgrind's headers they do nothing.
void start_instruction_count(void);
void stop_instruction_count(void);

#endif
