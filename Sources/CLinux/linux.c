// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <link.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <malloc.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

// Linux 6.5, include/uapi/asm-generic/socket.h.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

const uint32_t clinux_epoll_in = EPOLLIN;
const uint32_t clinux_epoll_out = EPOLLOUT;
const uint32_t clinux_epoll_hang_up = EPOLLHUP | EPOLLERR;

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

int clinux_allow(const char *path, int is_group, unsigned account) {
  // The kernel expects the entries in this order (linux/posix_acl_xattr.h).
  const uint32_t unnamed = (uint32_t)ACL_UNDEFINED_ID;
  const uint16_t use = ACL_READ | ACL_WRITE;
  const struct posix_acl_xattr_entry user = {htole16(ACL_USER), htole16(use), htole32(account)};
  const struct posix_acl_xattr_entry group = {htole16(ACL_GROUP), htole16(use), htole32(account)};
  const struct posix_acl_xattr_entry none = {htole16(ACL_GROUP_OBJ), 0, htole32(unnamed)};
  struct {
    struct posix_acl_xattr_header header;
    struct posix_acl_xattr_entry entries[5];
  } list = {
      {htole32(POSIX_ACL_XATTR_VERSION)},
      {{htole16(ACL_USER_OBJ), htole16(use), htole32(unnamed)},
       is_group ? none : user,
       is_group ? group : none,
       {htole16(ACL_MASK), htole16(use), htole32(unnamed)},
       {htole16(ACL_OTHER), 0, htole32(unnamed)}},
  };
  return setxattr(path, "system.posix_acl_access", &list, sizeof list, 0);
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

int clinux_socket(int type) { return socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int clinux_pair(int type, int pair[2]) {
  return socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair);
}

long clinux_send(int descriptor, const void *bytes, size_t count) {
  return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

long clinux_send_passing(int descriptor, const void *bytes, size_t count, int passed) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } room;
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
  memset(&room, 0, sizeof room);
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &passed, sizeof passed);
  return sendmsg(descriptor, &message, MSG_NOSIGNAL);
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

int clinux_peer_process(int descriptor) {
  int process;
  socklen_t length = sizeof process;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERPIDFD, &process, &length) == 0) return process;
  if (errno == EINVAL) errno = ESRCH;
  struct clinux_peer peer;
  if (errno != ENOPROTOOPT || clinux_peer(descriptor, &peer) != 0 || peer.process <= 0) return -1;
  return (int)syscall(SYS_pidfd_open, peer.process, 0);
}

int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity) {
  socklen_t length = (socklen_t)(capacity * (int)sizeof *groups);
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return -1;
  return (int)(length / sizeof *groups);
}

void clinux_option_add(struct clinux_options *options, const void *name, int takes_value) {
  if (options->count >= CLINUX_OPTIONS_MAX) return;
  options->names[options->count] = name;
  options->take_values[options->count++] = takes_value;
}

int clinux_next_option(
    int count, char **arguments, const struct clinux_options *options, int is_first, const char **value) {
  struct option known[CLINUX_OPTIONS_MAX + 1];
  memset(known, 0, sizeof known);
  for (int index = 0; index < options->count; index++) {
    known[index].name = options->names[index];
    known[index].has_arg = options->take_values[index] ? required_argument : no_argument;
    // Above every character, because getopt_long returns characters for short options and errors.
    known[index].val = 256 + index;
  }
  if (is_first) optind = 0;
  opterr = 0;
  int position = optind > 0 ? optind : 1;
  optarg = NULL;
  int found = getopt_long(count, arguments, ":", known, NULL);
  if (found >= 256) {
    *value = optarg;
    return found - 256;
  }
  if (found == -1) {
    *value = optind < count ? arguments[optind] : NULL;
    return CLINUX_OPTION_END;
  }
  // getopt_long may have moved the argument before those that are no options: it is the one before the next.
  *value = optind > position ? arguments[optind - 1] : arguments[optind];
  return found == ':' ? CLINUX_OPTION_WITHOUT_VALUE : CLINUX_OPTION_UNKNOWN;
}

int clinux_thread(size_t stack, void *(*body)(void *), void *context) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  int code = pthread_attr_init(&attributes);
  if (code == 0) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack);
    // A thread inherits the blocked signals of its creator.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&thread, &attributes, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
  }
  errno = code;
  return code == 0 ? 0 : -1;
}

long clinux_write_now(int descriptor, const void *bytes, size_t count) {
  long sent = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  // Other processes may share the open file, so it must stay blocking. A pipe that is ready takes a page.
  struct pollfd entry = {.fd = descriptor, .events = POLLOUT};
  if (poll(&entry, 1, 0) != 1 || !(entry.revents & POLLOUT)) {
    errno = EAGAIN;
    return -1;
  }
  return write(descriptor, bytes, count < 4096 ? count : 4096);
}

int clinux_local_time(char text[20]) {
  struct tm parts;
  time_t now = time(NULL);
  if (localtime_r(&now, &parts) == NULL) return -1;
  return strftime(text, 20, "%Y-%m-%d %H:%M:%S", &parts) == 19 ? 0 : -1;
}

int clinux_lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

int64_t clinux_descriptor_limit(uint64_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  }
  return limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
}

int clinux_keep_secrets(void) {
  const struct rlimit none = {0, 0};
  if (prctl(PR_SET_DUMPABLE, 0) != 0) return -1;
  return setrlimit(RLIMIT_CORE, &none);
}

void clinux_keep_heap_small(void) {
  // By default the threshold grows with every large block that is freed, and later blocks stay in the heap.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
  mallopt(M_ARENA_MAX, 1);
}

static int release_segments(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
    // Clean pages of a file: the kernel reads them again when needed. It refuses its own object, the vDSO.
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void clinux_release_idle_pages(void) {
  malloc_trim(0);
  dl_iterate_phdr(release_segments, NULL);
}

int clinux_has_capability(int number) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &head, sets) != 0) return -1;
  return (sets[CAP_TO_INDEX(number)].effective & CAP_TO_MASK(number)) != 0;
}

/// Reads the beginning of a file as text; a file that cannot be read is empty.
static void read_text(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = file < 0 ? -1 : read(file, text, size - 1);
  text[count < 0 ? 0 : count] = 0;
  if (file >= 0) close(file);
}

/// Whether the process is root's, has the name, and has not ended. The kernel escapes line feeds in names.
static int is_running(int process, const char *name) {
  char path[32], text[512], found[32], state = 'X';
  unsigned user = 1;
  snprintf(path, sizeof path, "/proc/%d/status", process);
  read_text(path, text, sizeof text);
  const char *state_line = strstr(text, "\nState:"), *user_line = strstr(text, "\nUid:");
  return sscanf(text, "Name: %31[^\n]", found) == 1 && strcmp(found, name) == 0 && state_line && user_line &&
         sscanf(state_line, "\nState: %c", &state) == 1 && state != 'Z' && state != 'X' &&
         sscanf(user_line, "\nUid: %*u %u", &user) == 1 && user == 0;
}

int clinux_open_process(const char *name, const char *group) {
  DIR *folder = opendir("/proc");
  int descriptor = -1;
  for (struct dirent *entry; folder && descriptor < 0 && (entry = readdir(folder));) {
    int process = atoi(entry->d_name);
    if (process <= 0 || !is_running(process, name)) continue;
    descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    // Another process may have received the number meanwhile.
    if (descriptor >= 0 && !is_running(process, name)) {
      close(descriptor);
      descriptor = -1;
    }
  }
  if (folder) closedir(folder);
  if (descriptor >= 0) return descriptor;
  char text[32];
  read_text(group, text, sizeof text);
  int process = atoi(text);
  return process > 0 ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
}

int clinux_generic_netlink_socket(int byte_count) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &byte_count, sizeof byte_count) == 0)
    return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

int clinux_netlink_join(int descriptor, uint32_t group) {
  return setsockopt(descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group);
}

int64_t clinux_interface(const char *name, int *is_up) {
  struct ifreq request = {0};
  if (strlen(name) >= sizeof request.ifr_name) {
    errno = ENODEV;
    return -1;
  }
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  strcpy(request.ifr_name, name);
  int64_t index = -1;
  if (ioctl(descriptor, SIOCGIFFLAGS, &request) == 0) {
    *is_up = (request.ifr_flags & IFF_UP) != 0;
    if (ioctl(descriptor, SIOCGIFINDEX, &request) == 0) index = request.ifr_ifindex;
  }
  int code = errno;
  close(descriptor);
  errno = code;
  return index;
}
