// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PEER_H
#define PEER_H

#include <stdint.h>

/// Makes this thread alone, not its process, act as a user: what it connects to sees that user. Back again with 0.
/// Only root may. Answers 0, or -1.
int peer_act_as(uint32_t user);

#endif
