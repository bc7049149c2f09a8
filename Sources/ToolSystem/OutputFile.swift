// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
public import LinuxSystem

/// A file opened for writing: bytes are collected in a buffer and written 64 KiB at a time, or by ``flush()``.
///
/// Bytes that were not flushed are lost with the value.
public struct OutputFile: ~Copyable {
  private static let bufferByteCount = 1 << 16

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  public static func standardOutput() -> OutputFile { OutputFile(descriptor: STDOUT_FILENO) }
  public static func standardError() -> OutputFile { OutputFile(descriptor: STDERR_FILENO) }

  /// Does not close the descriptor: its owner does.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates a file. With `replacing` it empties an existing one; otherwise an existing one is an error. A new file is
  /// readable by its owner and, as the umask allows, by other accounts.
  public static func create(path: String, replacing: Bool) throws(SystemError) -> OutputFile {
    let flags = O_WRONLY | O_CREAT | (replacing ? O_TRUNC : O_EXCL) | O_CLOEXEC | O_NOCTTY
    // Holds: the call only reads the path.
    return OutputFile(descriptor: try retryOnInterrupt(.open) { unsafe open(path, flags, 0o644) })
  }

  /// Writes the buffer until `interruption`, a descriptor that is only watched, becomes readable. Returns whether
  /// everything was written; if not, the rest is dropped.
  public mutating func flush(unlessReadable interruption: Int32) throws(SystemError) -> Bool {
    defer { buffer.removeAll(keepingCapacity: true) }
    let entries = [Polling.Entry(descriptor, .writable), Polling.Entry(interruption, .readable)]
    var start = 0
    while start < buffer.count {
      let ready = try Polling.wait(entries, until: nil)
      guard !ready[0].isEmpty else { return false }
      start += try writeSome(from: start)
    }
    return true
  }

  /// A pipe that poll(2) calls writable takes PIPE_BUF bytes without blocking.
  private func writeSome(from start: Int) throws(SystemError) -> Int {
    let count = min(buffer.count - start, Int(PIPE_BUF))
    do throws(SystemError) {
      // Holds: `start` and `count` lie inside the buffer, which the call only reads.
      return try retryOnInterrupt(.write) {
        unsafe buffer.withUnsafeBytes {
          unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), count)
        }
      }
    } catch {
      guard error.code == EAGAIN else { throw error }
      return 0
    }
  }

  /// The number of the descriptor, to watch whether the other end is open.
  public var number: Int32 { descriptor }

  public var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The width of the terminal; nil if the file is no terminal or its width is unknown.
  public var terminalColumnCount: Int? {
    var size = winsize()
    // Holds: `size` is a local variable of the type that the request fills in.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  public mutating func write(_ bytes: some Sequence<UInt8>) throws(SystemError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferByteCount { try flush() }
  }

  /// Writes the buffer.
  public mutating func flush() throws(SystemError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    var start = 0
    while start < buffer.count {
      do throws(SystemError) {
        // Holds: `start` lies inside the buffer, which the call only reads.
        start += try retryOnInterrupt(.write) {
          unsafe buffer.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
          }
        }
      } catch {
        guard error.code == EAGAIN else { throw error }
        try waitUntilWritable()
      }
    }
  }

  /// Waits because the program that opened the file may have made it non-blocking.
  private func waitUntilWritable() throws(SystemError) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // Holds: one entry, a local variable.
    _ = try retryOnInterrupt(.poll) { unsafe poll(&entry, 1, -1) }
  }

  /// Waits until `deadline`, or until the other end is closed. Returns whether the other end is open.
  public func wait(until deadline: MonotonicInstant) throws(SystemError) -> Bool {
    while true {
      let left = deadline.nanoseconds - (try MonotonicInstant.now()).nanoseconds
      guard left > 0 else { return true }
      var entry = pollfd(fd: descriptor, events: 0, revents: 0)
      // Rounded up, so that the deadline has passed by less than a millisecond when the call returns.
      let milliseconds = Int32(clamping: (left - 1) / 1_000_000 + 1)
      // Holds: one entry, a local variable. A signal ends the wait early, and the loop continues it.
      let count = unsafe poll(&entry, 1, milliseconds)
      guard count >= 0 || errno == EINTR else { throw SystemError(.poll) }
      if count > 0, Int32(entry.revents) & (POLLERR | POLLNVAL) != 0 { return false }
    }
  }
}
