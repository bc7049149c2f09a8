// SPDX-License-Identifier: GPL-3.0-or-later
//
// The connection of a program to a server of NATS, by libnats. There is one at a time. The library has threads of its own:
// what they report is kept in a queue, and a descriptor says that there is something in it. Only the thread of the program
// calls these functions.

#ifndef C_NATS_H
#define C_NATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cnats_event_kind {
  CNATS_NOTHING,
  /// The server has accepted the connection.
  CNATS_CONNECTED,
  /// There is no connection, or no longer: `text` says why; `status` is not 0 when the server refuses the user.
  CNATS_ENDED,
  /// `text` is what the server does not allow. The connection lasts.
  CNATS_COMPLAINT,
  /// The reply to a request: `number`, `status` and `payload`.
  CNATS_REPLY,
};

typedef struct {
  int kind;
  /// 0 without a status.
  int status;
  uint64_t number;
  /// It ends in a zero; both live until the next call of `cnats_next`.
  const char *text;
  const uint8_t *payload;
  size_t payload_count;
} cnats_event;

/// A duplicate of the descriptor, which is readable when there is an event; -1 when there is none to be had.
int cnats_duplicate_descriptor(void);

// The next connection. Each call returns null, or words for an error; what it is passed is copied.

/// Begins with its settings. `name` is the client's.
const char *cnats_prepare(const char *name);
/// One of these servers is connected to.
const char *cnats_set_servers(const char *const *urls, int count);
/// `password` may be NULL.
const char *cnats_set_user(const char *user, const char *password);
/// A file with a user's JWT and the seed of its key.
const char *cnats_set_credentials(const char *path);
/// A user's public key, and a file with the seed.
const char *cnats_set_key(const char *key, const char *path);
/// `certificate` and `key` may be NULL.
const char *cnats_set_certificates(const char *authorities, const char *certificate, const char *key);
/// Begins to connect, in a thread.
const char *cnats_connect(void);

/// Ends the connection, or the attempt. Nothing more is reported about it.
void cnats_disconnect(void);

/// Publishes a message. With a `number` that is not 0, the server's reply is reported. `headers` are names and values in turn.
/// Returns null, or words for an error.
const char *cnats_publish(
    const char *subject, uint64_t number, const char *const *headers, int header_count, const uint8_t *payload,
    size_t payload_count);

/// Takes the next event.
cnats_event cnats_next(void);

#endif
