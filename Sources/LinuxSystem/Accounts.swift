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

  public static func user(named name: String) -> Answer {
    var entry = unsafe passwd()
    return unsafe ask { buffer, count in
      var found: UnsafeMutablePointer<passwd>?
      // Holds: the buffer outlives the call, and no pointer into it is used afterwards.
      let status = unsafe getpwnam_r(name, &entry, buffer, count, &found)
      return unsafe (status, found?.pointee.pw_uid)
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

  /// Whether the process belongs to root.
  public static var isRoot: Bool { geteuid() == 0 }

  /// Whether the group's entry lists the user as a member.
  public static func isMember(_ user: String, ofGroup name: String) -> Bool {
    // Holds: the entry is read before the next call can overwrite it; its list of names ends with nil.
    guard let entry = unsafe getgrnam(name), var member = unsafe entry.pointee.gr_mem else { return false }
    while let next = unsafe member.pointee {
      if unsafe String(cString: next) == user { return true }
      unsafe member += 1
    }
    return false
  }

  /// Whether the process is in the group of that name; false if there is none.
  public static func isMember(ofGroup name: String) -> Bool {
    guard case .known(let id) = group(named: name) else { return false }
    var groups = [gid_t](repeating: 0, count: 65_536)
    // Holds: the call fills at most the buffer; the kernel allows no more groups than fit.
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return getegid() == id || (count > 0 && groups[..<Int(count)].contains(id))
  }
}
