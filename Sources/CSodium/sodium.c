// SPDX-License-Identifier: GPL-3.0-or-later

#include "CSodium.h"

#include <sodium.h>

int csodium_start(void) { return sodium_init() < 0 ? -1 : 0; }

void csodium_random(uint8_t *bytes, size_t count) { randombytes_buf(bytes, count); }

void csodium_hash(const uint8_t *bytes, size_t count, uint8_t *digest) {
  crypto_hash_sha256(digest, bytes, count);
}

void csodium_authenticate(const uint8_t *key, const uint8_t *bytes, size_t count, uint8_t *code) {
  crypto_auth_hmacsha256(code, bytes, count, key);
}

int csodium_public_key(const uint8_t *secret, uint8_t *key) {
  return crypto_scalarmult_curve25519_base(key, secret);
}

int csodium_shared_secret(const uint8_t *secret, const uint8_t *key, uint8_t *shared) {
  return crypto_scalarmult_curve25519(shared, secret, key);
}

void csodium_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count, const uint8_t *bytes,
    size_t count, uint8_t *sealed) {
  crypto_aead_chacha20poly1305_ietf_encrypt(sealed, NULL, bytes, count, data, data_count, NULL, nonce, key);
}

int csodium_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count, const uint8_t *sealed,
    size_t count, uint8_t *bytes) {
  return crypto_aead_chacha20poly1305_ietf_decrypt(
      bytes, NULL, NULL, sealed, count, data, data_count, nonce, key);
}
