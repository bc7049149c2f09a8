// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// An untrusted program that runs with nothing but its arguments: in a session of its own, with standard streams on
/// /dev/null and no other descriptor, in the root folder, with only `PATH` in its environment, without capabilities,
/// and with small resource limits. When its owner is released, all its processes are killed.
///
/// It cannot write files: it can write only to devices, pipes, sockets and the kernel's own files (`/sys`). If the
/// kernel has Landlock, it also cannot create, remove, rename or truncate files (``landlockVersion``); otherwise it can
/// create empty files, and truncate and remove files where its account may. It can do whatever its account may without
/// writing: read files, change the modes of its own files, connect to sockets.
public final class ConfinedProgram {
  /// The account that the program runs as when the agent is root.
  public struct Account: Equatable, Sendable {
    /// The account that the kernel reports for accounts without a number; distributions name it `nobody`.
    public static let overflow = Account(user: 65_534, group: 65_534)

    public let user: UInt32
    public let group: UInt32

    public init(user: UInt32, group: UInt32) {
      self.user = user
      self.group = group
    }

    /// Returns the account `nobody` of the account database.
    public static func unprivileged() -> Account {
      // Holds: the entry is read before the next call can overwrite it; programs ask from one thread.
      guard let entry = unsafe getpwnam("nobody") else { return overflow }
      return unsafe Account(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
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

  /// Starts the program without waiting for it; `arguments` begin with its path. `account` counts if this process is
  /// root's.
  public init(_ arguments: [String], as account: Account) throws(SystemError) {
    let run = try Self.start(arguments, account)
    descriptor = Descriptor(owning: run.descriptor)
    report = Descriptor(owning: run.report)
    process = run.process
  }

  private static func start(_ arguments: [String], _ account: Account) throws(SystemError) -> clinux_run {
    var confinement = clinux_confinement()
    confinement.changes_account = Accounts.isRoot ? 1 : 0
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
    clinux_kill_group(process)
    // A process that was killed ends at once, unless the kernel itself is stuck in it.
    _ = try? Polling.wait(
      [Polling.Entry(descriptor.number, .readable)],
      until: MonotonicInstant.now().advanced(seconds: 1))
    _ = clinux_reap(descriptor.number)
  }

  /// Kills the program and all processes of its group.
  public func kill() { clinux_kill_group(process) }

  /// Returns how the program ended, once ``descriptor`` is readable; nil while it runs. Kills the remaining processes
  /// of its group, whose number stays reserved until the program was waited for.
  public func end() throws(SystemError) -> Ending? {
    precondition(!isReaped, "a program ends once")
    let ready = try Polling.wait([Polling.Entry(descriptor.number, .readable)], until: MonotonicInstant.now())
    guard ready[0].contains(.readable) else { return nil }
    clinux_kill_group(process)
    let state = clinux_reap(descriptor.number)
    guard state != .min else { throw SystemError(.waitForProcess) }
    isReaped = true
    if let failure = failure { return .notRun(failure) }
    return state < 0 ? .killed(signal: -state) : .exited(status: state)
  }

  /// Why the program could not run.
  private var failure: SystemError? {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<clinux_run_failure>.size)
    guard let count = try? report.read(into: &bytes), count == bytes.count else { return nil }
    // Holds: the bytes are those of such a value, which the same program wrote.
    let failure = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: clinux_run_failure.self) }
    return SystemError(Self.call(of: failure.step), code: failure.code)
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
