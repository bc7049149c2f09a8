// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The parts of a command packet from the host that faults and counters use.
public struct HostCommand: Equatable, Sendable {
  public let opcode: UInt16
  /// The first byte of its parameters.
  public let first: UInt8?

  /// Nil when the packet is no command.
  public init?(_ packet: [UInt8]) {
    guard packet.count >= 4, packet[0] == PacketKind.command.rawValue else { return nil }
    opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
    first = packet.count > 4 ? packet[4] : nil
  }

  public var isReset: Bool { opcode == 0x0C03 }
  /// LE Set Scan Enable and LE Set Extended Scan Enable (Core Specification 5.4, Volume 4, Part E, 7.8.11 and 7.8.65).
  public var isScanEnable: Bool { isScanSwitch && first == 1 }
  public var isScanDisable: Bool { isScanSwitch && first == 0 }
  private var isScanSwitch: Bool { opcode == 0x200C || opcode == 0x2042 }
}
