// SPDX-License-Identifier: GPL-3.0-or-later
//
// HTTP by libmicrohttpd, for a loop of one thread. A request is there as a whole before the program sees it, and waits until
// the program replies to it. Nothing here calls back: the program asks what has come.

#ifndef C_MICROHTTPD_H
#define C_MICROHTTPD_H

#include <stddef.h>
#include <stdint.h>

#define CWEB_BODY_MAX 262144
#define CWEB_WORD_MAX 1024

typedef struct CWebServer CWebServer;

// The parts of a request that are text.
enum {
  CWEB_METHOD,
  CWEB_PATH,
  CWEB_HOST,
  CWEB_ORIGIN,
  CWEB_CONTENT_TYPE,
  CWEB_COOKIE,
  CWEB_AUTHORIZATION,
  CWEB_USER_AGENT,
  CWEB_WORD_COUNT
};

// Listens at a numeric address; returns the descriptor, or -1 with errno.
int cweb_listen(const char *address, uint16_t port);

// Serves what connects to the descriptor; with key and certificate (PEM) by TLS. Returns null when the library refuses.
CWebServer *cweb_start(int listener, const char *key, const char *certificate, unsigned connections);

// A descriptor, the caller's own, that is readable when there is something to do; -1 for none.
int cweb_descriptor(CWebServer *server);

// Does what is to do, and returns in how many milliseconds it has to be called at the latest; -1 for never.
int64_t cweb_run(CWebServer *server);

// The next request that has come as a whole; 0 for none.
uint64_t cweb_next_request(CWebServer *server);

// The next stream that its client has left; 0 for none.
uint64_t cweb_next_left(CWebServer *server);

// Copies a word of a request, at most `size` bytes, and returns its length; -1 when it is absent, -2 when it is there twice,
// or is longer.
int cweb_word(CWebServer *server, uint64_t request, int word, char *text, int size);

// How many bytes the body has; -1 when it is longer than CWEB_BODY_MAX.
int cweb_body_count(CWebServer *server, uint64_t request);

// Copies the body, at most `size` bytes.
void cweb_body(CWebServer *server, uint64_t request, uint8_t *bytes, int size);

// Replies. `head` has lines "name: value", each ended by a newline. With `streams` the body is only the beginning, and more
// comes by cweb_send.
void cweb_reply(
    CWebServer *server, uint64_t request, unsigned status, const char *head, const uint8_t *body, size_t count,
    int streams);

// Adds bytes to a stream, and returns how many wait for its client; -1 when the stream is not there.
int64_t cweb_send(CWebServer *server, uint64_t request, const uint8_t *bytes, size_t count);

// Ends a stream after what waits, or without it.
void cweb_end(CWebServer *server, uint64_t request, int drops);

#define CWEB_PEM_MAX 4096

// Makes a key (ECDSA, P-256) and a certificate of ten years that it has signed itself, for names and addresses with blanks
// between. Returns 0, or an error of GnuTLS.
int cweb_make_certificate(const char *names, char key[CWEB_PEM_MAX], char certificate[CWEB_PEM_MAX]);

// The SHA-256 digest of a certificate in PEM. Returns 0, or an error of GnuTLS.
int cweb_fingerprint(const char *certificate, uint8_t digest[32]);

// Why GnuTLS refused something.
const char *cweb_reason(int error);

#endif
