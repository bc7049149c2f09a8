// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
public import LinuxSystem

extension Accounts {
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
