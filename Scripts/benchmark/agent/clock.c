// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stands in front of libc in the agent, and lets Scripts/benchmark/agent say what time it is (clock.py): once it has said
// so, the agent never sleeps. Where it would wait, it sends the time when its timer ends, or -1, to the socket whose number
// is in BENCHMARK_CLOCK, and gets the time that it is now, after something was sent to it or because the timer has ended. All
// times are microseconds since the agent first read the clock. What this file does is not counted.

#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

enum { MICROSECONDS = 1000000, TURN_MICROSECONDS = 20 };

static int control = -1;
// When the agent first read the clock.
static int64_t origin = -1;
// The time, once it is said; -1 before.
static int64_t now = -1;
static int timer = -1;
// When the timer ends; -1 while it is not armed.
static int64_t timer_end = -1;

__attribute__((constructor)) static void find_control(void) {
  const char *number = getenv("BENCHMARK_CLOCK");
  if (number) control = atoi(number);
}

static int64_t microseconds(const struct timespec *time) {
  return (int64_t)time->tv_sec * MICROSECONDS + time->tv_nsec / 1000;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (now >= 0 && clock == CLOCK_BOOTTIME) {
    time->tv_sec = (origin + now) / MICROSECONDS;
    time->tv_nsec = (origin + now) % MICROSECONDS * 1000;
    return 0;
  }
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (origin < 0 && clock == CLOCK_BOOTTIME) origin = microseconds(time);
  return result;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *old) {
  int64_t end = microseconds(&value->it_value);
  timer = descriptor;
  timer_end = end > 0 ? end - origin : -1;
  // It is readable no longer.
  const struct itimerspec never = {0};
  return (int)syscall(SYS_timerfd_settime, descriptor, flags, now >= 0 ? &never : value, old);
}

static int wait_really(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
  return (int)syscall(SYS_epoll_pwait, epoll, events, capacity, milliseconds, NULL, 8);
}

static void end_timer(void) {
  const struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
  syscall(SYS_timerfd_settime, timer, 0, &soon, NULL);
  timer_end = -1;
}

// Waits with the benchmark's clock.
static int wait_as_told(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
  now += TURN_MICROSECONDS;
  for (;;) {
    int count = wait_really(epoll, events, capacity, 0);
    if (count != 0 || milliseconds == 0) return count;
    int64_t time;
    if (send(control, &timer_end, sizeof timer_end, MSG_NOSIGNAL) < 0 || recv(control, &time, sizeof time, 0) <= 0) exit(1);
    if (time > now) now = time;
    if (timer_end < 0 || timer_end > now) continue;
    end_timer();
    return wait_really(epoll, events, capacity, -1);
  }
}

int epoll_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
  if (now >= 0) {
    CALLGRIND_TOGGLE_COLLECT;
    int count = wait_as_told(epoll, events, capacity, milliseconds);
    CALLGRIND_TOGGLE_COLLECT;
    return count;
  }
  int count = wait_really(epoll, events, capacity, milliseconds);
  int error = errno;
  recv(control, &now, sizeof now, MSG_DONTWAIT);
  errno = error;
  return count;
}
