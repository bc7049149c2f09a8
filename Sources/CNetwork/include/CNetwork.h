// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sockets of the network, for bridges: the agent has none.

#ifndef C_NETWORK_H
#define C_NETWORK_H

#include <stdint.h>

/// The longest text of an address, with its zero.
#define CNETWORK_ADDRESS_MAX 64

/// Listens at a TCP port of all addresses, of IPv6 and IPv4, or of IPv4 alone where the kernel has no IPv6. Returns a
/// non-blocking descriptor, or -1 and errno.
int cnetwork_listen(uint16_t port);

/// Accepts the next connection, whose packets leave at once. Returns a non-blocking descriptor and the other end's address
/// without its port, or -1 and errno.
int cnetwork_accept(int listener, char address[CNETWORK_ADDRESS_MAX]);

/// The host's name up to its first point; `size` counts the zero. 0, or -1 and errno.
int cnetwork_host_name(char *name, int size);

#endif
