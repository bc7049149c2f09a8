// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// The entries of a folder.
public enum FolderContents {
  /// More than any folder that the programs read.
  private static let countMax = 65_536

  /// Returns the names in a folder in alphabetical order, without `.` and `..`. At most 65,536 are read.
  public static func names(in path: String) throws(SystemError) -> [String] {
    // Holds: the call only reads the path.
    let number = try retryOnInterrupt(.open) {
      unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    }
    guard let folder = unsafe fdopendir(number) else {
      let error = SystemError(.open)
      close(number)
      throw error
    }
    // The folder owns the descriptor.
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while names.count < countMax, let entry = unsafe readdir(folder) {
      // Holds: the name ends with a zero within the entry, which is used before the next one is read.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
