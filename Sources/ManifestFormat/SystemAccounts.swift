// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
private import Glibc

extension AccountDirectory {
  /// The system's account database.
  public static let system = AccountDirectory { account in
    switch account {
    case .user(let name): SystemAccounts.user(name)
    case .group(let name): SystemAccounts.group(name)
    }
  }
}

/// Lookups in the name service switch.
private enum SystemAccounts {
  static func user(_ name: String) -> AccountDirectory.Answer {
    var entry = unsafe passwd()
    return unsafe ask(byteCount: Int(sysconf(Int32(_SC_GETPW_R_SIZE_MAX)))) { buffer, count in
      var found: UnsafeMutablePointer<passwd>?
      // The buffer outlives the call, and no pointer into it is used afterwards.
      let status = unsafe getpwnam_r(name, &entry, buffer, count, &found)
      return unsafe (status, found?.pointee.pw_uid)
    }
  }

  static func group(_ name: String) -> AccountDirectory.Answer {
    var entry = unsafe Glibc.group()
    return unsafe ask(byteCount: Int(sysconf(Int32(_SC_GETGR_R_SIZE_MAX)))) { buffer, count in
      var found: UnsafeMutablePointer<Glibc.group>?
      // The buffer outlives the call, and no pointer into it is used afterwards.
      let status = unsafe getgrnam_r(name, &entry, buffer, count, &found)
      return unsafe (status, found?.pointee.gr_gid)
    }
  }

  /// Repeats the lookup with a larger buffer until the entry fits, up to a mebibyte.
  private static func ask(
    byteCount: Int, _ call: (UnsafeMutablePointer<CChar>, Int) -> (status: Int32, id: UInt32?)
  ) -> AccountDirectory.Answer {
    var buffer = [CChar](repeating: 0, count: max(byteCount, 1024))
    while true {
      let count = buffer.count
      let answer = unsafe call(&buffer, count)
      if answer.status == ERANGE, count < 1 << 20 {
        buffer = [CChar](repeating: 0, count: count * 2)
        continue
      }
      guard answer.status == 0 else { return .noAnswer }
      return answer.id.map { .known(id: $0) } ?? .unknown
    }
  }
}
