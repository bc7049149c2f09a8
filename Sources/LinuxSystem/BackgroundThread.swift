// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux

/// A thread besides the loop's; no signal reaches it. It is never joined: it ends with its body or with the process.
public enum BackgroundThread {
  /// Enough for reading a file of the deepest nesting; only what is used takes memory.
  private static let stackByteCount = 512 << 10

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  public static func start(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
    // Holds: the thread takes over the reference once; without a thread it is released below.
    let body = unsafe Unmanaged.passRetained(Body(run))
    do throws(SystemError) {
      _ = try retryOnInterrupt(.thread) {
        unsafe clinux_thread(
          stackByteCount,
          { context in
            guard let context = unsafe context else { return nil }
            unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            return nil
          }, body.toOpaque())
      }
    } catch {
      unsafe body.release()
      throw error
    }
  }
}
