// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE

#include "CMicrohttpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum State { RECEIVING, WAITING, REPLYING, STREAMING };

typedef struct Request {
  struct Request *next;
  uint64_t number;
  enum State state;
  int is_new, is_left, is_suspended, has_ended, is_long;
  struct MHD_Connection *connection;
  struct MHD_Response *response;
  unsigned status;
  char *method, *path;
  uint8_t *body;
  size_t body_count;
  // What waits for the client of a stream.
  uint8_t *waiting;
  size_t waiting_count;
} Request;

struct CWebServer {
  struct MHD_Daemon *daemon;
  Request *requests;
  uint64_t count;
};

int cweb_listen(const char *address, uint16_t port) {
  struct sockaddr_in6 wide = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  struct sockaddr_in narrow = {.sin_family = AF_INET, .sin_port = htons(port)};
  int is_wide = inet_pton(AF_INET6, address, &wide.sin6_addr) == 1;
  if (!is_wide && inet_pton(AF_INET, address, &narrow.sin_addr) != 1) {
    errno = EINVAL;
    return -1;
  }
  int descriptor = socket(is_wide ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const struct sockaddr *name = is_wide ? (struct sockaddr *)&wide : (struct sockaddr *)&narrow;
  if (bind(descriptor, name, is_wide ? sizeof wide : sizeof narrow) == 0 && listen(descriptor, 64) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

static Request *find(CWebServer *server, uint64_t number) {
  Request *request = server->requests;
  while (request != NULL && request->number != number) request = request->next;
  return request;
}

static void forget(CWebServer *server, Request *request) {
  for (Request **link = &server->requests; *link != NULL; link = &(*link)->next) {
    if (*link != request) continue;
    *link = request->next;
    break;
  }
  if (request->response != NULL) MHD_destroy_response(request->response);
  free(request->method);
  free(request->path);
  free(request->body);
  free(request->waiting);
  free(request);
}

static Request *begin(CWebServer *server, struct MHD_Connection *connection, const char *method, const char *path) {
  Request *request = calloc(1, sizeof *request);
  if (request == NULL) return NULL;
  request->number = ++server->count;
  request->connection = connection;
  request->method = strdup(method);
  request->path = strdup(path);
  request->next = server->requests;
  server->requests = request;
  return request;
}

static void receive(Request *request, const char *data, size_t count) {
  if (request->is_long || request->body_count + count > CWEB_BODY_MAX) {
    request->is_long = 1;
    return;
  }
  uint8_t *grown = realloc(request->body, request->body_count + count);
  if (grown == NULL) {
    request->is_long = 1;
    return;
  }
  memcpy(grown + request->body_count, data, count);
  request->body = grown;
  request->body_count += count;
}

static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *data, size_t *count, void **place) {
  (void)version;
  CWebServer *server = context;
  Request *request = *place;
  if (request == NULL) {
    request = *place = begin(server, connection, method, path);
    return request != NULL && request->method != NULL && request->path != NULL ? MHD_YES : MHD_NO;
  }
  if (*count > 0) {
    receive(request, data, *count);
    *count = 0;
    return MHD_YES;
  }
  if (request->state == RECEIVING) {
    request->state = WAITING;
    request->is_new = 1;
    MHD_suspend_connection(connection);
    return MHD_YES;
  }
  return request->response == NULL ? MHD_NO : MHD_queue_response(connection, request->status, request->response);
}

// The connection is over, or the reply is sent.
static void complete(
    void *context, struct MHD_Connection *connection, void **place, enum MHD_RequestTerminationCode code) {
  (void)connection;
  (void)code;
  Request *request = *place;
  *place = NULL;
  if (request == NULL) return;
  request->connection = NULL;
  // The program takes note of the end of a stream before it is forgotten.
  if (request->state == STREAMING && !request->has_ended)
    request->is_left = 1;
  else
    forget(context, request);
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t size) {
  (void)position;
  Request *request = context;
  size_t count = request->waiting_count < size ? request->waiting_count : size;
  if (count > 0) {
    memcpy(bytes, request->waiting, count);
    request->waiting_count -= count;
    memmove(request->waiting, request->waiting + count, request->waiting_count);
    return (ssize_t)count;
  }
  if (request->has_ended) return MHD_CONTENT_READER_END_OF_STREAM;
  request->is_suspended = 1;
  MHD_suspend_connection(request->connection);
  return 0;
}

CWebServer *cweb_start(int listener, const char *key, const char *certificate, unsigned connections) {
  CWebServer *server = calloc(1, sizeof *server);
  if (server == NULL) return NULL;
  unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (key != NULL ? MHD_USE_TLS : 0);
  struct MHD_OptionItem secure[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  server->daemon = MHD_start_daemon(
      flags, 0, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_NOTIFY_COMPLETED, complete,
      server, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_ARRAY, key != NULL ? secure : none, MHD_OPTION_END);
  if (server->daemon != NULL) return server;
  free(server);
  return NULL;
}

int cweb_descriptor(CWebServer *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : fcntl(info->epoll_fd, F_DUPFD_CLOEXEC, 0);
}

int64_t cweb_run(CWebServer *server) {
  MHD_run(server->daemon);
  MHD_UNSIGNED_LONG_LONG milliseconds;
  return MHD_get_timeout(server->daemon, &milliseconds) == MHD_YES ? (int64_t)milliseconds : -1;
}

uint64_t cweb_next_request(CWebServer *server) {
  for (Request *request = server->requests; request != NULL; request = request->next) {
    if (!request->is_new) continue;
    request->is_new = 0;
    return request->number;
  }
  return 0;
}

uint64_t cweb_next_left(CWebServer *server) {
  Request *request = server->requests;
  while (request != NULL && !request->is_left) request = request->next;
  if (request == NULL) return 0;
  uint64_t number = request->number;
  forget(server, request);
  return number;
}

static const char *const names[CWEB_WORD_COUNT] = {
    NULL, NULL, "host", "origin", "content-type", "cookie", "authorization", "user-agent"};

typedef struct Search {
  const char *name, *value;
  int count;
} Search;

static enum MHD_Result look(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind;
  Search *search = context;
  if (name == NULL || strcasecmp(name, search->name) != 0) return MHD_YES;
  search->value = value == NULL ? "" : value;
  search->count++;
  return MHD_YES;
}

int cweb_word(CWebServer *server, uint64_t number, int word, char *text, int size) {
  Request *request = find(server, number);
  if (request == NULL || request->connection == NULL || word < 0 || word >= CWEB_WORD_COUNT) return -1;
  const char *value = word == CWEB_METHOD ? request->method : request->path;
  if (names[word] != NULL) {
    Search search = {names[word], NULL, 0};
    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, look, &search);
    if (search.count == 0) return -1;
    if (search.count > 1) return -2;
    value = search.value;
  }
  size_t count = strlen(value);
  if (count > (size_t)size) return -2;
  memcpy(text, value, count);
  return (int)count;
}

int cweb_body_count(CWebServer *server, uint64_t number) {
  Request *request = find(server, number);
  if (request == NULL) return 0;
  return request->is_long ? -1 : (int)request->body_count;
}

void cweb_body(CWebServer *server, uint64_t number, uint8_t *bytes, int size) {
  Request *request = find(server, number);
  if (request != NULL && request->body_count <= (size_t)size && request->body_count > 0)
    memcpy(bytes, request->body, request->body_count);
}

static void add_headers(struct MHD_Response *response, const char *head) {
  char *copy = strdup(head);
  if (copy == NULL) return;
  char *rest = copy;
  for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
    char *value = strstr(line, ": ");
    if (value == NULL) continue;
    *value = 0;
    MHD_add_response_header(response, line, value + 2);
  }
  free(copy);
}

static int append(Request *request, const uint8_t *bytes, size_t count) {
  if (count == 0) return 1;
  uint8_t *grown = realloc(request->waiting, request->waiting_count + count);
  if (grown == NULL) return 0;
  memcpy(grown + request->waiting_count, bytes, count);
  request->waiting = grown;
  request->waiting_count += count;
  return 1;
}

void cweb_reply(
    CWebServer *server, uint64_t number, unsigned status, const char *head, const uint8_t *body, size_t count,
    int streams) {
  Request *request = find(server, number);
  if (request == NULL || request->state != WAITING || request->connection == NULL) return;
  request->status = status;
  request->state = streams ? STREAMING : REPLYING;
  if (streams) {
    append(request, body, count);
    request->response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, request, NULL);
  } else {
    request->response = MHD_create_response_from_buffer(count, (void *)body, MHD_RESPMEM_MUST_COPY);
  }
  if (request->response != NULL) add_headers(request->response, head);
  MHD_resume_connection(request->connection);
}

static void wake(Request *request) {
  if (!request->is_suspended || request->connection == NULL) return;
  request->is_suspended = 0;
  MHD_resume_connection(request->connection);
}

int64_t cweb_send(CWebServer *server, uint64_t number, const uint8_t *bytes, size_t count) {
  Request *request = find(server, number);
  if (request == NULL || request->state != STREAMING || request->is_left || request->has_ended) return -1;
  if (!append(request, bytes, count)) return -1;
  wake(request);
  return (int64_t)request->waiting_count;
}

void cweb_end(CWebServer *server, uint64_t number, int drops) {
  Request *request = find(server, number);
  if (request == NULL || request->state != STREAMING || request->is_left) return;
  if (drops) request->waiting_count = 0;
  request->has_ended = 1;
  wake(request);
}
