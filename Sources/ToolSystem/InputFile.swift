// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
public import LinuxSystem

/// A file, pipe or device that is read piece by piece, once.
public struct InputFile: ~Copyable {
  private let number: Int32
  /// Whether everything that will come is there already: the file is neither a pipe nor a device.
  public let isOrdinary: Bool

  private init(number: Int32, isOrdinary: Bool) {
    self.number = number
    self.isOrdinary = isOrdinary
  }

  /// Opens a file; `-` is standard input. A directory is refused.
  public static func open(_ path: String) throws(FileError) -> InputFile {
    let number = try path == "-" ? STDIN_FILENO : opened(path)
    var status = stat()
    // Holds: `status` is a local variable.
    let result = unsafe fstat(number, &status)
    let error = SystemError(.fstat)
    let file = InputFile(number: number, isOrdinary: status.st_mode & S_IFMT == S_IFREG)
    guard result == 0 else { throw .system(error) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory }
    return file
  }

  deinit { if number != STDIN_FILENO { close(number) } }

  private static func opened(_ path: String) throws(FileError) -> Int32 {
    do throws(SystemError) {
      // Holds: the call only reads the path.
      return try retryOnInterrupt(.open) { unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    } catch {
      throw .system(error)
    }
  }

  /// Waits for bytes and puts them into a part of a buffer. Returns how many; 0 at the end of the input.
  public func read(into buffer: inout [UInt8], _ range: Range<Int>) throws(FileError) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "the range lies in the buffer")
    while true {
      do throws(SystemError) {
        return try retryOnInterrupt(.read) {
          // Holds: the range was checked; the buffer is the array's own, for as long as the call.
          unsafe buffer.withUnsafeMutableBytes {
            unsafe Glibc.read(number, $0.baseAddress?.advanced(by: range.lowerBound), range.count)
          }
        }
      } catch {
        guard error.isFull else { throw .system(error) }
        try wait()
      }
    }
  }

  /// Waits because the program that opened the input may have made it non-blocking.
  private func wait() throws(FileError) {
    do throws(SystemError) {
      _ = try Polling.wait([Polling.Entry(number, .readable)], until: nil)
    } catch {
      throw .system(error)
    }
  }
}
