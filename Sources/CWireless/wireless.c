// SPDX-License-Identifier: GPL-3.0-or-later

#include "CWireless.h"

#include <errno.h>
#include <iwlib.h>
#include <string.h>
#include <sys/socket.h>

// libiw copies the name of an interface without a terminator when it is too long.
static int fits(const char *interface) {
  if (strlen(interface) < IFNAMSIZ) return 1;
  errno = ENODEV;
  return 0;
}

int cwireless_socket(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

int cwireless_probe(int socket, const char *interface) {
  struct iwreq request = {0};
  return fits(interface) ? iw_get_ext(socket, interface, SIOCGIWNAME, &request) : -1;
}

int cwireless_version(int socket, const char *interface) {
  // Twice the size that is known here, as libiw does: a newer kernel may write more.
  union {
    struct iw_range range;
    char bytes[sizeof(struct iw_range) * 2];
  } answer = {0};
  struct iwreq request = {0};
  request.u.data.pointer = &answer;
  request.u.data.length = sizeof answer;
  if (!fits(interface) || iw_get_ext(socket, interface, SIOCGIWRANGE, &request) < 0) return -1;
  return answer.range.we_version_compiled;
}

int cwireless_access_point(int socket, const char *interface, unsigned char *address) {
  static const unsigned char none[6];
  struct iwreq request = {0};
  if (!fits(interface) || iw_get_ext(socket, interface, SIOCGIWAP, &request) < 0) return -1;
  memcpy(address, request.u.ap_addr.sa_data, sizeof none);
  return memcmp(address, none, sizeof none) != 0;
}

int cwireless_start_scan(int socket, const char *interface) {
  struct iwreq request = {0};
  return fits(interface) ? iw_set_ext(socket, interface, SIOCSIWSCAN, &request) : -1;
}

long cwireless_read_results(int socket, const char *interface, void *buffer) {
  struct iwreq request = {0};
  request.u.data.pointer = buffer;
  request.u.data.length = CWIRELESS_RESULTS_BYTES_MAX;
  if (!fits(interface) || iw_get_ext(socket, interface, SIOCGIWSCAN, &request) < 0) return -1;
  return request.u.data.length;
}

// What an event carries, if it lies in the stream and is of this kind.
static void set_bytes(struct cwireless_event *event, enum cwireless_kind kind, const char *start, size_t count,
                      const struct iw_point *data) {
  const char *bytes = data->pointer;
  if (bytes == NULL && data->length == 0) bytes = start;
  if (bytes < start || bytes > start + count || data->length > (size_t)(start + count - bytes)) {
    event->kind = CWIRELESS_MALFORMED;
    return;
  }
  event->kind = kind;
  event->offset = bytes - start;
  event->count = data->length;
}

// From this version on (Linux 2.6.16), a stream has no pointers. A driver may not have filled in its version, but the kernel itself
// writes the stream; and for an older version libiw writes beyond its own event.
enum { VERSION_MIN = 19 };

void cwireless_next_event(const void *buffer, size_t count, int version, struct cwireless_position *position,
                          struct cwireless_event *event) {
  // libiw only reads the stream.
  char *start = (char *)buffer;
  struct stream_descr stream = {
      .end = start + count,
      .current = start + position->offset,
      .value = position->value ? start + position->value : NULL,
  };
  struct iw_event found = {0};
  memset(event, 0, sizeof *event);
  int result = iw_extract_event_stream(&stream, &found, version < VERSION_MIN ? VERSION_MIN : version);
  // An event whose length is beyond the end is the last one.
  position->offset = stream.current > start + count ? count : (size_t)(stream.current - start);
  position->value = stream.value ? (size_t)(stream.value - start) : 0;
  if (result <= 0) {
    event->kind = result < 0 ? CWIRELESS_MALFORMED : CWIRELESS_END;
    if (result < 0) position->offset = count, position->value = 0;
    return;
  }
  if (result != 1) {
    event->kind = CWIRELESS_MALFORMED;
    return;
  }
  switch (found.cmd) {
    case SIOCGIWAP:
      event->kind = CWIRELESS_ADDRESS;
      memcpy(event->address, found.u.ap_addr.sa_data, sizeof event->address);
      break;
    case SIOCGIWESSID: set_bytes(event, CWIRELESS_NAME, start, count, &found.u.essid); break;
    case SIOCGIWFREQ:
      event->kind = CWIRELESS_FREQUENCY;
      event->mantissa = found.u.freq.m;
      event->exponent = found.u.freq.e;
      break;
    case IWEVQUAL:
      event->kind = CWIRELESS_QUALITY;
      event->level = (int8_t)found.u.qual.level;
      event->has_level = !(found.u.qual.updated & IW_QUAL_LEVEL_INVALID) && (found.u.qual.updated & IW_QUAL_DBM);
      break;
    case SIOCGIWENCODE:
      event->kind = CWIRELESS_ENCODING;
      event->flags = found.u.data.flags;
      break;
    case IWEVGENIE: set_bytes(event, CWIRELESS_ELEMENTS, start, count, &found.u.data); break;
    case IWEVCUSTOM: set_bytes(event, CWIRELESS_TEXT, start, count, &found.u.data); break;
    default: event->kind = CWIRELESS_OTHER;
  }
}
