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

  /// Whether the name is free or belongs to an ordinary file, which may be replaced.
  public static func isFree(_ path: String) throws(SystemError) -> Bool {
    guard let status = try status(of: path) else { return true }
    return status.mode & S_IFMT == S_IFREG
  }

  /// Replaces a file, as a whole or not at all, by one that only its owner reads and writes.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    _ = try replace(path, with: bytes, like: nil, attributesOf: nil)
  }

  /// `model` gives the new file its owner, group and permissions; without one only its owner reads and writes it.
  /// `source` is a file whose access lists and labels it gets. Returns false, and replaces nothing, if the file does not
  /// hold `old` any longer when the new one is whole on the disk.
  static func replace(
    _ path: String, with bytes: [UInt8], like model: stat?, attributesOf source: String?,
    insteadOf old: [UInt8]? = nil
  ) throws(SystemError) -> Bool {
    let draft = "\(path).\(ThisProcess.identifier).part"
    do throws(SystemError) {
      try write(bytes, to: draft, like: model, attributesOf: source)
      if let old, try !holds(path, old) {
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

  private static func holds(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> Bool {
    do throws(SystemError) { return try contents(of: path, byteCountMax: bytes.count) == bytes } catch {
      guard error.isTooLarge else { throw error }
      return false
    }
  }

  private static func write(
    _ bytes: [UInt8], to path: String, like model: stat?, attributesOf source: String?
  ) throws(SystemError) {
    // A process with the same number may have left it.
    try remove(path)
    let descriptor = try opened(path, O_WRONLY | O_CREAT | O_EXCL)
    var file = OutputFile(descriptor: descriptor.number)
    try file.write(bytes)
    try file.flush()
    if let model { try setAttributes(of: descriptor.number, like: model) }
    if let source {
      // Holds: the call only reads the path.
      _ = try retryOnInterrupt(.accessList) { unsafe clinux_copy_attributes(source, descriptor.number) }
    }
    _ = try retryOnInterrupt(.fsync) { fsync(descriptor.number) }
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

  /// Waits until the names in the folder of `path` are as durable as the disk makes them.
  public static func syncFolder(of path: String) throws(SystemError) {
    let descriptor = try opened(folder(of: path), O_RDONLY | O_DIRECTORY)
    _ = try retryOnInterrupt(.fsync) { fsync(descriptor.number) }
  }

  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? "."
  }

  private static func opened(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
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
  private let descriptor: Descriptor

  /// Takes the lock without waiting. The error `isLocked` if another process holds it.
  public init(path: String) throws(SystemError) {
    descriptor = try Self.locked(path)
  }

  /// Holds the lock while `body` runs. Its file is there only meanwhile.
  static func hold<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    while true {
      let descriptor = try locked(path)
      var status = stat()
      // Holds: `status` is a local variable.
      _ = try retryOnInterrupt(.fstat) { unsafe fstat(descriptor.number, &status) }
      // The process that had the lock before has removed it.
      guard status.st_nlink > 0 else { continue }
      defer {
        FileName.remove(path)
        _ = descriptor.number
      }
      return try body()
    }
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

/// Replaces what an operator's file holds, as a whole or not at all. Its mode, owner, group, access lists and
/// labels stay, and so does a symbolic link that leads to it.
public enum FileReplacement {
  /// Creates a file that any account may read, and its owner may write. The error `isExisting` if the name is taken.
  public static func create(_ bytes: [UInt8], at path: String) throws(SystemError) {
    var model = stat()
    (model.st_mode, model.st_uid, model.st_gid) = (0o644, geteuid(), getegid())
    try LockFile.hold("\(path).lock") { () throws(SystemError) in
      guard try DurableFile.status(of: path) == nil else { throw SystemError(.open, code: EEXIST) }
      _ = try DurableFile.replace(path, with: bytes, like: model, attributesOf: nil)
    }
  }

  /// Fails for a file that is read-only, even where the folder would allow to replace it. Returns false, and writes
  /// nothing, if the file no longer holds `old`; the error `isLocked` if another process is replacing it.
  public static func write(
    _ bytes: [UInt8], to path: String, insteadOf old: [UInt8]
  ) throws(SystemError) -> Bool {
    let (target, status) = try writable(path)
    return try LockFile.hold("\(target).lock") { () throws(SystemError) in
      try DurableFile.replace(target, with: bytes, like: status, attributesOf: target, insteadOf: old)
    }
  }

  /// Fails where ``write(_:to:insteadOf:)`` would for want of a right, or ``create(_:at:)`` if there is no such file.
  public static func check(_ path: String) throws(SystemError) {
    let target = try DurableFile.status(of: path) == nil ? path : writable(path).target
    // Holds: the call only reads the path.
    _ = try retryOnInterrupt(.open) { unsafe access(DurableFile.folder(of: target), W_OK | X_OK) }
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
