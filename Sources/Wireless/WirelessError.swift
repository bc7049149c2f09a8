// SPDX-License-Identifier: GPL-3.0-or-later

/// Why networks cannot be read, or no scan can be started.
public enum WirelessError: Error, Equatable, Sendable {
  /// What wireless extensions lack for a list.
  public enum Lack: Equatable, Sendable {
    /// The interface has none: a driver for Wi-Fi 7, or a kernel that was built without.
    case extensions
    /// The list is longer than the 64 KiB that they can deliver.
    case room
  }

  case interfaceMissing
  case interfaceDown
  case notWireless
  /// A list that only nl80211 can deliver.
  case lacking(Lack)
  /// The process may not have sockets of the family AF_NETLINK.
  case netlinkRefused
  /// A list that only nl80211 can deliver, for which the process may not have a socket.
  case cannotTakeOver(Lack)
  /// The process lacks CAP_NET_ADMIN, which starting a scan needs.
  case rightMissing
  /// A system call failed otherwise.
  case system(call: String, reason: String)
  /// A system call that starts a scan failed otherwise.
  case startRefused(call: String, reason: String)
  /// The worker does not reply.
  case noReply
  /// A scan does not end.
  case endless

  /// A word that stays the same, for metrics.
  public var word: String {
    switch self {
    case .interfaceMissing: "interfaceMissing"
    case .interfaceDown: "interfaceDown"
    case .notWireless: "notWireless"
    case .lacking, .netlinkRefused, .cannotTakeOver: "cannotTakeOver"
    case .rightMissing: "rightMissing"
    case .system, .startRefused: "system"
    case .noReply, .endless: "timeout"
    }
  }

  /// Every ``word``.
  public static let words = [
    "interfaceMissing", "interfaceDown", "notWireless", "cannotTakeOver", "rightMissing", "system", "timeout",
  ]

  /// What happened, where, and what to do.
  public func sentence(interface: String) -> String {
    switch self {
    case .interfaceMissing:
      "there is no interface \(interface): plug it in, or name another one as wifi; ip link lists them"
    case .interfaceDown:
      "the interface \(interface) is down: ip link set \(interface) up takes it up, and rfkill unblock wifi unblocks it"
    case .notWireless:
      "the interface \(interface) is not wireless: name another one as wifi; iw dev lists them"
    case .lacking(let lack), .cannotTakeOver(let lack):
      "\(lack.sentence(interface: interface)), and nl80211 cannot take over, because the agent may not have sockets of "
        + "AF_NETLINK: \(Self.netlinkCure)"
    case .netlinkRefused: "the agent may not have sockets of AF_NETLINK: \(Self.netlinkCure)"
    case .rightMissing:
      "the kernel starts no scan for the agent on \(interface), and only other programs' scans are read: it needs "
        + "CAP_NET_ADMIN (setcap cap_net_admin,cap_net_raw+ep, or AmbientCapabilities in its unit)"
    case .system(let call, let reason):
      "the networks of \(interface) cannot be read: \(call): \(reason); dmesg may say more"
    case .startRefused(let call, let reason):
      "no scan can be started on \(interface), and only other programs' scans are read: \(call): \(reason); iw dev "
        + "\(interface) info must say type managed, and dmesg may say more"
    case .noReply:
      "the networks of \(interface) were not read in time: the driver hangs, or the worker is busy with an adapter"
    case .endless: "a scan of \(interface) has not ended in 30 s: take the interface down and up"
    }
  }

  /// The same error where it is the start of a scan that failed, while networks may be read.
  var ofStart: WirelessError {
    guard case .system(let call, let reason) = self else { return self }
    return .startRefused(call: call, reason: reason)
  }

  private static let netlinkCure =
    "accessoryctl setup, run as root with --wifi, installs the drop-in wifi.conf of accessoryd.service"
}

extension WirelessError.Lack {
  fileprivate func sentence(interface: String) -> String {
    switch self {
    case .extensions: "the interface \(interface) has no wireless extensions"
    case .room: "\(interface) receives more networks than wireless extensions can list"
    }
  }
}
