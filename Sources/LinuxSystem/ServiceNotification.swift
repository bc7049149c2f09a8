// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// Tells the service manager how the service is, by the protocol of sd_notify(3): lines of `NAME=value` in one datagram
/// to the socket that the environment names. Without a manager nothing happens.
public struct ServiceNotification: ~Copyable {
  private let descriptor: Descriptor
  private let path: String

  /// Nil when no manager listens (`NOTIFY_SOCKET` is not set).
  public init?(environment name: String? = Environment.value(of: "NOTIFY_SOCKET")) throws(SystemError) {
    guard let name, !name.isEmpty else { return nil }
    path = name
    descriptor = Descriptor(owning: try retryOnInterrupt(.socket) { clinux_datagram_socket() })
  }

  /// Sends lines; a manager that does not take them is not waited for.
  public func send(_ lines: String) throws(SystemError) {
    let bytes = Array(lines.utf8)
    let number = descriptor.number
    _ = try retryOnInterrupt(.send) {
      // Holds: the call only reads the bytes and the path.
      unsafe bytes.withUnsafeBytes { unsafe clinux_send_to(number, $0.baseAddress, $0.count, path) }
    }
  }
}
