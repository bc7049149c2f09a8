// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// Names in the file system.
public enum FileName {
  /// What is found under a name, without following a link.
  public enum Content: Equatable, Sendable { case nothing, socket, other }

  public static func content(of path: String) -> Content {
    var status = stat()
    // Holds: the path is only read, and `status` is a local variable.
    guard unsafe lstat(path, &status) == 0 else { return .nothing }
    return status.st_mode & S_IFMT == S_IFSOCK ? .socket : .other
  }

  /// Removes a name; nothing is said when it is not there.
  public static func remove(_ path: String) {
    // Holds: the call only reads the path.
    _ = unsafe unlink(path)
  }
}
