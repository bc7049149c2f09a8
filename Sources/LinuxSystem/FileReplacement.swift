// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Replaces what an operator's file holds, as a whole or not at all. Its mode, owner and group stay, and so does a
/// symbolic link that leads to it.
public enum FileReplacement {
  /// Fails for a file that is read-only, even where the folder would allow to replace it.
  public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let target = try resolved(path)
    var status = stat()
    // Holds: the path is only read, and `status` is a local variable.
    _ = try retryOnInterrupt(.fstat) { unsafe stat(target, &status) }
    guard status.st_mode & 0o222 != 0 else { throw SystemError(.open, code: EACCES) }
    // Holds: the call only reads the path.
    _ = try retryOnInterrupt(.open) { unsafe access(target, W_OK) }
    let draft = "\(target).\(ThisProcess.identifier).part"
    do throws(SystemError) {
      try write(bytes, to: draft, as: status)
      try DurableFile.rename(draft, to: target)
    } catch {
      try? DurableFile.remove(draft)
      throw error
    }
    try DurableFile.syncFolder(of: target)
  }

  private static func write(_ bytes: [UInt8], to path: String, as status: stat) throws(SystemError) {
    // A process with the same number may have left it.
    try DurableFile.remove(path)
    try DurableFile.create(path)
    // Holds: the call only reads the path.
    let descriptor = Descriptor(
      owning: try retryOnInterrupt(.open) { unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) })
    var file = OutputFile(descriptor: descriptor.number)
    try file.write(bytes)
    try file.flush()
    var own = stat()
    // Holds: `own` is a local variable.
    _ = try retryOnInterrupt(.fstat) { unsafe fstat(descriptor.number, &own) }
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid) {
      _ = try retryOnInterrupt(.chown) { fchown(descriptor.number, status.st_uid, status.st_gid) }
    }
    _ = try retryOnInterrupt(.chmod) { fchmod(descriptor.number, status.st_mode & 0o7777) }
    _ = try retryOnInterrupt(.fsync) { fsync(descriptor.number) }
  }

  /// The path without symbolic links.
  private static func resolved(_ path: String) throws(SystemError) -> String {
    // Holds: the call only reads the path; it returns memory that is freed here, once copied.
    guard let resolved = unsafe realpath(path, nil) else { throw SystemError(.open) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
