// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// SIGINT, SIGTERM and SIGHUP as something to wait for: what streams is ended cleanly by them.
final class Interruption {
  private let signals: SignalDescriptor

  init() throws(Failure) {
    do throws(SystemError) { signals = try SignalDescriptor() } catch { throw .system(error) }
  }

  /// Becomes readable with the first signal, and stays so.
  var number: Int32 { signals.descriptor.number }

  /// The signal that came; nil for none. It is told once.
  func taken() throws(Failure) -> SignalDescriptor.Signal? {
    do throws(SystemError) { return try signals.next() } catch { throw .system(error) }
  }

  /// Itself, and whether somebody reads the output.
  func entries(output: Int32 = OutputFile.standardOutput().number) -> [Polling.Entry] {
    [Polling.Entry(number, .readable), Polling.Entry(output, [])]
  }
}
