// SPDX-License-Identifier: GPL-3.0-or-later

import CTool
import Glibc
public import LinuxSystem

/// Replaces what an operator's file holds, as a whole or not at all. Its mode, owner, group, access lists and
/// labels stay, and so does a symbolic link that leads to it.
public enum FileReplacement {
  /// Creates a file that any account may read, and its owner may write. The error `isExisting` if the name is taken.
  public static func create(_ bytes: [UInt8], at path: String) throws(SystemError) {
    var model = stat()
    (model.st_mode, model.st_uid, model.st_gid) = (0o644, geteuid(), getegid())
    try holding("\(path).lock") { () throws(SystemError) in
      guard try DurableFile.status(of: path) == nil else { throw SystemError(.open, code: EEXIST) }
      _ = try DurableFile.replace(path, with: bytes) { number throws(SystemError) in
        try setAttributes(of: number, like: model)
      } isWanted: {
        true
      }
    }
  }

  /// Fails for a file that is read-only, even where the folder would allow to replace it. Returns false, and writes
  /// nothing, if the file no longer holds `old`; the error `isLocked` if another process is replacing it.
  public static func write(
    _ bytes: [UInt8], to path: String, insteadOf old: [UInt8]
  ) throws(SystemError) -> Bool {
    let (target, status) = try writable(path)
    return try holding("\(target).lock") { () throws(SystemError) in
      try DurableFile.replace(target, with: bytes) { number throws(SystemError) in
        try setAttributes(of: number, like: status)
        // Holds: the call only reads the path.
        _ = try retryOnInterrupt(.accessList) { unsafe ctool_copy_attributes(target, number) }
      } isWanted: { () throws(SystemError) in
        try holds(target, old)
      }
    }
  }

  /// Fails where ``write(_:to:insteadOf:)`` would for want of a right, or ``create(_:at:)`` if there is no such file.
  public static func check(_ path: String) throws(SystemError) {
    let target = try DurableFile.status(of: path) == nil ? path : writable(path).target
    // Holds: the call only reads the path.
    _ = try retryOnInterrupt(.open) { unsafe access(DurableFile.folder(of: target), W_OK | X_OK) }
  }

  private static func setAttributes(of descriptor: Int32, like model: stat) throws(SystemError) {
    var own = stat()
    // Holds: `own` is a local variable.
    _ = try retryOnInterrupt(.fstat) { unsafe fstat(descriptor, &own) }
    if (own.st_uid, own.st_gid) != (model.st_uid, model.st_gid) {
      _ = try retryOnInterrupt(.chown) { fchown(descriptor, model.st_uid, model.st_gid) }
    }
    _ = try retryOnInterrupt(.chmod) { fchmod(descriptor, model.st_mode & 0o7777) }
  }

  private static func holds(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> Bool {
    do throws(SystemError) {
      return try DurableFile.contents(of: path, byteCountMax: bytes.count) == bytes
    } catch {
      guard error.isTooLarge else { throw error }
      return false
    }
  }

  /// Holds a lock while `body` runs. Its file is there only meanwhile.
  private static func holding<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    while true {
      let lock = try LockFile(path: path)
      var status = stat()
      // Holds: `status` is a local variable.
      _ = try retryOnInterrupt(.fstat) { unsafe fstat(lock.descriptor.number, &status) }
      // The process that had the lock before has removed it.
      guard status.st_nlink > 0 else { continue }
      defer {
        FileName.remove(path)
        _ = lock.descriptor.number
      }
      return try body()
    }
  }

  /// The file that a path leads to, which may be written.
  private static func writable(_ path: String) throws(SystemError) -> (target: String, status: stat) {
    let target = try resolved(path)
    var status = stat()
    // Holds: the path is only read, and `status` is a local variable.
    _ = try retryOnInterrupt(.fstat) { unsafe stat(target, &status) }
    guard status.st_mode & 0o222 != 0 else { throw SystemError(.open, code: EACCES) }
    // Holds: the call only reads the path.
    _ = try retryOnInterrupt(.open) { unsafe access(target, W_OK) }
    return (target, status)
  }

  /// The path without symbolic links.
  private static func resolved(_ path: String) throws(SystemError) -> String {
    // Holds: the call only reads the path; it returns memory that is freed here, once copied.
    guard let resolved = unsafe realpath(path, nil) else { throw SystemError(.open) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}

extension DurableFile {
  /// Whether the name is free or belongs to an ordinary file, which may be replaced.
  public static func isFree(_ path: String) throws(SystemError) -> Bool {
    guard let status = try status(of: path) else { return true }
    return status.mode & S_IFMT == S_IFREG
  }
}
