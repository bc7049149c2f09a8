// SPDX-License-Identifier: GPL-3.0-or-later

#include "CNats.h"

#include <errno.h>
#include <fcntl.h>
#include <nats/nats.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
  connect_milliseconds = 5000,
  write_milliseconds = 2000,
  ping_milliseconds = 15000,
  // Longer replies are of no use here, and are not kept.
  payload_count_max = 1 << 18,
  // Events that wait at a time; replies beyond them are not kept.
  events_max = 4096,
};

struct record {
  cnats_event event;
  struct record *next;
  char bytes[];
};

// Callbacks know only the number of their connection: what comes of an earlier one is passed over.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t generation;
static natsConnection *connection;
static natsSubscription *subscription;
static struct record *first, **end = &first;
static int count;
static int descriptor = -1;

// The thread of the program alone uses these.
static natsOptions *options;
static struct record *current;
static char inbox[80];

static void open_descriptor(void) { descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static void signal_descriptor(void) {
  uint64_t one = 1;
  ssize_t ignored = write(descriptor, &one, sizeof one);
  (void)ignored;
}

// With the lock.
static void append(
    int kind, int status, uint64_t number, const char *text, const void *payload, size_t payload_count) {
  size_t text_count = text ? strlen(text) + 1 : 0;
  struct record *record = malloc(sizeof *record + text_count + payload_count);
  if (!record) return;
  *record = (struct record){
      .event = {.kind = kind, .status = status, .number = number, .payload_count = payload_count}};
  if (text) record->event.text = memcpy(record->bytes, text, text_count);
  if (payload_count) record->event.payload = memcpy(record->bytes + text_count, payload, payload_count);
  *end = record;
  end = &record->next;
  count++;
  signal_descriptor();
}

static bool is_refusal(const char *text) {
  return strstr(text, "Authorization Violation") || strstr(text, "Authentication");
}

static void report(uintptr_t own, int kind, const char *text) {
  pthread_mutex_lock(&lock);
  if (own == generation) append(kind, is_refusal(text), 0, text, NULL, 0);
  pthread_mutex_unlock(&lock);
}

// MARK: - The library's threads

static void replied(natsConnection *unused, natsSubscription *unneeded, natsMsg *message, void *closure) {
  (void)unused;
  (void)unneeded;
  const char *point = strrchr(natsMsg_GetSubject(message), '.');
  const char *status = NULL;
  natsMsgHeader_Get(message, "Status", &status);
  int size = natsMsg_GetDataLength(message);
  pthread_mutex_lock(&lock);
  if ((uintptr_t)closure == generation && point && size <= payload_count_max && count < events_max)
    append(
        CNATS_REPLY, status ? atoi(status) : 0, strtoull(point + 1, NULL, 10), NULL, natsMsg_GetData(message),
        (size_t)size);
  pthread_mutex_unlock(&lock);
  natsMsg_Destroy(message);
}

static const char *words(natsConnection *own) {
  const char *text = NULL;
  natsStatus status = natsConnection_GetLastError(own, &text);
  return text && text[0] ? text : natsStatus_GetText(status == NATS_OK ? NATS_CONNECTION_CLOSED : status);
}

static void closed(natsConnection *own, void *closure) { report((uintptr_t)closure, CNATS_ENDED, words(own)); }

static void complained(natsConnection *own, natsSubscription *unused, natsStatus status, void *closure) {
  (void)unused;
  const char *text = words(own);
  report((uintptr_t)closure, CNATS_COMPLAINT, text && text[0] ? text : natsStatus_GetText(status));
}

static void destroy(natsConnection *own, natsSubscription *replies) {
  natsConnection_Destroy(own);
  natsSubscription_Destroy(replies);
}

struct attempt {
  natsOptions *options;
  uintptr_t generation;
  char inbox[80];
};

static void *attempt_connection(void *argument) {
  struct attempt *attempt = argument;
  natsConnection *own = NULL;
  natsSubscription *replies = NULL;
  char pattern[96];
  snprintf(pattern, sizeof pattern, "%s.*", attempt->inbox);
  natsStatus status = natsConnection_Connect(&own, attempt->options);
  if (status == NATS_OK)
    status = natsConnection_Subscribe(&replies, own, pattern, replied, (void *)attempt->generation);
  bool is_wanted = false;
  pthread_mutex_lock(&lock);
  if (attempt->generation == generation) {
    if (status == NATS_OK) {
      connection = own;
      subscription = replies;
      is_wanted = true;
      append(CNATS_CONNECTED, 0, 0, NULL, NULL, 0);
    } else {
      natsStatus last = NATS_OK;
      const char *text = nats_GetLastError(&last);
      if (!text || !text[0]) text = natsStatus_GetText(status);
      append(CNATS_ENDED, is_refusal(text), 0, text, NULL, 0);
    }
  }
  pthread_mutex_unlock(&lock);
  if (!is_wanted) destroy(own, replies);
  natsOptions_Destroy(attempt->options);
  free(attempt);
  nats_ReleaseThreadMemory();
  return NULL;
}

// MARK: - The program's thread

int cnats_duplicate_descriptor(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_descriptor);
  return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

static const char *reason(natsStatus status) {
  if (status == NATS_OK) return NULL;
  natsStatus last = NATS_OK;
  const char *text = nats_GetLastError(&last);
  return text && text[0] ? text : natsStatus_GetText(status);
}

const char *cnats_prepare(const char *name) {
  natsOptions_Destroy(options);
  options = NULL;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = natsOptions_SetName(options, name);
  if (status == NATS_OK) status = natsOptions_SetTimeout(options, connect_milliseconds);
  if (status == NATS_OK) status = natsOptions_SetWriteDeadline(options, write_milliseconds);
  if (status == NATS_OK) status = natsOptions_SetPingInterval(options, ping_milliseconds);
  // Another connection is the program's decision.
  if (status == NATS_OK) status = natsOptions_SetAllowReconnect(options, false);
  return reason(status);
}

const char *cnats_set_servers(const char *const *urls, int url_count) {
  return reason(natsOptions_SetServers(options, (const char **)urls, url_count));
}

const char *cnats_set_user(const char *user, const char *password) {
  return reason(natsOptions_SetUserInfo(options, user, password));
}

const char *cnats_set_credentials(const char *path) {
  return reason(natsOptions_SetUserCredentialsFromFiles(options, path, NULL));
}

const char *cnats_set_key(const char *key, const char *path) {
  return reason(natsOptions_SetNKeyFromSeed(options, key, path));
}

const char *cnats_set_certificates(const char *authorities, const char *certificate, const char *key) {
  natsStatus status = natsOptions_SetSecure(options, true);
  if (status == NATS_OK) status = natsOptions_LoadCATrustedCertificates(options, authorities);
  if (status == NATS_OK && certificate) status = natsOptions_LoadCertificatesChain(options, certificate, key);
  return reason(status);
}

const char *cnats_connect(void) {
  natsInbox *own = NULL;
  natsStatus status = natsInbox_Create(&own);
  if (status != NATS_OK) return reason(status);
  snprintf(inbox, sizeof inbox, "%s", (const char *)own);
  natsInbox_Destroy(own);
  struct attempt *attempt = calloc(1, sizeof *attempt);
  if (!attempt) return strerror(ENOMEM);
  pthread_mutex_lock(&lock);
  attempt->generation = ++generation;
  pthread_mutex_unlock(&lock);
  memcpy(attempt->inbox, inbox, sizeof inbox);
  attempt->options = options;
  options = NULL;
  void *closure = (void *)attempt->generation;
  status = natsOptions_SetClosedCB(attempt->options, closed, closure);
  if (status == NATS_OK) status = natsOptions_SetErrorHandler(attempt->options, complained, closure);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = status == NATS_OK ? pthread_create(&thread, &attributes, attempt_connection, attempt) : EINVAL;
  pthread_attr_destroy(&attributes);
  if (!error) return NULL;
  natsOptions_Destroy(attempt->options);
  free(attempt);
  return strerror(error);
}

void cnats_disconnect(void) {
  pthread_mutex_lock(&lock);
  generation++;
  natsConnection *own = connection;
  natsSubscription *replies = subscription;
  connection = NULL;
  subscription = NULL;
  struct record *rest = first;
  first = NULL;
  end = &first;
  count = 0;
  pthread_mutex_unlock(&lock);
  while (rest) {
    struct record *next = rest->next;
    free(rest);
    rest = next;
  }
  // Without the lock, for which a callback may be waiting.
  destroy(own, replies);
}

const char *cnats_publish(
    const char *subject, uint64_t number, const char *const *headers, int header_count, const uint8_t *payload,
    size_t payload_count) {
  pthread_mutex_lock(&lock);
  natsConnection *own = connection;
  pthread_mutex_unlock(&lock);
  if (!own) return "there is no connection";
  char reply[112];
  snprintf(reply, sizeof reply, "%s.%llu", inbox, (unsigned long long)number);
  natsMsg *message = NULL;
  natsStatus status =
      natsMsg_Create(&message, subject, number ? reply : NULL, (const char *)payload, (int)payload_count);
  for (int index = 0; status == NATS_OK && index < header_count; index += 2)
    status = natsMsgHeader_Set(message, headers[index], headers[index + 1]);
  if (status == NATS_OK) status = natsConnection_PublishMsg(own, message);
  natsMsg_Destroy(message);
  return reason(status);
}

cnats_event cnats_next(void) {
  free(current);
  pthread_mutex_lock(&lock);
  struct record *record = current = first;
  if (record) {
    first = record->next;
    if (!first) end = &first;
    count--;
  } else {
    uint64_t ignored;
    ssize_t result = read(descriptor, &ignored, sizeof ignored);
    (void)result;
  }
  pthread_mutex_unlock(&lock);
  return record ? record->event : (cnats_event){.kind = CNATS_NOTHING};
}
