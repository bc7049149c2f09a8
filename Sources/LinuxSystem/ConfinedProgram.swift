// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// An untrusted program that runs with nothing but its arguments: under an account that is not this process's, in a
/// session of its own, with standard streams on /dev/null and no other descriptor, in the root folder, with only `PATH` in
/// its environment, without capabilities, and with small resource limits. A supervising process kills all processes that
/// it started when it ends, when its owner is released, and when this process ends, even if they left the session.
///
/// It cannot write files with write(2): only devices, pipes, sockets and the kernel's own files (`/sys`). If the kernel
/// has Landlock, it also cannot create, remove, rename or truncate files (``landlockVersion``). Otherwise it can do what
/// its account may: read files, write files of its own through a mapping, connect to sockets.
public final class ConfinedProgram {
  /// The account that the program runs as.
  public struct Account: Equatable, Sendable {
    /// The account that the kernel reports for accounts without a number; distributions name it `nobody`.
    public static let overflow = Account(user: 65_534, group: 65_534)

    public let user: UInt32
    public let group: UInt32

    public init(user: UInt32, group: UInt32) { (self.user, self.group) = (user, group) }

    /// Returns the account `nobody` of the account database.
    public static func unprivileged() -> Account {
      // Holds: the entry is read before the next call can overwrite it; programs ask from one thread.
      guard let entry = unsafe getpwnam("nobody") else { return overflow }
      return unsafe Account(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }

    /// Whether this process can run programs under the account and end them: the account is another one, and the process
    /// has the capabilities to become it and to signal its processes.
    public var isPossible: Bool {
      user != ThisProcess.user && [Capability.setUser, .setGroup, .kill].allSatisfy(\.isHeld)
    }
  }

  public enum Ending: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)
    /// It never ran.
    case notRun(SystemError)
  }

  /// The kernel's version of Landlock: 0 is none; 1 (Linux 5.13) restricts creating, removing and renaming files, 3
  /// (6.2) also truncating them.
  public static var landlockVersion: Int { Int(clinux_landlock_version()) }

  private static let processorSeconds: UInt32 = 5
  private static let descriptorsMax: UInt32 = 16

  /// Readable once the program has ended.
  public let descriptor: Descriptor
  private let report: Descriptor
  private let process: Int32
  private var isReaped = false

  /// Starts the program without waiting for it; `arguments` begin with its path. The thread that calls this must live
  /// as long as this process.
  public init(_ arguments: [String], as account: Account) throws(SystemError) {
    let run = try Self.start(arguments, account)
    descriptor = Descriptor(owning: run.descriptor)
    report = Descriptor(owning: run.report)
    process = run.process
  }

  private static func start(_ arguments: [String], _ account: Account) throws(SystemError) -> clinux_run {
    var confinement = clinux_confinement()
    (confinement.user, confinement.group) = (account.user, account.group)
    (confinement.seconds, confinement.descriptors) = (processorSeconds, descriptorsMax)
    // Holds: every copy lives until the end of this function; the call has used them when it returns, since the new
    // process has its own memory.
    var copies = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var run = clinux_run()
    guard unsafe clinux_run_confined(&copies, &confinement, &run) == 0 else { throw SystemError(.fork) }
    return run
  }

  deinit {
    guard !isReaped else { return }
    clinux_end_run(process)
    // A process that was killed ends at once, unless the kernel itself is stuck in it.
    _ = try? Polling.wait(
      [Polling.Entry(descriptor.number, .readable)],
      until: MonotonicInstant.now().advanced(seconds: 1))
    _ = clinux_reap(descriptor.number)
  }

  /// Kills the program and every process that it started.
  public func kill() { clinux_end_run(process) }

  /// Returns how the program ended, once ``descriptor`` is readable; nil while it runs. No process that it started runs
  /// any more.
  public func end() throws(SystemError) -> Ending? {
    precondition(!isReaped, "a program ends once")
    let ready = try Polling.wait([Polling.Entry(descriptor.number, .readable)], until: MonotonicInstant.now())
    guard ready[0].contains(.readable) else { return nil }
    let state = clinux_reap(descriptor.number)
    guard state != .min else { throw SystemError(.waitForProcess) }
    isReaped = true
    return ending ?? .killed(signal: state < 0 ? -state : SIGKILL)
  }

  /// How the program ended, or why it could not run; nil if its supervisor was killed.
  private var ending: Ending? {
    let size = MemoryLayout<clinux_run_report>.size
    var bytes = [UInt8](repeating: 0, count: 2 * size)
    guard let count = try? report.read(into: &bytes), count >= size else { return nil }
    // Holds: the bytes are those of such a value, which the same program wrote. A failure comes before the end.
    let report = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: clinux_run_report.self) }
    guard report.step == Int32(CLINUX_RUN_ENDED) else {
      return .notRun(SystemError(Self.call(of: report.step), code: report.code))
    }
    return report.code < 0 ? .killed(signal: -report.code) : .exited(status: report.code)
  }

  private static func call(of step: Int32) -> SystemCall {
    // Holds: the name is a literal.
    guard let name = unsafe clinux_step(step), let call = SystemCall(rawValue: unsafe String(cString: name))
    else {
      preconditionFailure("every step has the name of its system call")
    }
    return call
  }
}
