// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux

/// The capabilities (capabilities(7)) that a radio and the program for touches need.
public enum Capability: Equatable, Sendable {
  /// Adapters up and down, the user channel, the management interface, receive buffers of any size.
  case networkAdministration
  /// LE events on a raw channel.
  case rawNetwork
  /// Becoming another user, and another group.
  case setUser, setGroup
  /// Signals to the processes of other users.
  case kill

  /// The name in manuals and unit files.
  public var name: String {
    switch self {
    case .networkAdministration: "CAP_NET_ADMIN"
    case .rawNetwork: "CAP_NET_RAW"
    case .setUser: "CAP_SETUID"
    case .setGroup: "CAP_SETGID"
    case .kill: "CAP_KILL"
    }
  }

  /// Whether this process has it in effect now.
  public var isHeld: Bool { clinux_has_capability(number) == 1 }

  /// The number in linux/capability.h.
  private var number: Int32 {
    switch self {
    case .networkAdministration: 12
    case .rawNetwork: 13
    case .setUser: 7
    case .setGroup: 6
    case .kill: 5
    }
  }
}
