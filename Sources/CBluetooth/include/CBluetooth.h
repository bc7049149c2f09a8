// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernel's Bluetooth sockets (net/bluetooth/hci_sock.c), as far as Swift cannot reach them: addresses, filters and
// control messages, by the headers of libbluetooth.

#ifndef C_BLUETOOTH_H
#define C_BLUETOOTH_H

#include <stddef.h>
#include <stdint.h>

enum { CBLUETOOTH_ADAPTERS_MAX = 16 };

/// An adapter as the kernel lists it.
struct cbluetooth_adapter {
  uint16_t index;
  /// Its public address in the low 48 bits; 0 while it is not known.
  uint64_t address;
  /// HCI_UP and the others, one bit each.
  uint32_t flags;
};

extern const uint32_t cbluetooth_flag_up;

/// A socket of the family, bound to nothing: -1 with errno (EAFNOSUPPORT) where the kernel has no Bluetooth.
int cbluetooth_socket(void);

/// Up to CBLUETOOTH_ADAPTERS_MAX adapters, by their index: their number, or -1 with errno.
int cbluetooth_adapters(int socket, struct cbluetooth_adapter *adapters);

/// Asks the kernel to take an adapter up or down, or to reset it: 0, or -1 with errno. May take seconds.
int cbluetooth_up(int socket, uint16_t index);
int cbluetooth_down(int socket, uint16_t index);
int cbluetooth_reset(int socket, uint16_t index);

/// Whether rfkill blocks the adapter, by a switch or by a program, as /sys says: 1 or 0.
int cbluetooth_is_blocked(uint16_t index);

/// Binds to the user channel: the adapter is the socket's alone. Comes with receive stamps.
int cbluetooth_bind_user(int socket, uint16_t index);

/// Binds to the raw channel and asks for events only, LE Meta, Hardware Error and answers to commands, with stamps.
int cbluetooth_bind_raw(int socket, uint16_t index);

/// Binds to the management channel. The events that come with every report (Device Found, and Advertisement Monitor
/// Device Found and Lost) are left in the kernel.
int cbluetooth_bind_management(int socket);

/// Where packets are received to, several at once.
struct cbluetooth_batch;

enum {
  CBLUETOOTH_BATCH_MAX = 64,
  /// An event has 258 bytes behind its indicator at most; of longer packets, which nobody asked for, the rest is lost.
  CBLUETOOTH_PACKET_MAX = 264,
};

/// NULL when there is no memory.
struct cbluetooth_batch *cbluetooth_batch_create(void);
void cbluetooth_batch_destroy(struct cbluetooth_batch *batch);

/// Receives what is there, at most CBLUETOOTH_BATCH_MAX packets: how many, or -1 with errno. Fewer than the most means
/// that no more was there. `stamp` becomes the wall clock's microseconds when the kernel received the first, or stays.
int cbluetooth_batch_receive(struct cbluetooth_batch *batch, int socket, int64_t *stamp);

/// A packet of those received last, and how many bytes it has.
const void *cbluetooth_batch_packet(const struct cbluetooth_batch *batch, int place, size_t *count);

/// Makes room for so many bytes, by force where that is allowed: what the kernel counts them as, or -1 with errno.
int cbluetooth_receive_room(int socket, int count);

/// How many packets the kernel had no room for since the socket was made, modulo 2^32: 0, or -1 with errno.
int cbluetooth_drops(int socket, uint32_t *count);

#endif
