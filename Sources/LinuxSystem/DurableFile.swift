// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// File operations for files that must survive a power cut.
public enum DurableFile {
  /// Returns type, permissions and owner of a file, without following a link; nil if there is none.
  public static func status(of path: String) throws(SystemError) -> (mode: UInt32, owner: UInt32)? {
    var status = stat()
    do throws(SystemError) {
      // Holds: the path is only read, and `status` is a local variable.
      _ = try retryOnInterrupt(.fstat) { unsafe lstat(path, &status) }
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    return (status.st_mode, status.st_uid)
  }

  /// Returns the path of a folder without symbolic links, with its type, permissions and owner.
  public static func resolved(
    folder path: String
  ) throws(SystemError) -> (path: String, mode: UInt32, owner: UInt32) {
    // Holds: the call only reads the path, and returns a string that is released after it was copied.
    guard let resolved = unsafe realpath(path, nil) else { throw SystemError(.resolve) }
    defer { unsafe free(resolved) }
    let name = unsafe String(cString: resolved)
    guard let status = try status(of: name) else { throw SystemError(.resolve, code: ENOENT) }
    return (name, status.mode, status.owner)
  }

  /// Returns the bytes of an ordinary file; the error `isTooLarge` if it has more than `byteCountMax`.
  public static func contents(of path: String, byteCountMax: Int) throws(SystemError) -> [UInt8] {
    do throws(FileError) { return try FileContents(ofFile: path, byteCountMax: byteCountMax).bytes } catch {
      switch error {
      case .system(let error): throw error
      case .tooLarge: throw SystemError(.read, code: EFBIG)
      case .isDirectory, .isNotOrdinary: throw SystemError(.read, code: EISDIR)
      }
    }
  }

  /// Whether another process holds a lock on any byte of a file (fcntl(2)). False if the file cannot be read.
  public static func isLocked(_ path: String) -> Bool {
    guard let descriptor = try? opened(path, O_RDONLY) else { return false }
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    // Holds: `lock` is a local variable.
    return unsafe fcntl(descriptor.number, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// Creates an empty file that only its owner reads and writes; fails if the name exists.
  public static func create(_ path: String) throws(SystemError) {
    _ = try opened(path, O_RDWR | O_CREAT | O_EXCL)
  }

  /// Creates a folder, which only its owner enters unless `mode` says otherwise; succeeds if the name exists.
  public static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
    do throws(SystemError) {
      // Holds: the calls only read the path.
      _ = try retryOnInterrupt(.mkdir) { unsafe mkdir(path, 0o700) }
      // The process's mask does not count.
      if mode != 0o700 { _ = try retryOnInterrupt(.chmod) { unsafe chmod(path, mode) } }
    } catch {
      guard error.code == EEXIST else { throw error }
    }
  }

  /// Renames a file, replacing a file of that name.
  public static func rename(_ path: String, to newPath: String) throws(SystemError) {
    // Holds: the call only reads the paths, here and below.
    _ = try retryOnInterrupt(.rename) { unsafe Glibc.rename(path, newPath) }
  }

  /// Removes a name; succeeds if there is none.
  public static func remove(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      _ = try retryOnInterrupt(.unlink) { unsafe unlink(path) }
    } catch {
      guard error.isMissing else { throw error }
    }
  }

  /// Replaces a file, as a whole or not at all, by one that only its owner reads and writes.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    _ = try replace(path, with: bytes, prepare: { _ in }, isWanted: { true })
  }

  /// Likewise; `prepare` may change the new file before it is durable. Returns false, and replaces nothing, if `isWanted`
  /// does when the new file is whole on the disk.
  package static func replace(
    _ path: String, with bytes: [UInt8], prepare: (Int32) throws(SystemError) -> Void,
    isWanted: () throws(SystemError) -> Bool
  ) throws(SystemError) -> Bool {
    let draft = "\(path).\(ThisProcess.identifier).part"
    do throws(SystemError) {
      // A process with the same number may have left it.
      try remove(draft)
      let file = try opened(draft, O_WRONLY | O_CREAT | O_EXCL)
      try write(bytes, to: file)
      try prepare(file.number)
      try file.call(.fsync) { fsync($0) }
      guard try isWanted() else {
        try remove(draft)
        return false
      }
      try rename(draft, to: path)
    } catch {
      try? remove(draft)
      throw error
    }
    try syncFolder(of: path)
    return true
  }

  private static func write(_ bytes: [UInt8], to file: borrowing Descriptor) throws(SystemError) {
    var start = 0
    while start < bytes.count {
      start += try file.call(.write) { number in
        // Holds: `start` lies inside the array, which the call only reads.
        unsafe bytes.withUnsafeBytes {
          unsafe Glibc.write(number, $0.baseAddress?.advanced(by: start), $0.count - start)
        }
      }
    }
  }

  /// Waits until the names in the folder of `path` are as durable as the disk makes them.
  public static func syncFolder(of path: String) throws(SystemError) {
    let descriptor = try opened(folder(of: path), O_RDONLY | O_DIRECTORY)
    try descriptor.call(.fsync) { fsync($0) }
  }

  /// The folder that a file lies in.
  package static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? "."
  }

  fileprivate static func opened(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
    Descriptor(
      owning: try retryOnInterrupt(.open) {
        // Holds: the call only reads the path.
        unsafe open(path, flags | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0o600)
      })
  }
}

/// Names in the file system.
public enum FileName {
  /// The kind of file that has a name, without following a link.
  public enum Content: Equatable, Sendable { case nothing, socket, other }

  public static func content(of path: String) -> Content {
    var status = stat()
    // Holds: the path is only read, and `status` is a local variable.
    guard unsafe lstat(path, &status) == 0 else { return .nothing }
    return status.st_mode & S_IFMT == S_IFSOCK ? .socket : .other
  }

  /// Removes a name, if it exists.
  public static func remove(_ path: String) {
    // Holds: the call only reads the path.
    _ = unsafe unlink(path)
  }
}

/// A file whose lock one process holds. The lock goes with the owner; the file stays, because another process may
/// already have opened it.
public struct LockFile: ~Copyable {
  package let descriptor: Descriptor

  /// Takes the lock without waiting. The error `isLocked` if another process holds it.
  public init(path: String) throws(SystemError) {
    let file = try DurableFile.opened(path, O_RDWR | O_CREAT)
    try file.call(.lock) { clinux_lock($0) }
    descriptor = file
  }
}
