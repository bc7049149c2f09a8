// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// The system's users and groups.
public enum Accounts {
  public enum Answer: Equatable, Sendable {
    case known(id: UInt32)
    case unknown
    /// The account database could not be read.
    case noAnswer
  }

  public static func user(named name: String) -> Answer { unsafe user(named: name) { unsafe $0.pw_uid } }

  private static func user(named name: String, _ id: (passwd) -> UInt32) -> Answer {
    var entry = unsafe passwd()
    return unsafe ask { buffer, count in
      var found: UnsafeMutablePointer<passwd>?
      // Holds: the buffer outlives the call, and no pointer into it is used afterwards.
      let status = unsafe getpwnam_r(name, &entry, buffer, count, &found)
      return unsafe (status, found.map { unsafe id($0.pointee) })
    }
  }

  public static func group(named name: String) -> Answer {
    var entry = unsafe Glibc.group()
    return unsafe ask { buffer, count in
      var found: UnsafeMutablePointer<Glibc.group>?
      // Holds: as above.
      let status = unsafe getgrnam_r(name, &entry, buffer, count, &found)
      return unsafe (status, found?.pointee.gr_gid)
    }
  }

  /// Whether a user belongs to a group, by its own group or as a member; not when the system does not say. Of more than 1,024
  /// groups of a user the first ones count.
  public static func belongs(_ user: String, toGroup group: String) -> Bool {
    guard case .known(let wanted) = Self.group(named: group),
      case .known(let first) = unsafe Self.user(named: user, { unsafe $0.pw_gid })
    else { return false }
    var groups = [UInt32](repeating: first, count: 1024)
    var count = Int32(groups.count)
    // Holds: it fills no more than `count` groups, and says how many there are.
    let filled = unsafe getgrouplist(user, first, &groups, &count)
    return groups.prefix(filled < 0 ? groups.count : Int(count)).contains(wanted)
  }

  /// Repeats a lookup with a larger buffer until the entry fits, up to a mebibyte.
  private static func ask(
    _ call: (UnsafeMutablePointer<CChar>, Int) -> (status: Int32, id: UInt32?)
  ) -> Answer {
    var buffer = [CChar](repeating: 0, count: 1024)
    while true {
      let count = buffer.count
      let answer = unsafe call(&buffer, count)
      if answer.status == ERANGE, count < 1 << 20 {
        buffer = [CChar](repeating: 0, count: count * 2)
        continue
      }
      if let id = answer.id { return .known(id: id) }
      // getpwnam(3) lists the codes that mean "no such entry".
      return [0, ENOENT, ESRCH, EBADF, EPERM].contains(answer.status) ? .unknown : .noAnswer
    }
  }
}
