// SPDX-License-Identifier: GPL-3.0-or-later

#include "CMosquitto.h"

#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  keepalive_seconds = 30,
  // Longer messages are of no use here, and are not kept.
  payload_count_max = 1 << 16,
  // Messages that wait at a time; those beyond it are not kept.
  messages_max = 1024,
};

struct record {
  cmosquitto_event event;
  struct record *next;
  char bytes[];
};

struct cmosquitto {
  struct mosquitto *client;
  struct record *first, **end;
  // The one that was handed out last.
  struct record *current;
  int messages;
  // What OpenSSL has said last.
  char reason[200];
};

static struct record *append(
    cmosquitto *client, int kind, int code, const char *topic, const void *payload, size_t count) {
  size_t topic_count = topic ? strlen(topic) + 1 : 0;
  struct record *record = malloc(sizeof *record + topic_count + count);
  if (!record) return NULL;
  *record = (struct record){.event = {.kind = kind, .code = code, .payload_count = count}};
  if (topic) record->event.topic = memcpy(record->bytes, topic, topic_count);
  if (count) record->event.payload = memcpy(record->bytes + topic_count, payload, count);
  *client->end = record;
  client->end = &record->next;
  return record;
}

static void connected(struct mosquitto *unused, void *context, int code) {
  (void)unused;
  append(context, CMOSQUITTO_CONNECTED, code, NULL, NULL, 0);
}

static void published(struct mosquitto *unused, void *context, int number) {
  (void)unused;
  append(context, CMOSQUITTO_PUBLISHED, number, NULL, NULL, 0);
}

static void received(struct mosquitto *unused, void *context, const struct mosquitto_message *message) {
  (void)unused;
  cmosquitto *client = context;
  if (message->payloadlen > payload_count_max || client->messages == messages_max) return;
  struct record *record =
      append(client, CMOSQUITTO_MESSAGE, 0, message->topic, message->payload, (size_t)message->payloadlen);
  if (!record) return;
  record->event.is_retained = message->retain;
  client->messages++;
}

static void subscribed(struct mosquitto *unused, void *context, int number, int count, const int *granted) {
  (void)unused;
  for (int index = 0; index < count; index++)
    if (granted[index] > 2) append(context, CMOSQUITTO_REFUSED, number, NULL, NULL, 0);
}

static void logged(struct mosquitto *unused, void *context, int level, const char *line) {
  (void)unused;
  cmosquitto *client = context;
  if (level == MOSQ_LOG_ERR) snprintf(client->reason, sizeof client->reason, "%s", line);
}

static void start(void) { mosquitto_lib_init(); }

cmosquitto *cmosquitto_new(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  cmosquitto *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->end = &client->first;
  client->client = mosquitto_new(name, true, client);
  if (!client->client) {
    free(client);
    return NULL;
  }
  mosquitto_connect_callback_set(client->client, connected);
  mosquitto_publish_callback_set(client->client, published);
  mosquitto_message_callback_set(client->client, received);
  mosquitto_subscribe_callback_set(client->client, subscribed);
  mosquitto_log_callback_set(client->client, logged);
  return client;
}

void cmosquitto_free(cmosquitto *client) {
  mosquitto_destroy(client->client);
  free(client->current);
  while (client->first) {
    struct record *record = client->first;
    client->first = record->next;
    free(record);
  }
  free(client);
}

int cmosquitto_set_will(cmosquitto *client, const char *topic, const uint8_t *payload, size_t count, int quality) {
  return mosquitto_will_set(client->client, topic, (int)count, payload, quality, true);
}

int cmosquitto_set_user(cmosquitto *client, const char *user, const char *password) {
  return mosquitto_username_pw_set(client->client, user, password);
}

int cmosquitto_set_certificates(cmosquitto *client, const char *authorities, const char *certificate, const char *key) {
  int error = mosquitto_tls_set(client->client, authorities, NULL, certificate, key, NULL);
  return error ? error : mosquitto_tls_opts_set(client->client, 1, "tlsv1.2", NULL);
}

int cmosquitto_connect(cmosquitto *client, const char *host, uint16_t port) {
  return mosquitto_connect_async(client->client, host, port, keepalive_seconds);
}

int cmosquitto_disconnect(cmosquitto *client) { return mosquitto_disconnect(client->client); }

int cmosquitto_duplicate_socket(cmosquitto *client) {
  return fcntl(mosquitto_socket(client->client), F_DUPFD_CLOEXEC, 0);
}

bool cmosquitto_wants_write(cmosquitto *client) { return mosquitto_want_write(client->client); }

int cmosquitto_read(cmosquitto *client) { return mosquitto_loop_read(client->client, 1); }

int cmosquitto_write(cmosquitto *client) { return mosquitto_loop_write(client->client, 1); }

int cmosquitto_tick(cmosquitto *client) { return mosquitto_loop_misc(client->client); }

int cmosquitto_publish(
    cmosquitto *client, int *number, const char *topic, const uint8_t *payload, size_t count, int quality,
    bool is_retained) {
  return mosquitto_publish(client->client, number, topic, (int)count, payload, quality, is_retained);
}

int cmosquitto_subscribe(cmosquitto *client, const char *filter) {
  return mosquitto_subscribe(client->client, NULL, filter, 1);
}

int cmosquitto_unsubscribe(cmosquitto *client, const char *filter) {
  return mosquitto_unsubscribe(client->client, NULL, filter);
}

cmosquitto_event cmosquitto_next(cmosquitto *client) {
  free(client->current);
  struct record *record = client->current = client->first;
  if (!record) return (cmosquitto_event){.kind = CMOSQUITTO_NOTHING};
  client->first = record->next;
  if (!client->first) client->end = &client->first;
  if (record->event.kind == CMOSQUITTO_MESSAGE) client->messages--;
  return record->event;
}

const char *cmosquitto_error(cmosquitto *client, int error) {
  if (error == MOSQ_ERR_EAI) return "its name is not known; correct host in mqtt.toml";
  // Without a number of the system's, what came was no message of MQTT.
  if (error == MOSQ_ERR_ERRNO && errno == 0) error = MOSQ_ERR_PROTOCOL;
  if (error == MOSQ_ERR_ERRNO) return strerror(errno);
  return error == MOSQ_ERR_TLS && client->reason[0] ? client->reason : mosquitto_strerror(error);
}

const char *cmosquitto_refusal(int code) { return mosquitto_connack_string(code); }
