// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "CPeer.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// The library's own setresuid(2) would do it for every thread.
int peer_act_as(uint32_t user) { return (int)syscall(SYS_setresuid, -1, user, -1); }

long peer_receive(int socket, void *bytes, size_t count, int *passed) {
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
  long received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  struct cmsghdr *rights = received < 0 ? NULL : CMSG_FIRSTHDR(&message);
  if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
    memcpy(passed, CMSG_DATA(rights), sizeof *passed);
  }
  return received;
}
