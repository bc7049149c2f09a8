// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum step {
  STEP_FORK,
  STEP_SESSION,
  STEP_NULL,
  STEP_DUPLICATE,
  STEP_FOLDER,
  STEP_LIMIT,
  STEP_GROUPS,
  STEP_GROUP,
  STEP_USER,
  STEP_RIGHTS,
  STEP_FILES,
  STEP_PROGRAM,
};

const char *clinux_step(int32_t index) {
  static const char *const names[] = {
      "fork",      "setsid",    "open",      "dup3",  "chdir", "setrlimit",
      "setgroups", "setresgid", "setresuid", "prctl", "landlock_restrict_self", "execve",
  };
  return index >= 0 && (size_t)index < sizeof names / sizeof *names ? names[index] : NULL;
}

// Everything down to `child` runs between fork and exec in a process that had threads. It uses only calls that are safe
// in a signal handler, and the kernel's own calls where the C library would notify the other threads, which do not
// exist.

/// Restores the default dispositions, so that the program does not inherit signals that the agent ignores. The C
/// library does not let its own signals be set.
static void reset_signals(void) {
  // The kernel's struct sigaction, no larger than this: SIG_DFL, no flags, no mask.
  unsigned long defaults[8] = {0};
  for (int number = 1; number <= 64; number++) syscall(SYS_rt_sigaction, number, defaults, NULL, 8);
}

/// Opens the standard streams on /dev/null, and makes `report` descriptor 3, which exec closes. Returns 0, or the step
/// that failed.
static int arrange_descriptors(int report) {
  report = fcntl(report, F_DUPFD_CLOEXEC, 4);
  if (report < 0) return STEP_DUPLICATE;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return STEP_NULL;
  for (int stream = 0; stream < 3; stream++) {
    // A descriptor that is its own copy would keep its flag.
    if (null == stream ? fcntl(null, F_SETFD, 0) : dup2(null, stream) < 0) return STEP_DUPLICATE;
  }
  if (dup3(report, 3, O_CLOEXEC) < 0) return STEP_DUPLICATE;
#ifdef SYS_close_range
  // Without it (before Linux 5.9) exec closes them: all descriptors of the agent have the flag.
  syscall(SYS_close_range, 4u, ~0u, 0u);
#endif
  return 0;
}

static int limit(int what, rlim_t most) {
  struct rlimit value = {.rlim_cur = most, .rlim_max = most};
  return setrlimit(what, &value);
}

/// Drops every capability that is not in `mask` (capabilities below 32).
static int keep_capabilities(uint32_t mask) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  memset(sets, 0, sizeof sets);
  if (syscall(SYS_capget, &head, sets) != 0) return -1;
  sets[0].effective &= mask;
  sets[0].permitted &= mask;
  sets[0].inheritable = 0;
  memset(&sets[1], 0, sizeof sets[1]);
  return (int)syscall(SYS_capset, &head, sets);
}

/// Drops the account's rights, every capability, and every way to regain one. Returns 0, or the step that failed.
static int give_up_rights(const struct clinux_confinement *confinement) {
  if (syscall(SYS_setgroups, 0, NULL) != 0) return STEP_GROUPS;
  gid_t group = confinement->group;
  if (syscall(SYS_setresgid, group, group, group) != 0) return STEP_GROUP;
  uid_t user = confinement->user;
  if (syscall(SYS_setresuid, user, user, user) != 0) return STEP_USER;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return STEP_RIGHTS;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (keep_capabilities(0) != 0) return STEP_RIGHTS;
  // The supervisor may be killed. Set after the change of account, which clears it.
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 ? 0 : STEP_RIGHTS;
}

// Landlock (include/uapi/linux/landlock.h), because headers may be older than the kernel: calls, whose numbers are the
// same on every machine, rights, and the version that introduced each.
enum {
  LANDLOCK_CREATE_RULESET = 444,
  LANDLOCK_ADD_RULE = 445,
  LANDLOCK_RESTRICT_SELF = 446,
  LANDLOCK_VERSION = 1 << 0,
  LANDLOCK_PATH_BENEATH = 1,
};
#define LANDLOCK_REMOVE_AND_MAKE UINT64_C(0x1ff0)
#define LANDLOCK_TRUNCATE (UINT64_C(1) << 14)
#define LANDLOCK_TRUNCATE_SINCE 3

int clinux_landlock_version(void) {
  long version = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION);
  return version > 0 ? (int)version : 0;
}

/// The kernel's own files, such as a lamp's brightness: a shell opens one for writing with truncation.
static int allow_system_files(int rules) {
  struct {
    uint64_t allowed;
    int32_t folder;
  } __attribute__((packed)) rule = {.allowed = LANDLOCK_TRUNCATE, .folder = open("/sys", O_PATH | O_CLOEXEC)};
  if (rule.folder < 0) return 0;
  long result = syscall(LANDLOCK_ADD_RULE, rules, LANDLOCK_PATH_BENEATH, &rule, 0);
  close(rule.folder);
  return (int)result;
}

/// Forbids creating, removing, renaming and truncating files in any folder, if the kernel has Landlock (5.13;
/// truncating since 6.2). Returns 0, or the step that failed.
static int give_up_files(void) {
  int version = clinux_landlock_version();
  if (version == 0) return 0;
  uint64_t denied = LANDLOCK_REMOVE_AND_MAKE | (version >= LANDLOCK_TRUNCATE_SINCE ? LANDLOCK_TRUNCATE : 0);
  int rules = (int)syscall(LANDLOCK_CREATE_RULESET, &denied, sizeof denied, 0);
  if (rules < 0) return STEP_FILES;
  if (version >= LANDLOCK_TRUNCATE_SINCE && allow_system_files(rules) != 0) return STEP_FILES;
  if (syscall(LANDLOCK_RESTRICT_SELF, rules, 0) != 0) return STEP_FILES;
  close(rules);
  return 0;
}

static int prepare(const struct clinux_confinement *confinement, int report, pid_t parent) {
  reset_signals();
  if (setsid() < 0) return STEP_SESSION;
  int step = arrange_descriptors(report);
  if (step != 0) return step;
  if (chdir("/") != 0) return STEP_FOLDER;
  umask(077);
  if (limit(RLIMIT_CPU, confinement->seconds) != 0 || limit(RLIMIT_FSIZE, 0) != 0 || limit(RLIMIT_CORE, 0) != 0 ||
      limit(RLIMIT_NOFILE, confinement->descriptors) != 0)
    return STEP_LIMIT;
  step = give_up_rights(confinement);
  if (step == 0) step = give_up_files();
  if (step != 0) return step;
  // The parent ended before prctl was called.
  if (getppid() != parent) _exit(1);
  return 0;
}

static void child(char *const arguments[], const struct clinux_confinement *confinement, int report, pid_t parent) {
  static char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
  struct clinux_run_report failure = {.step = prepare(confinement, report, parent)};
  if (failure.step == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(arguments[0], arguments, environment);
    failure.step = STEP_PROGRAM;
  }
  failure.code = errno;
  // The descriptor is 3 once the streams were set up, and its old number before.
  int where = failure.step < STEP_FOLDER ? report : 3;
  if (write(where, &failure, sizeof failure) < 0) _exit(126);
  _exit(127);
}

// The supervisor. It stays a copy of the agent, under the agent's account, so the program cannot signal or trace it.
// Each process that the program starts, and whose parent ends, becomes its child (PR_SET_CHILD_SUBREAPER), whatever
// session it moved to.

/// Waits for ended children, and notes how the program ended. Returns 0 when there are no children.
static int reap_children(pid_t program, int32_t *ending) {
  for (;;) {
    int status;
    pid_t process = waitpid(-1, &status, WNOHANG);
    if (process <= 0) return process == 0 || errno != ECHILD;
    if (process == program) *ending = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
}

/// Kills the processes whose parent this one is (proc(5), /proc/pid/task/tid/children). Returns -1 if the list is
/// unreadable.
static int kill_children(void) {
  char text[4096];
  int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return -1;
  ssize_t count = read(list, text, sizeof text);
  close(list);
  pid_t process = 0;
  for (ssize_t index = 0; index < count; index++) {
    if (text[index] >= '0' && text[index] <= '9') {
      process = process * 10 + (text[index] - '0');
      continue;
    }
    if (process > 1) kill(process, SIGKILL);
    process = 0;
  }
  return count < 0 ? -1 : 0;
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Waits for one of the signals until a time. Returns its number, or -1.
static int await_signal(const sigset_t *signals, int64_t end) {
  int64_t left = end - milliseconds();
  if (left < 0) left = 0;
  struct timespec patience = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
  return sigtimedwait(signals, NULL, &patience);
}

/// Kills the program and all processes that it started: with each one that ends, its children become this process's.
static void end_tree(pid_t program, int32_t *ending, const sigset_t *signals) {
  // A long chain ends link by link, each when the processor gets to it. The kernel may be stuck in one of them.
  int64_t end = milliseconds() + 20000;
  while (reap_children(program, ending) && milliseconds() < end) {
    // Without the list, at least the processes that have not left the session.
    if (kill_children() != 0) kill(-program, SIGKILL);
    await_signal(signals, milliseconds() + 10);
  }
}

/// Runs the program, ends its processes when it ends, at the deadline, with SIGTERM and with the agent, and reports how
/// it ended.
static void supervise(
    char *const arguments[], const struct clinux_confinement *confinement, int report, pid_t agent) {
  // The agent's signals are blocked: they wait.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGCHLD);
  reset_signals();
  if (setsid() < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (getppid() != agent) _exit(126);
  pid_t self = getpid();
  pid_t program = _Fork();
  if (program == 0) child(arguments, confinement, report, self);
  struct clinux_run_report ended = {.step = CLINUX_RUN_ENDED, .code = -SIGKILL};
  if (program < 0) {
    ended = (struct clinux_run_report){.step = STEP_FORK, .code = errno};
  } else {
    // Nothing of the agent's but its account and the right to kill, and the report.
    keep_capabilities(UINT32_C(1) << CAP_KILL);
    arrange_descriptors(report);
    report = 3;
    int64_t end = milliseconds() + (int64_t)confinement->seconds * 1000 + 1000;
    int32_t ending = INT32_MIN;
    while (reap_children(program, &ending) && ending == INT32_MIN && milliseconds() < end) {
      if (await_signal(&signals, end) == SIGTERM) break;
    }
    end_tree(program, &ending, &signals);
    if (ending != INT32_MIN) ended.code = ending;
  }
  if (write(report, &ended, sizeof ended) < 0) _exit(126);
  _exit(0);
}

int clinux_run_confined(
    char *const arguments[], const struct clinux_confinement *confinement, struct clinux_run *run) {
  int report[2];
  if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  pid_t agent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  // No handler of the agent may run in the child.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t process = _Fork();
  if (process == 0) supervise(arguments, confinement, report[1], agent);
  int code = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(report[1]);
  // No other process has the number, because this one was not waited for.
  int descriptor = process < 0 ? -1 : (int)syscall(SYS_pidfd_open, process, 0);
  if (descriptor >= 0) {
    *run = (struct clinux_run){.process = process, .descriptor = descriptor, .report = report[0]};
    return 0;
  }
  if (process > 0) {
    code = errno;
    kill(process, SIGTERM);
    waitpid(process, NULL, 0);
  }
  close(report[0]);
  errno = code;
  return -1;
}

void clinux_end_run(int32_t process) { kill(process, SIGTERM); }

int32_t clinux_reap(int descriptor) {
  siginfo_t state;
  memset(&state, 0, sizeof state);
  if (waitid((idtype_t)P_PIDFD, (id_t)descriptor, &state, WEXITED | WNOHANG) != 0) return INT32_MIN;
  if (state.si_pid == 0) {
    errno = EAGAIN;
    return INT32_MIN;
  }
  return state.si_code == CLD_EXITED ? state.si_status : -state.si_status;
}
