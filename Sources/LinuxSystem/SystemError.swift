// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// A system call that failed: its name and `errno`.
public struct SystemError: Error, Equatable, Sendable {
  public let call: SystemCall
  public let code: Int32

  package init(_ call: SystemCall) { self.init(call, code: errno) }

  /// The error of a test's stand-in for the system.
  public init(_ call: SystemCall, code: Int32) { (self.call, self.code) = (call, code) }

  /// The C library's text for the code, without a full stop: `No space left on device`.
  public var reason: String {
    // Holds: strerror returns a string that lives until its next call on this thread.
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  public var isBrokenPipe: Bool { code == EPIPE }
  public var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  public var isReadOnly: Bool { code == EROFS }
  public var isTooLarge: Bool { code == EFBIG }
  public var isPermission: Bool { code == EACCES || code == EPERM }
  /// No descriptor or no memory is free.
  public var isExhausted: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(code) }
  /// Another process holds the lock.
  public var isLocked: Bool { code == EWOULDBLOCK }
  /// The file system, or the kernel, does not have what was asked for.
  public var isUnsupported: Bool { code == EOPNOTSUPP }
  /// The socket at that path is of another type.
  public var isWrongSocketType: Bool { code == EPROTOTYPE }
  /// The other end was closed with bytes unread.
  public var isReset: Bool { code == ECONNRESET }
  /// No program listens on the socket at that path.
  public var isRefused: Bool { code == ECONNREFUSED }
  /// The other side of a connection went away.
  public var isGone: Bool { isBrokenPipe || isReset }
}

/// Repeats a call that a signal interrupts; -1 is an error.
package func retryOnInterrupt<Result: SignedInteger>(
  _ name: SystemCall, _ call: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = SystemError(name)
    guard error.code == EINTR else { throw error }
  }
}

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
  case filter = "SO_ATTACH_FILTER"
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
