// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// A file whose lock one process holds. The lock goes with the owner; the file stays, because another process may
/// already have opened it.
public struct LockFile: ~Copyable {
  private let descriptor: Descriptor

  /// Takes the lock, never waiting: `SystemError.isLocked` when another process holds it.
  public init(path: String) throws(SystemError) {
    descriptor = try Self.locked(path)
  }

  private static func locked(_ path: String) throws(SystemError) -> Descriptor {
    // Holds: the call only reads the path.
    let number = try retryOnInterrupt(.open) {
      unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0o600)
    }
    let descriptor = Descriptor(owning: number)
    _ = try retryOnInterrupt(.lock) { clinux_lock(number) }
    return descriptor
  }
}
