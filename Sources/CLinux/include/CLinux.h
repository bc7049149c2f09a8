// SPDX-License-Identifier: GPL-3.0-or-later
//
// What Swift's Glibc module leaves out: event descriptors, and macros that are no constants to Swift.

#ifndef C_LINUX_H
#define C_LINUX_H

#include <stddef.h>
#include <stdint.h>

/// struct epoll_event without its union, which Swift cannot name.
struct clinux_event {
  uint32_t events;
  uint64_t token;
};

enum { CLINUX_EVENTS_MAX = 64 };

extern const uint32_t clinux_epoll_in;
extern const uint32_t clinux_epoll_out;
extern const uint32_t clinux_epoll_hang_up;

/// Who connected, as the kernel knows.
struct clinux_peer {
  int32_t process;
  uint32_t user;
  uint32_t group;
};

int clinux_epoll_create(void);

int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);

/// Waits for up to CLINUX_EVENTS_MAX events; `milliseconds` -1 waits for ever.
int clinux_epoll_wait(int epoll, struct clinux_event *events, int capacity, int milliseconds);

/// A timer on CLOCK_BOOTTIME, which goes on while the machine sleeps.
int clinux_timer_create(void);

/// Arms a timer for an absolute time, or disarms it with zero.
int clinux_timer_set(int descriptor, int64_t microseconds);

/// Microseconds since boot, sleep included; -1 with errno when the clock fails.
int64_t clinux_boot_time(void);

int clinux_eventfd(void);

/// Blocks the signals in `mask` (bit n for signal n) and makes a descriptor that delivers them.
int clinux_signals(uint64_t mask);

/// The next signal that arrived, 0 for none, or -1 with errno.
int clinux_next_signal(int descriptor);

/// Ends the process as the signal does by default, blocked or not.
_Noreturn void clinux_end_by_signal(int number);

int clinux_bind(int descriptor, const char *path);

int clinux_connect(int descriptor, const char *path);

/// Sends one datagram to a local socket.
long clinux_send_to(int descriptor, const void *bytes, size_t count, const char *path);

/// Local sockets, non-blocking and closed on exec.
int clinux_stream_socket(void);
int clinux_packet_socket(void);
int clinux_datagram_socket(void);

/// Two packet sockets that are connected to each other.
int clinux_packet_pair(int pair[2]);

/// send(2) that never raises SIGPIPE.
long clinux_send(int descriptor, const void *bytes, size_t count);

int clinux_accept(int listener);

int clinux_peer(int descriptor, struct clinux_peer *peer);

/// The peer's supplementary groups: their number, or -1 with errno (ERANGE when there are more than `capacity`).
int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity);

enum {
  CLINUX_OPTIONS_MAX = 16,
  CLINUX_OPTION_END = -1,
  CLINUX_OPTION_UNKNOWN = -2,
  CLINUX_OPTION_WITHOUT_VALUE = -3,
};

/// The options of a command line, by their long names.
struct clinux_options {
  const char *names[CLINUX_OPTIONS_MAX];
  int take_values[CLINUX_OPTIONS_MAX];
  int count;
};

/// Adds an option when there is room. The name is not copied.
void clinux_option_add(struct clinux_options *options, const void *name, int takes_value);

/// The next option of a command line, as getopt_long(3) finds it: its place in `options`, or one of the above.
/// `value` becomes its value or, at the end, the first word that is no option, or what is not understood; or NULL.
/// `is_first` begins a command line. One thread may ask at a time.
int clinux_next_option(
    int count, char **words, const struct clinux_options *options, int is_first, const char **value);

/// Starts a detached thread that no signal reaches. 0, or -1 with errno.
int clinux_thread(size_t stack, void *(*body)(void *), void *context);

/// Writes what can be written without waiting, whatever the descriptor is: bytes written, or -1 with errno (EAGAIN).
/// At most 4096 bytes, which a pipe takes whole.
long clinux_write_now(int descriptor, const void *bytes, size_t count);

/// "2026-01-31 23:59:59" by the local clock; 0, or -1.
int clinux_local_time(char text[20]);

/// Takes the file's lock (flock), never waiting: 0, or -1 with errno (EWOULDBLOCK).
int clinux_lock(int descriptor);

/// Lets the process open up to `wanted` descriptors, or as many as it may: the limit as it is now, or -1.
int64_t clinux_descriptor_limit(uint64_t wanted);

/// Microseconds of CLOCK_MONOTONIC, which the service manager counts in; -1 with errno.
int64_t clinux_monotonic_time(void);

/// Makes the heap give back what is freed: large blocks are mapped on their own, and all threads share one arena.
void clinux_keep_heap_small(void);

/// Lets go of the pages of code and constants that are in memory; those that are needed again are mapped again.
void clinux_release_start_pages(void);

/// What confines a program that clinux_run_confined starts.
struct clinux_confinement {
  /// Whether to become `user` and `group`, which only root may.
  int changes_account;
  uint32_t user;
  uint32_t group;
  /// Of processor time.
  uint32_t seconds;
  uint32_t descriptors;
};

/// What kept a program from running: the place of the step (clinux_step), and errno.
struct clinux_run_failure {
  int32_t step;
  int32_t code;
};

/// The calls that are made before a program runs, by name; NULL for a place that is none.
const char *clinux_step(int32_t place);

/// A program that was started.
struct clinux_run {
  int32_t process;
  /// Readable once it has ended.
  int descriptor;
  /// Where a struct clinux_run_failure is to be read when it could not be run.
  int report;
};

/// Which Landlock the kernel has; 0 for none.
int clinux_landlock_version(void);

/// Runs `words` (the first is a path) in a session of its own with nothing but its words: no descriptors but
/// /dev/null, no environment but PATH, no rights, and no way to write, make or remove a file. Never waits for the
/// program. 0, or -1 with errno.
int clinux_run_confined(
    char *const words[], const struct clinux_confinement *confinement, struct clinux_run *run);

/// Kills everything in the process's session that has not left its group.
void clinux_kill_group(int32_t process);

/// Takes the state of a process that has ended: its exit status, or its signal below zero; INT32_MIN with errno.
int32_t clinux_reap(int descriptor);

/// Whether a capability (linux/capability.h) is in effect for this thread: 1, 0, or -1.
int clinux_has_capability(int number);

#endif
