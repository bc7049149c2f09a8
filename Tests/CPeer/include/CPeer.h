// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>

/// Makes this thread alone, not its process, act as a user: what it connects to sees that user. Back again with 0.
/// Only root may. Answers 0, or -1.
int peer_act_as(uint32_t user);

/// Receives what has arrived at a socket. `passed` becomes the descriptor that came beside it, or -1. Returns how many
/// bytes, 0 at the end, or -1 with errno.
long peer_receive(int socket, void *bytes, size_t count, int *passed);

#endif
