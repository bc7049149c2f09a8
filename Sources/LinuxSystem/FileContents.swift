// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Why a file could not be read into memory.
public enum FileError: Error, Equatable, Sendable {
  case system(SystemError)
  case isDirectory
  /// It has more octets than the reader takes.
  case tooLarge(byteCountMax: Int)
}

/// Whole files in memory: read once, so that a file that shrinks meanwhile is an end and not a bus error.
public enum FileContents {
  private static let chunkByteCount = 1 << 16

  /// Reads a file, a pipe or a device to its end. `-` is standard input.
  public static func read(_ path: String, byteCountMax: Int) throws(FileError) -> [UInt8] {
    guard path != "-" else { return try read(STDIN_FILENO, byteCountMax: byteCountMax) }
    // Holds: the call only reads the path.
    let descriptor = try system(.open) { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    defer { close(descriptor) }
    return try read(descriptor, byteCountMax: byteCountMax)
  }

  private static func read(_ descriptor: Int32, byteCountMax: Int) throws(FileError) -> [UInt8] {
    let byteCount = try byteCount(descriptor)
    guard byteCount <= byteCountMax else { throw .tooLarge(byteCountMax: byteCountMax) }
    var contents: [UInt8] = []
    contents.reserveCapacity(byteCount)
    var chunk = [UInt8](repeating: 0, count: chunkByteCount)
    while true {
      // Holds: the buffer is the array's own, for as long as the call.
      let count = try system(.read) {
        unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { return contents }
      guard contents.count + count <= byteCountMax else { throw .tooLarge(byteCountMax: byteCountMax) }
      contents += chunk[..<count]
    }
  }

  /// Octets of a regular file; 0 for what has no length of its own.
  private static func byteCount(_ descriptor: Int32) throws(FileError) -> Int {
    var status = stat()
    // Holds: `status` is a local variable.
    _ = try system(.fstat) { unsafe fstat(descriptor, &status) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory }
    return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
  }

  private static func system<Result: SignedInteger>(
    _ name: SystemCall, _ call: () -> Result
  ) throws(FileError) -> Result {
    do throws(SystemError) { return try retryOnInterrupt(name, call) } catch { throw .system(error) }
  }
}
