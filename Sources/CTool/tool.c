// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "CTool.h"

#include <errno.h>
#include <linux/limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

void ctool_end_by_signal(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  signal(number, SIG_DFL);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  // The status of a shell; reached only if the signal does not end a process.
  _exit(128 + number);
}

int ctool_run_and_wait(char *const arguments[], int output, int *status) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  int error = posix_spawnattr_init(&attributes);
  if (error) goto failed;
  // This process may ignore or block signals that the program needs.
  sigset_t usual, none;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setsigmask(&attributes, &none);
  pid_t process;
  error = posix_spawn_file_actions_init(&actions);
  if (!error) {
    if (output >= 0) error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!error) error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  posix_spawnattr_destroy(&attributes);
  if (error) goto failed;
  while (waitpid(process, status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return 0;
failed:
  errno = error;
  return -1;
}

int ctool_memory_file(void) { return memfd_create("output", MFD_CLOEXEC); }

int ctool_copy_attributes(const char *source, int descriptor) {
  // The most that the kernel keeps (linux/limits.h).
  char names[XATTR_LIST_MAX], value[XATTR_SIZE_MAX], own[XATTR_SIZE_MAX];
  const ssize_t length = listxattr(source, names, sizeof names);
  if (length < 0) return errno == ENOTSUP ? 0 : -1;
  for (const char *name = names; name < names + length; name += strlen(name) + 1) {
    // Digests of what the file held.
    if (strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0) continue;
    const ssize_t size = getxattr(source, name, value, sizeof value);
    if (size < 0) return -1;
    // A new file may have the same label already, which only some accounts may set.
    if (fgetxattr(descriptor, name, own, sizeof own) == size && memcmp(value, own, (size_t)size) == 0) continue;
    if (fsetxattr(descriptor, name, value, (size_t)size, 0) != 0) return -1;
  }
  return 0;
}

long ctool_receive_passed(int descriptor, void *bytes, size_t count, int *passed) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } room;
  struct iovec part = {.iov_base = bytes, .iov_len = count};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &room;
  message.msg_controllen = sizeof room;
  *passed = -1;
  // The room is for one: the kernel closes any other.
  long received = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
  struct cmsghdr *rights = received < 0 ? NULL : CMSG_FIRSTHDR(&message);
  if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS &&
      rights->cmsg_len == CMSG_LEN(sizeof(int))) {
    memcpy(passed, CMSG_DATA(rights), sizeof *passed);
  }
  return received;
}
