// SPDX-License-Identifier: GPL-3.0-or-later
//
// A connection to a broker by libmosquitto (under its Eclipse Distribution License), for a program's own loop. What
// libmosquitto reports in callbacks is kept, and handed out one by one.

#ifndef C_MOSQUITTO_H
#define C_MOSQUITTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cmosquitto cmosquitto;

enum cmosquitto_event_kind {
  CMOSQUITTO_NOTHING,
  /// The broker has replied to CONNECT: `code` 0 means that it accepts the connection.
  CMOSQUITTO_CONNECTED,
  /// The broker has the publication of the number `code`.
  CMOSQUITTO_PUBLISHED,
  /// `topic`, `payload` and `is_retained` are a message.
  CMOSQUITTO_MESSAGE,
  /// The broker has refused a subscription.
  CMOSQUITTO_REFUSED,
};

typedef struct {
  int kind;
  int code;
  /// It ends in a zero; both live until the next call of `cmosquitto_next`.
  const char *topic;
  const uint8_t *payload;
  size_t payload_count;
  bool is_retained;
} cmosquitto_event;

/// A client of this name with a clean session; NULL when there is no memory.
cmosquitto *cmosquitto_new(const char *name);
void cmosquitto_free(cmosquitto *client);

// The calls below return 0, or an error of libmosquitto, for which cmosquitto_error has words.

int cmosquitto_set_will(cmosquitto *client, const char *topic, const uint8_t *payload, size_t count, int quality);
/// `password` may be NULL.
int cmosquitto_set_user(cmosquitto *client, const char *user, const char *password);
/// `certificate` and `key` may be NULL.
int cmosquitto_set_certificates(cmosquitto *client, const char *authorities, const char *certificate, const char *key);
/// Begins to connect; a `port` of 0 makes `host` the path of a socket. A name is looked up before it returns.
int cmosquitto_connect(cmosquitto *client, const char *host, uint16_t port);
int cmosquitto_disconnect(cmosquitto *client);

/// A duplicate of the socket, to wait for; -1 without a connection.
int cmosquitto_duplicate_socket(cmosquitto *client);
bool cmosquitto_wants_write(cmosquitto *client);
int cmosquitto_read(cmosquitto *client);
int cmosquitto_write(cmosquitto *client);
/// To be called every few seconds.
int cmosquitto_tick(cmosquitto *client);

/// `number` gets what CMOSQUITTO_PUBLISHED says later.
int cmosquitto_publish(
    cmosquitto *client, int *number, const char *topic, const uint8_t *payload, size_t count, int quality,
    bool is_retained);
int cmosquitto_subscribe(cmosquitto *client, const char *filter);
int cmosquitto_unsubscribe(cmosquitto *client, const char *filter);

/// Takes the next event.
cmosquitto_event cmosquitto_next(cmosquitto *client);

/// Words for an error of a client's call, which is the last one.
const char *cmosquitto_error(cmosquitto *client, int error);
/// Words for the `code` of CMOSQUITTO_CONNECTED.
const char *cmosquitto_refusal(int code);

#endif
