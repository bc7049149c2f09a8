// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import CTool
import Glibc
public import LinuxSystem

/// The standard input of this process.
public enum StandardInput {
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads one line, without its line feed; nil after the last.
  public static func line() -> String? { readLine() }
}

/// A descriptor that becomes readable when the terminal's window may have a new size.
///
/// It delivers SIGWINCH. A stopped program does not receive that signal, so it also delivers SIGCONT.
public struct WindowSignal: ~Copyable {
  private static let signals: UInt64 = 1 << 28 | 1 << 18

  private let descriptor: Descriptor

  public init() throws(SystemError) {
    descriptor = Descriptor(owning: try retryOnInterrupt(.signals) { clinux_signals(Self.signals) })
  }

  /// The number of the descriptor.
  public var number: Int32 { descriptor.number }

  /// Makes the descriptor unreadable again.
  public func acknowledge() throws(SystemError) {
    guard clinux_next_signal(descriptor.number) >= 0 else { throw SystemError(.read) }
  }
}

extension Signals {
  /// Ends the process as the unhandled signal would, so that the parent process sees the signal.
  public static func end(by signal: SignalDescriptor.Signal) -> Never { ctool_end_by_signal(signal.rawValue) }
}

extension Environment {
  /// Whether the variable is there and not empty.
  public static func has(_ name: String) -> Bool { !(value(of: name) ?? "").isEmpty }
}
