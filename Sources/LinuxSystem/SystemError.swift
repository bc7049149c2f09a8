// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// A system call that failed: its name and `errno`.
public struct SystemError: Error, Equatable, Sendable {
  public let call: SystemCall
  public let code: Int32

  init(_ call: SystemCall) { self.init(call, code: errno) }

  /// What a stand-in for the system says.
  public init(_ call: SystemCall, code: Int32) {
    self.call = call
    self.code = code
  }

  /// What the C library says of the code, without a full stop: `No space left on device`.
  public var reason: String {
    // Holds: strerror answers a string that lives until its next call on this thread.
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  public var isBrokenPipe: Bool { code == EPIPE }
  public var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  public var isPermission: Bool { code == EACCES || code == EPERM }
  /// No descriptor or no memory is free.
  public var isExhausted: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(code) }
  /// Another process holds the lock.
  public var isLocked: Bool { code == EWOULDBLOCK }
  /// The socket at that path is of another type.
  public var isWrongSocketType: Bool { code == EPROTOTYPE }
  /// The other end was closed with bytes unread.
  public var isReset: Bool { code == ECONNRESET }
  /// Nobody listens on the socket that is there.
  public var isRefused: Bool { code == ECONNREFUSED }
  /// As many connections wait to be accepted as may.
  public var isFull: Bool { code == EAGAIN }
  /// The other side of a connection went away.
  public var isGone: Bool { isBrokenPipe || isReset }
}

/// Calls again for as long as a signal comes in between; -1 is an error.
func retryOnInterrupt<Result: SignedInteger>(
  _ name: SystemCall, _ call: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = SystemError(name)
    guard error.code == EINTR else { throw error }
  }
}
