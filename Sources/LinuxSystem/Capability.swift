// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux

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
