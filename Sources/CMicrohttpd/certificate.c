// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE

#include "CMicrohttpd.h"

#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <string.h>
#include <time.h>

#define TEN_YEARS (10 * 365 * 86400)

// Adds the names of the host, each as what it is.
static int add_names(gnutls_x509_crt_t certificate, const char *names) {
  char text[CWEB_WORD_MAX];
  strncpy(text, names, sizeof text - 1);
  text[sizeof text - 1] = 0;
  char *rest = text;
  int result = 0;
  for (char *name = strsep(&rest, " "); name != NULL && result >= 0; name = strsep(&rest, " ")) {
    if (*name == 0) continue;
    uint8_t address[16];
    int count = inet_pton(AF_INET, name, address) == 1 ? 4 : inet_pton(AF_INET6, name, address) == 1 ? 16 : 0;
    result = count > 0 ? gnutls_x509_crt_set_subject_alt_name(
                             certificate, GNUTLS_SAN_IPADDRESS, address, (unsigned)count, GNUTLS_FSAN_APPEND)
                       : gnutls_x509_crt_set_subject_alt_name(
                             certificate, GNUTLS_SAN_DNSNAME, name, (unsigned)strlen(name), GNUTLS_FSAN_APPEND);
  }
  return result;
}

static int fill(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *names) {
  uint8_t serial[16];
  int result = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
  serial[0] &= 0x7F;
  time_t now = time(NULL);
  // A clock that is behind must not refuse it.
  if (result >= 0) result = gnutls_x509_crt_set_version(certificate, 3);
  if (result >= 0) result = gnutls_x509_crt_set_serial(certificate, serial, sizeof serial);
  if (result >= 0) result = gnutls_x509_crt_set_activation_time(certificate, now - 86400);
  if (result >= 0) result = gnutls_x509_crt_set_expiration_time(certificate, now + TEN_YEARS);
  if (result >= 0) result = gnutls_x509_crt_set_dn(certificate, "CN=accessory gateway", NULL);
  if (result >= 0) result = gnutls_x509_crt_set_key(certificate, key);
  if (result >= 0) result = gnutls_x509_crt_set_basic_constraints(certificate, 0, -1);
  if (result >= 0) result = gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
  if (result >= 0) result = gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0);
  if (result >= 0) result = add_names(certificate, names);
  if (result >= 0) result = gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0);
  return result;
}

int cweb_make_certificate(const char *names, char key_text[CWEB_PEM_MAX], char certificate_text[CWEB_PEM_MAX]) {
  gnutls_x509_privkey_t key;
  gnutls_x509_crt_t certificate;
  int result = gnutls_x509_privkey_init(&key);
  if (result < 0) return result;
  result = gnutls_x509_crt_init(&certificate);
  if (result < 0) {
    gnutls_x509_privkey_deinit(key);
    return result;
  }
  size_t key_size = CWEB_PEM_MAX - 1, certificate_size = CWEB_PEM_MAX - 1;
  memset(key_text, 0, CWEB_PEM_MAX);
  memset(certificate_text, 0, CWEB_PEM_MAX);
  result = gnutls_x509_privkey_generate(
      key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
  if (result >= 0) result = fill(certificate, key, names);
  if (result >= 0) result = gnutls_x509_privkey_export(key, GNUTLS_X509_FMT_PEM, key_text, &key_size);
  if (result >= 0)
    result = gnutls_x509_crt_export(certificate, GNUTLS_X509_FMT_PEM, certificate_text, &certificate_size);
  gnutls_x509_crt_deinit(certificate);
  gnutls_x509_privkey_deinit(key);
  return result < 0 ? result : 0;
}

int cweb_fingerprint(const char *text, uint8_t digest[32]) {
  gnutls_x509_crt_t certificate;
  int result = gnutls_x509_crt_init(&certificate);
  if (result < 0) return result;
  gnutls_datum_t data = {(unsigned char *)text, (unsigned)strlen(text)};
  size_t count = 32;
  result = gnutls_x509_crt_import(certificate, &data, GNUTLS_X509_FMT_PEM);
  if (result >= 0) result = gnutls_x509_crt_get_fingerprint(certificate, GNUTLS_DIG_SHA256, digest, &count);
  gnutls_x509_crt_deinit(certificate);
  return result < 0 ? result : 0;
}

const char *cweb_reason(int error) { return gnutls_strerror(error); }
