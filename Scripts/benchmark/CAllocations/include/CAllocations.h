// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

/// Blocks that this process has asked the heap for since it started.
unsigned long allocation_count(void);

#endif
