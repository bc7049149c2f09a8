// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of the kernel's Bluetooth sockets (net/bluetooth/hci_sock.c) that Swift cannot reach: addresses, filters
// and control messages, with the headers of libbluetooth.

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
  /// HCI_UP and the other flags, one bit each.
  uint32_t flags;
  /// HCI_USB, or how else it is connected.
  uint8_t bus;
};

extern const uint8_t cbluetooth_bus_usb;

extern const uint32_t cbluetooth_flag_up;

/// A socket of the family, bound to nothing: -1 with errno (EAFNOSUPPORT) where the kernel has no Bluetooth.
int cbluetooth_socket(void);

/// Lists up to CBLUETOOTH_ADAPTERS_MAX adapters, by their index. Returns how many, or -1 with errno.
int cbluetooth_adapters(int socket, struct cbluetooth_adapter *adapters);

/// Takes an adapter up or down, or resets it. Returns 0, or -1 with errno. May take seconds.
int cbluetooth_up(int socket, uint16_t index);
int cbluetooth_down(int socket, uint16_t index);
int cbluetooth_reset(int socket, uint16_t index);

/// Whether rfkill blocks the adapter, by a switch or by a program, as /sys says: 1 or 0.
int cbluetooth_is_blocked(uint16_t index);

/// Binds to the user channel: only this socket can use the adapter. Packets have receive stamps.
int cbluetooth_bind_user(int socket, uint16_t index);

/// Binds to the raw channel, filtered to events: LE Meta, Hardware Error and replies to commands, with receive stamps.
int cbluetooth_bind_raw(int socket, uint16_t index);

/// Binds to the management channel. A filter drops the events of each report (Device Found, and Advertisement Monitor
/// Device Found and Lost) in the kernel.
int cbluetooth_bind_mgmt(int socket);

/// A socket for the Attribute Protocol of LE devices (L2CAP, fixed channel 4): non-blocking, bound to nothing.
int cbluetooth_att_socket(void);

/// Connects to a device from an adapter: addresses are in the low 48 bits, and an adapter's address of 0 means any.
/// From level 2 (BT_SECURITY_MEDIUM) on the kernel encrypts the link with the keys of the bond, and at level 3
/// (BT_SECURITY_HIGH) only with authenticated ones. Returns 0, or -1 with errno: EINPROGRESS while the kernel connects,
/// EBUSY when the link has such a channel.
int cbluetooth_att_connect(int socket, uint64_t adapter, uint64_t device, int is_random, uint8_t level);

/// Reads the security level of the link, and how many bytes its key has. Without a link the level is the one that was
/// asked for, and the key has none. Returns 0, or -1 with errno.
int cbluetooth_att_security(int socket, uint8_t *level, uint8_t *key_byte_count);

/// The memory into which several packets are received at once.
struct cbluetooth_batch;

enum {
  CBLUETOOTH_BATCH_MAX = 64,
  /// An event has at most 258 bytes after its indicator; longer packets, which the filter excludes, are truncated.
  CBLUETOOTH_PACKET_MAX = 264,
};

/// Returns NULL when there is no memory.
struct cbluetooth_batch *cbluetooth_batch_create(void);
void cbluetooth_batch_destroy(struct cbluetooth_batch *batch);

/// Receives the packets that have arrived, at most CBLUETOOTH_BATCH_MAX, the first `stamped` of them with their times. Returns
/// how many, or -1 with errno.
int cbluetooth_batch_receive(struct cbluetooth_batch *batch, int socket, int stamped);

/// Returns when the kernel received a packet of the last batch, in microseconds of the wall clock; 0 when it was not said.
int64_t cbluetooth_batch_stamp(struct cbluetooth_batch *batch, int index);

/// Returns a packet of the last batch; `count` becomes how many bytes it has.
const void *cbluetooth_batch_packet(const struct cbluetooth_batch *batch, int index, size_t *count);

/// Sets the size of the receive buffer, beyond the system's limit if the process may. Returns the size in the kernel's
/// count, or -1 with errno.
int cbluetooth_receive_buffer(int socket, int count);

/// Lets the kernel drop what a classic BPF program does not pass, or with a count of 0 nothing more. From the lowest bits up
/// an instruction has code (16), jt, jf (8 each) and k (32). Returns 0, or -1 with errno: ENOMEM and EINVAL for a program
/// that is too long.
int cbluetooth_set_filter(int socket, const uint64_t *instructions, uint16_t count);

/// `count` becomes how many packets the kernel dropped for a full receive buffer, modulo 2^32. Returns 0, or -1 with
/// errno.
int cbluetooth_drops(int socket, uint32_t *count);

#endif
