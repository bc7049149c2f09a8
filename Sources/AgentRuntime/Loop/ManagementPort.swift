// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem

/// The management interface as the loop holds it: it tells of adapters that come and go, and is asked to scan where the
/// adapter is shared.
final class ManagementPort {
  /// Longer than any message: a header of 6 octets and 65,535 of parameters would be, but none that is let through is.
  private static let messageBytesMax = 4096

  let socket: AdapterSocket
  let token: UInt64
  private var buffer = [UInt8](repeating: 0, count: messageBytesMax)

  init(_ socket: consuming AdapterSocket, token: UInt64) {
    self.socket = socket
    self.token = token
  }

  /// Hands over up to so many messages that are there.
  func drain(countMax: Int = 64, _ receive: (RawSpan) -> Void) {
    for _ in 0..<countMax {
      guard let count = try? socket.receive(into: &buffer), count > 0 else { return }
      receive(buffer.span.octets.extracting(0..<count))
    }
  }
}
