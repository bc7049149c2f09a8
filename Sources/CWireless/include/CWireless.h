// SPDX-License-Identifier: GPL-3.0-or-later
//
// Scans by wireless extensions, with libiw. Its header and its structures are not visible to Swift.

#ifndef C_WIRELESS_H
#define C_WIRELESS_H

#include <stddef.h>
#include <stdint.h>

/// The most bytes that the kernel delivers: their count is a number of 16 bits.
enum { CWIRELESS_RESULTS_BYTES_MAX = 65535 };

/// How many bytes libiw may read after a stream whose last event has a wrong length (four), and some more.
enum { CWIRELESS_PADDING_BYTES = 8 };

/// A socket for the requests below, of the family AF_UNIX: the kernel accepts them on any socket. -1 with errno.
int cwireless_socket(void);

/// Whether the interface knows wireless extensions. Returns 0, or -1 with errno: ENODEV for no such interface, EOPNOTSUPP for one
/// without them.
int cwireless_probe(int socket, const char *interface);

/// The version of the extensions with which the kernel was built, or -1 with errno.
int cwireless_version(int socket, const char *interface);

/// Whether the interface is connected to a network: 1, 0, or -1 with errno. Writes the six bytes of its radio's address, or zeros.
int cwireless_access_point(int socket, const char *interface, unsigned char *address);

/// Starts a scan of all channels. Returns 0, or -1 with errno: EBUSY while the interface scans, EPERM without CAP_NET_ADMIN.
int cwireless_start_scan(int socket, const char *interface);

/// Reads the networks that the kernel knows, as a stream of events, into CWIRELESS_RESULTS_BYTES_MAX bytes. Returns how many bytes,
/// or -1 with errno: EAGAIN while the interface scans, E2BIG when the networks need more bytes than there can be.
long cwireless_read_results(int socket, const char *interface, void *buffer);

enum cwireless_kind {
  CWIRELESS_END,
  CWIRELESS_ADDRESS,
  CWIRELESS_NAME,
  CWIRELESS_FREQUENCY,
  CWIRELESS_QUALITY,
  CWIRELESS_ENCODING,
  CWIRELESS_ELEMENTS,
  CWIRELESS_TEXT,
  CWIRELESS_OTHER,
  CWIRELESS_MALFORMED,
};

/// An event of the stream.
struct cwireless_event {
  enum cwireless_kind kind;
  /// What the event carries besides its numbers: `count` bytes of the stream, from `offset` on.
  size_t offset;
  size_t count;
  uint8_t address[6];
  int32_t mantissa;
  int16_t exponent;
  int8_t level;
  /// Whether the level is one, in dBm.
  uint8_t has_level;
  uint16_t flags;
};

/// Where the reading of a stream is; all zero at the beginning.
struct cwireless_position {
  size_t offset;
  /// Inside an event with several values, the offset of the next one; 0 outside.
  size_t value;
};

/// Reads the next event of `count` bytes, after which the buffer has CWIRELESS_PADDING_BYTES more.
void cwireless_next_event(
    const void *buffer, size_t count, int version, struct cwireless_position *position, struct cwireless_event *event);

#endif
