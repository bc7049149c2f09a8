// SPDX-License-Identifier: Apache-2.0

#include "CSocketWatch.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

int csocket_watch_create(int socket) {
  int watch = epoll_create1(EPOLL_CLOEXEC);
  if (watch < 0) return -1;
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event) == 0) return watch;
  int error = errno;
  close(watch);
  errno = error;
  return -1;
}

void csocket_watch_await_space(int watch, int socket, int is_awaited) {
  struct epoll_event event = {.events = is_awaited ? EPOLLIN | EPOLLOUT : EPOLLIN};
  // A member stays one until its descriptor is closed, which is after the watch.
  (void)epoll_ctl(watch, EPOLL_CTL_MOD, socket, &event);
}
