// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE

#include "CNetwork.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listening(int family, const struct sockaddr *address, socklen_t size) {
  int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  int on = 1, off = 0;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int cnetwork_listen(uint16_t port) {
  struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
  int descriptor = listening(AF_INET6, (struct sockaddr *)&any, sizeof any);
  if (descriptor >= 0 || (errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL)) return descriptor;
  struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_ANY)};
  return listening(AF_INET, (struct sockaddr *)&old, sizeof old);
}

int cnetwork_accept(int listener, char address[CNETWORK_ADDRESS_MAX]) {
  union {
    struct sockaddr any;
    struct sockaddr_in old;
    struct sockaddr_in6 new;
  } peer = {0};
  socklen_t size = sizeof peer;
  int descriptor = accept4(listener, &peer.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) return -1;
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  address[0] = 0;
  if (peer.any.sa_family == AF_INET) {
    inet_ntop(AF_INET, &peer.old.sin_addr, address, CNETWORK_ADDRESS_MAX);
  } else if (IN6_IS_ADDR_V4MAPPED(&peer.new.sin6_addr)) {
    inet_ntop(AF_INET, &peer.new.sin6_addr.s6_addr[12], address, CNETWORK_ADDRESS_MAX);
  } else {
    inet_ntop(AF_INET6, &peer.new.sin6_addr, address, CNETWORK_ADDRESS_MAX);
  }
  return descriptor;
}

int cnetwork_host_name(char *name, int size) {
  if (gethostname(name, size) != 0) return -1;
  name[size - 1] = 0;
  name[strcspn(name, ".")] = 0;
  return 0;
}
