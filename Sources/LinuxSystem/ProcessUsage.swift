// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc

/// What this process uses of the machine, as getrusage(2), getrlimit(2) and proc(5) say.
public struct ProcessUsage: Sendable {
  /// User and system time.
  public let processorMicroseconds: Int64
  public let residentBytes: Int64
  public let virtualBytes: Int64
  public let openDescriptors: Int
  public let openDescriptorsMax: Int64
  /// Since 1970, by the machine's clock as it is now.
  public let startMicroseconds: Int64

  /// Nil where the system does not say: without /proc, for instance.
  public static func now() -> ProcessUsage? {
    var usage = rusage()
    var limit = rlimit()
    // Holds: both are local variables of the types that the calls fill in.
    guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0,
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      let fields = statFields, fields.count > 21, let ticks = Int64(fields[19]),
      let bytes = Int64(fields[20]),
      let pages = Int64(fields[21]), let descriptors = descriptorCount, let now = try? WallTime.now(),
      let sinceBoot = try? MonotonicInstant.now()
    else { return nil }
    let age = sinceBoot.nanoseconds / 1000 - ticks * 1_000_000 / Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    return ProcessUsage(
      processorMicroseconds: usage.ru_utime.microseconds + usage.ru_stime.microseconds,
      residentBytes: pages * Int64(sysconf(Int32(_SC_PAGESIZE))), virtualBytes: bytes,
      openDescriptors: descriptors, openDescriptorsMax: Int64(clamping: limit.rlim_cur),
      startMicroseconds: now.microseconds - age)
  }

  /// The fields of /proc/self/stat after the name, which may contain blanks: the first is the state.
  private static var statFields: [Substring]? {
    guard let contents = try? FileContents(reading: "/proc/self/stat", byteCountMax: 1 << 12) else {
      return nil
    }
    let text = String(decoding: contents.bytes, as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return nil }
    return text[text.index(after: end)...].split { $0 == " " || $0 == "\n" }
  }

  /// The descriptors that are open, without the one that lists them.
  private static var descriptorCount: Int? {
    // Holds: the folder is closed below, and each entry is used before the next is read.
    guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // The folder itself, its parent, and the descriptor of this listing.
    return count - 3
  }
}

extension timeval {
  fileprivate var microseconds: Int64 { Int64(tv_sec) * 1_000_000 + Int64(tv_usec) }
}
