// SPDX-License-Identifier: GPL-3.0-or-later

/// The system calls of this module, by name.
public enum SystemCall: String, Sendable {
  case open, fstat, read, write, poll, send, socket, bind, chmod, chown, fsync,
    listen, accept, connect, rename, unlink, mkdir
  case fork, setsid, chdir, setgroups, execve
  case resolve = "realpath"
  case socketPair = "socketpair"
  case lock = "flock"
  case limit = "setrlimit"
  case thread = "pthread_create"
  case clock = "clock_gettime"
  case epollCreate = "epoll_create1"
  case epollControl = "epoll_ctl"
  case epollWait = "epoll_wait"
  case timerCreate = "timerfd_create"
  case timerSet = "timerfd_settime"
  case eventCreate = "eventfd"
  case signals = "signalfd"
  case peer = "getsockopt"
  case pipe = "pipe2"
  case processDescriptor = "pidfd_open"
  case waitForProcess = "waitid"
  case duplicate = "dup3"
  case setGroup = "setresgid"
  case setUser = "setresuid"
  case processControl = "prctl"
  case restrictFiles = "landlock_restrict_self"
  case receive = "recvmsg"
  case accessList = "setxattr"
  case receiveBuffer = "setsockopt"
  case adapterList = "HCIGETDEVLIST"
  case adapterUp = "HCIDEVUP"
  case adapterDown = "HCIDEVDOWN"
  case adapterReset = "HCIDEVRESET"
  case wirelessName = "SIOCGIWNAME"
  case wirelessRange = "SIOCGIWRANGE"
  case wirelessStart = "SIOCSIWSCAN"
  case wirelessResults = "SIOCGIWSCAN"
  case interface = "SIOCGIFINDEX"
  case joinGroup = "NETLINK_ADD_MEMBERSHIP"
  case nl80211 = "nl80211"
}
