// SPDX-License-Identifier: GPL-3.0-or-later

import CTool
import Glibc
public import LinuxSystem

/// A program of the system that an operator's command calls, such as systemctl.
///
/// It is trusted: it runs with the rights of this process, on its terminal, and takes as long as it takes. Signals that
/// this process ignores or blocks have their usual effect on it.
public enum SystemProgram {
  /// How a program ended.
  public enum Ending: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)

    /// Whether it exited with status 0.
    public var isSuccess: Bool { self == .exited(status: 0) }
  }

  /// Runs a program with this process's standard streams and environment, and waits for its end. `arguments` begin with
  /// its name, which is searched for in `PATH`.
  public static func run(_ arguments: [String]) throws(SystemError) -> Ending {
    try run(arguments, output: -1)
  }

  /// Runs a program, and returns what it wrote to its standard output, at most 4 MiB, with how it ended.
  public static func output(of arguments: [String]) throws(SystemError) -> (ending: Ending, bytes: [UInt8]) {
    let file = Descriptor(owning: try retryOnInterrupt(.open) { ctool_memory_file() })
    let ending = try run(arguments, output: file.number)
    var bytes = [UInt8](repeating: 0, count: 4 << 20)
    // The program's end and this one's are one file with one offset.
    _ = lseek(file.number, 0, SEEK_SET)
    let count = try file.read(into: &bytes) ?? 0
    bytes.removeLast(bytes.count - count)
    return (ending, bytes)
  }

  private static func run(_ arguments: [String], output: Int32) throws(SystemError) -> Ending {
    // Holds: the copies live until the end of this function, when the program has ended; the call only reads them.
    var copies = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var status: Int32 = 0
    guard unsafe ctool_run_and_wait(&copies, output, &status) == 0 else { throw SystemError(.execve) }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status: status >> 8 & 0xFF) : .killed(signal: signal)
  }
}
