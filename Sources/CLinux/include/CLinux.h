// SPDX-License-Identifier: GPL-3.0-or-later
//
// The calls that Swift's Glibc module lacks: event descriptors, and macros that Swift cannot import.

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

/// The process and account of a connected peer, from the kernel.
struct clinux_peer {
  int32_t process;
  uint32_t user;
  uint32_t group;
};

int clinux_epoll_create(void);

int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);

/// Waits for up to CLINUX_EVENTS_MAX events; `milliseconds` -1 waits for ever.
int clinux_epoll_wait(int epoll, struct clinux_event *events, int capacity, int milliseconds);

/// Creates a timer on CLOCK_BOOTTIME, which also runs while the machine sleeps.
int clinux_timer_create(void);

/// Arms a timer for an absolute time, or disarms it with zero.
int clinux_timer_set(int descriptor, int64_t microseconds);

int clinux_eventfd(void);

/// Opens a process of root that has this name and has not ended, or one in this control group: `/proc` may hide the
/// processes of other accounts. Returns a descriptor, which becomes readable at the process's end; or -1.
int clinux_open_process(const char *name, const char *group);

/// Blocks the signals in `mask` (bit n for signal n) and returns a descriptor that delivers them.
int clinux_signals(uint64_t mask);

/// Returns the next signal that arrived, 0 for none, or -1 with errno.
int clinux_next_signal(int descriptor);

int clinux_bind(int descriptor, const char *path);

/// Lets one user or group use a file beside its owner: replaces the file's access list (acl(5)) with one that lets
/// both read and write, and no other account.
int clinux_allow(const char *path, int is_group, unsigned account);

int clinux_connect(int descriptor, const char *path);

/// Sends one datagram to a local socket.
long clinux_send_to(int descriptor, const void *bytes, size_t count, const char *path);

/// Local sockets of a type such as SOCK_STREAM, non-blocking and closed on exec: one, or two that are connected to each
/// other.
int clinux_socket(int type);
int clinux_pair(int type, int pair[2]);

/// Calls send(2) without raising SIGPIPE.
long clinux_send(int descriptor, const void *bytes, size_t count);

/// Sends likewise, with a copy of a descriptor beside the first byte (SCM_RIGHTS).
long clinux_send_passing(int descriptor, const void *bytes, size_t count, int passed);

int clinux_accept(int listener);

int clinux_peer(int descriptor, struct clinux_peer *peer);

/// Returns a descriptor that becomes readable when the peer's process ends, or -1 with errno, ESRCH when it has ended. A
/// kernel before 6.5 looks for it by its number, which another process may have by now.
int clinux_peer_process(int descriptor);

/// Reads the peer's supplementary groups. Returns how many, or -1 with errno (ERANGE for more than `capacity`).
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

/// Adds an option, unless all are in use. The name is not copied.
void clinux_option_add(struct clinux_options *options, const void *name, int takes_value);

/// Returns the next option of a command line, as getopt_long(3) finds it: its index in `options`, or one of the above.
/// `value` becomes its value; at the end, the first argument that is no option; after an error, the argument in error;
/// or NULL. `is_first` begins a command line. One thread may call it at a time.
int clinux_next_option(
    int count, char **arguments, const struct clinux_options *options, int is_first, const char **value);

/// Starts a detached thread that no signal reaches. Returns 0, or -1 with errno.
int clinux_thread(size_t stack, void *(*body)(void *), void *context);

/// Writes without waiting, even to a blocking descriptor. Returns how many bytes, or -1 with errno (EAGAIN). Takes at
/// most 4096 bytes, which a pipe takes in one piece.
long clinux_write_now(int descriptor, const void *bytes, size_t count);

/// Writes the local time as "2026-01-31 23:59:59". Returns 0, or -1.
int clinux_local_time(char text[20]);

/// Takes the file's lock (flock) without waiting. Returns 0, or -1 with errno (EWOULDBLOCK).
int clinux_lock(int descriptor);

/// Raises the limit of open descriptors to `wanted`, or as far as the process may. Returns the new limit, or -1.
int64_t clinux_descriptor_limit(uint64_t wanted);

/// Keeps this process's memory from core dumps, and from other processes of its account: they cannot trace it or read
/// its memory (prctl(2), PR_SET_DUMPABLE). Programs that it starts leave no core dumps either. Returns 0, or -1 with
/// errno.
int clinux_keep_secrets(void);

/// Makes the heap return freed memory: large blocks are mapped separately, and all threads share one arena.
void clinux_keep_heap_small(void);

/// Unmaps the pages of code and constants, which are mapped again when they are needed, and the free pages of the heap.
void clinux_release_idle_pages(void);

/// The limits of a program that clinux_run_confined starts.
struct clinux_confinement {
  /// The account to become, which needs CAP_SETUID and CAP_SETGID.
  uint32_t user;
  uint32_t group;
  /// Seconds of processor time for each process. A second later the supervisor ends all of them by the clock.
  uint32_t seconds;
  uint32_t descriptors;
};

enum { CLINUX_RUN_ENDED = -1 };

/// How a program ended: why it could not run, the index of the step (clinux_step) and errno; or CLINUX_RUN_ENDED,
/// and its exit status, or its signal as a negative number.
struct clinux_run_report {
  int32_t step;
  int32_t code;
};

/// Returns the name of the system call of a step before a program runs; NULL for an index that is out of range.
const char *clinux_step(int32_t index);

/// A program that was started: the process that supervises it.
struct clinux_run {
  int32_t process;
  /// Readable once the program and every process that it started have ended.
  int descriptor;
  /// Delivers one or two struct clinux_run_report: a program that could not run also ends.
  int report;
};

/// Returns the kernel's version of Landlock; 0 for none.
int clinux_landlock_version(void);

/// Runs `arguments` (the first is a path) under another account, in a session of its own: no descriptors but /dev/null,
/// no environment but PATH, no capabilities, and no way to write, create or remove a file. Every process that it starts
/// ends with it and with the thread that called this, whatever session it moved to. Does not wait for the program.
/// Returns 0, or -1 with errno.
int clinux_run_confined(
    char *const arguments[], const struct clinux_confinement *confinement, struct clinux_run *run);

/// Has the supervisor kill the program and every process that it started.
void clinux_end_run(int32_t process);

/// Reaps a process that has ended. Returns its exit status, its signal as a negative number, or INT32_MIN with errno.
int32_t clinux_reap(int descriptor);

/// Opens a socket of generic netlink, non-blocking, with room for `byte_count` bytes of messages. -1 with errno (EAFNOSUPPORT where
/// the process may not have sockets of the family).
int clinux_generic_netlink_socket(int byte_count);

/// Receives the messages of a group too. Returns 0, or -1 with errno.
int clinux_netlink_join(int descriptor, uint32_t group);

/// Returns the number of a network interface, or -1 with errno (ENODEV); `is_up` becomes whether it is up.
int64_t clinux_interface(const char *name, int *is_up);

/// Whether a capability (linux/capability.h) is in effect for this thread: 1, 0, or -1.
int clinux_has_capability(int number);

#endif
