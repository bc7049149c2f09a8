// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

const uint32_t clinux_epoll_in = EPOLLIN;
const uint32_t clinux_epoll_out = EPOLLOUT;
const uint32_t clinux_epoll_hang_up = EPOLLHUP | EPOLLERR;
const uint32_t clinux_epoll_read_hang_up = EPOLLRDHUP;

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

int clinux_epoll_wait(int epoll, struct clinux_event *events, int capacity, int milliseconds) {
  struct epoll_event raw[CLINUX_EVENTS_MAX];
  if (capacity > CLINUX_EVENTS_MAX) capacity = CLINUX_EVENTS_MAX;
  int count = epoll_wait(epoll, raw, capacity, milliseconds);
  for (int index = 0; index < count; index++) {
    events[index].events = raw[index].events;
    events[index].token = raw[index].data.u64;
  }
  return count;
}

int clinux_timer_create(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC); }

int clinux_timer_set(int descriptor, int64_t microseconds) {
  struct itimerspec spec = {0};
  spec.it_value.tv_sec = microseconds / 1000000;
  spec.it_value.tv_nsec = microseconds % 1000000 * 1000;
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &spec, NULL);
}

int64_t clinux_boot_time(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return -1;
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_signals(uint64_t mask) {
  sigset_t set;
  sigemptyset(&set);
  for (int number = 1; number < 64; number++) {
    if (mask >> number & 1) sigaddset(&set, number);
  }
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
  return count < 0 && errno != EAGAIN && errno != EINTR ? -1 : 0;
}

/// Fills a local address; 0, or -1 with ENAMETOOLONG. A leading @ names an abstract socket.
static int local_address(struct sockaddr_un *address, socklen_t *length, const char *path) {
  size_t count = strlen(path);
  if (count == 0 || count >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, count);
  int is_abstract = path[0] == '@';
  if (is_abstract) address->sun_path[0] = 0;
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (is_abstract ? 0 : 1));
  return 0;
}

int clinux_bind(int descriptor, const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (local_address(&address, &length, path) != 0) return -1;
  return bind(descriptor, (const struct sockaddr *)&address, length);
}

int clinux_connect(int descriptor, const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (local_address(&address, &length, path) != 0) return -1;
  return connect(descriptor, (const struct sockaddr *)&address, length);
}

long clinux_send_to(int descriptor, const void *bytes, size_t count, const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (local_address(&address, &length, path) != 0) return -1;
  return sendto(descriptor, bytes, count, MSG_NOSIGNAL, (const struct sockaddr *)&address, length);
}

int clinux_stream_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int clinux_datagram_socket(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

long clinux_send(int descriptor, const void *bytes, size_t count) {
  return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int clinux_peer(int descriptor, struct clinux_peer *peer) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  peer->process = credentials.pid;
  peer->user = credentials.uid;
  peer->group = credentials.gid;
  return 0;
}

int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity) {
  socklen_t length = (socklen_t)(capacity * (int)sizeof *groups);
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return -1;
  return (int)(length / sizeof *groups);
}
