// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem

extension NetworkInterface {
  /// The names of the interfaces with a radio for networks, in alphabetical order.
  public static var wirelessNames: [String] {
    ((try? FolderContents.names(in: "/sys/class/net")) ?? []).filter(isWireless)
  }
}
