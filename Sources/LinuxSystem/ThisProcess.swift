// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// The identity and limits of this process.
public enum ThisProcess {
  public static var identifier: Int32 { getpid() }
  public static var user: UInt32 { geteuid() }

  /// Keeps the keys in this process's memory from core dumps, and from other processes of its account; to be called
  /// before any key is read. /proc then shows the process's descriptors and memory to root alone.
  public static func keepSecrets() throws(SystemError) {
    _ = try retryOnInterrupt(.limit) { clinux_keep_secrets() }
  }

  /// Raises the limit of open descriptors to `wanted`, or as far as the process may. Returns the new limit.
  public static func raiseDescriptorLimit(to wanted: Int) throws(SystemError) -> Int {
    Int(try retryOnInterrupt(.limit) { clinux_descriptor_limit(UInt64(wanted)) })
  }
}

/// Processes of other programs.
public enum RunningProcess {
  /// Opens a process of root that has this name and has not ended. Returns its descriptor, which becomes readable when
  /// it ends; nil when there is none.
  ///
  /// The `ProtectProc=` of a unit hides the processes of other accounts. Then the first process of systemd's service
  /// counts: only root places processes there.
  public static func open(named name: String, service: String) -> Descriptor? {
    let group = "/sys/fs/cgroup/system.slice/\(service)/cgroup.procs"
    // Holds: the call only reads both texts.
    let number = unsafe clinux_open_process(name, group)
    return number < 0 ? nil : Descriptor(owning: number)
  }

  public static func bluetoothd() -> Descriptor? { open(named: "bluetoothd", service: "bluetooth.service") }
}

/// The exit statuses of this package's programs: the codes of sysexits.h.
public enum ExitCode: Int32, Sendable {
  case success = 0
  /// EX_USAGE: the command line is wrong.
  case usage = 64
  /// EX_DATAERR: a file's content is wrong.
  case dataError = 65
  /// EX_NOINPUT: a file is missing or cannot be read.
  case noInput = 66
  /// EX_UNAVAILABLE: another agent runs.
  case unavailable = 69
  /// EX_OSERR: the system refused something that should work.
  case systemError = 71
  /// EX_CANTCREAT: the socket cannot be made.
  case cannotCreate = 73
  /// EX_NOPERM: an account may not do this, or other accounts may change a file that must be trusted.
  case noPermission = 77
}

/// The process's environment.
public enum Environment {
  /// The variable's value, or nil when it is not there.
  public static func value(of name: String) -> String? {
    // Holds: getenv returns a string of the environment, which this program never changes.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}

/// The memory that the process keeps.
public enum ResidentMemory {
  /// Makes the heap return freed memory to the system; to be called before any thread.
  public static func keepHeapSmall() { clinux_keep_heap_small() }

  /// Returns memory that only the work until now, or a library that was unloaded, needed: free pages of the heap, and
  /// pages of code and constants. Those in use are mapped again at once, from the page cache.
  public static func releaseIdlePages() { clinux_release_idle_pages() }
}

/// Descriptors 0 to 2 of this process.
public enum StandardStreams {
  /// Opens those that are closed on /dev/null; to be called first. Otherwise the next file that the program opens takes
  /// the number, and what is meant for standard error is written into it.
  ///
  /// Reading from them gives nothing. Writing is an error, except to standard error.
  public static func openMissing() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
      // Holds: the call only reads the path. It returns the lowest number that is free: this one.
      _ = unsafe open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }
}

/// The capabilities (capabilities(7)) that a radio and the program for touches need.
public struct Capability: Equatable, Sendable {
  /// The name in manuals and unit files.
  public let name: String
  /// The number in linux/capability.h.
  private let number: Int32

  /// Adapters up and down, the user channel, the management interface, receive buffers of any size.
  public static let networkAdministration = Self(name: "CAP_NET_ADMIN", number: 12)
  /// LE events on a raw channel.
  public static let rawNetwork = Self(name: "CAP_NET_RAW", number: 13)
  /// Becoming another user, and another group.
  public static let setUser = Self(name: "CAP_SETUID", number: 7)
  public static let setGroup = Self(name: "CAP_SETGID", number: 6)
  /// Signals to the processes of other users.
  public static let kill = Self(name: "CAP_KILL", number: 5)

  /// Whether this process has it in effect now.
  public var isHeld: Bool { clinux_has_capability(number) == 1 }
}

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
