// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Waits for a few descriptors at once, for programs that have no loop.
public enum Polling {
  /// A descriptor and the readiness it is watched for; a closed other end is always reported.
  public struct Entry: Sendable {
    public let number: Int32
    public let wanted: Readiness

    public init(_ number: Int32, _ wanted: Readiness) {
      self.number = number
      self.wanted = wanted
    }
  }

  /// Returns the readiness of each entry; empty for all of them once `deadline` has passed.
  public static func wait(
    _ entries: [Entry], until deadline: MonotonicInstant?
  ) throws(SystemError) -> [Readiness] {
    var watched = entries.map { entry in
      // The bits of poll(2) and epoll(7) are the same.
      pollfd(fd: entry.number, events: Int16(truncatingIfNeeded: entry.wanted.rawValue), revents: 0)
    }
    while true {
      let milliseconds = try deadline.map { deadline throws(SystemError) in try Self.milliseconds(deadline) }
      // Holds: the array's own entries, for as long as the call. A signal ends the wait early, and the loop continues
      // it.
      let count = unsafe poll(&watched, nfds_t(watched.count), milliseconds ?? -1)
      guard count >= 0 || errno == EINTR else { throw SystemError(.poll) }
      if count > 0 || (count == 0 && milliseconds == 0) { return watched.map(\.readiness) }
    }
  }

  /// Until then, rounded up, so that it has passed when the call returns.
  private static func milliseconds(_ deadline: MonotonicInstant) throws(SystemError) -> Int32 {
    let left = deadline.nanoseconds - (try MonotonicInstant.now()).nanoseconds
    return left <= 0 ? 0 : Int32(clamping: (left - 1) / 1_000_000 + 1)
  }
}

extension pollfd {
  fileprivate var readiness: Readiness {
    var readiness = Readiness(rawValue: UInt32(UInt16(bitPattern: revents)))
    if Int32(revents) & (POLLERR | POLLNVAL | POLLHUP) != 0 { readiness.insert(.hungUp) }
    return readiness
  }
}
