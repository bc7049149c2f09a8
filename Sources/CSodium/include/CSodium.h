// SPDX-License-Identifier: GPL-3.0-or-later
//
// libsodium's primitives for the Noise protocol, in the forms that Swift can call without pointers to its own state.

#ifndef C_SODIUM_H
#define C_SODIUM_H

#include <stddef.h>
#include <stdint.h>

/// Makes the library ready. 0, or -1.
int csodium_start(void);

/// Fills `bytes` with random bytes.
void csodium_random(uint8_t *bytes, size_t count);

/// SHA-256 (FIPS 180-4): 32 bytes.
void csodium_hash(const uint8_t *bytes, size_t count, uint8_t *digest);

/// HMAC-SHA-256 (RFC 2104) with a key of 32 bytes: 32 bytes.
void csodium_authenticate(const uint8_t *key, const uint8_t *bytes, size_t count, uint8_t *code);

/// The public key of a secret of 32 bytes (RFC 7748, X25519): 32 bytes. 0, or -1.
int csodium_public_key(const uint8_t *secret, uint8_t *key);

/// What both sides share: 32 bytes. 0, or -1 for a key that shares nothing.
int csodium_shared_secret(const uint8_t *secret, const uint8_t *key, uint8_t *shared);

/// ChaCha20-Poly1305 (RFC 8439) with a key of 32 and a nonce of 12 bytes: `count` and 16 bytes.
void csodium_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count, const uint8_t *bytes,
    size_t count, uint8_t *sealed);

/// The reverse; `count` is that of the sealed bytes, 16 or more. 0, or -1 when they are not genuine.
int csodium_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count, const uint8_t *sealed,
    size_t count, uint8_t *bytes);

#endif
