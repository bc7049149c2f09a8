// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// A system call that failed: its name and `errno`.
public struct SystemError: Error, Equatable, Sendable {
  public let call: SystemCall
  public let code: Int32

  package init(_ call: SystemCall) { self.init(call, code: errno) }

  /// The error of a test's stand-in for the system.
  public init(_ call: SystemCall, code: Int32) {
    self.call = call
    self.code = code
  }

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
