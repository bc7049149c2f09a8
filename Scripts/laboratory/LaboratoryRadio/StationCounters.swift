// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Packets to the host and commands from it, counted for comparison with the agent's metrics.
public struct StationCounters: Equatable, Sendable {
  /// Packets of every kind.
  public var packets = 0
  /// Events with advertising reports, and the reports in them.
  public var events = 0
  public var reports = 0
  /// Events of a load that fell due while the controller did not scan, and were not written.
  public var withheld = 0
  /// Commands from the host, those that enabled a scan, and those that disabled one.
  public var commands = 0
  public var scanEnables = 0
  public var scanDisables = 0
  public var resets = 0

  public init() {}

  /// Counts a packet to the host.
  public mutating func count(_ packet: [UInt8]) {
    packets += 1
    guard let reportCount = Self.reportCount(packet) else { return }
    events += 1
    reports += reportCount
  }

  /// How many reports an event has; nil for every other packet (Core Specification 5.4, Volume 4, Part E, 7.7.65.2,
  /// 7.7.65.11 and 7.7.65.13).
  public static func reportCount(_ packet: [UInt8]) -> Int? {
    guard packet.count > 4, packet[0] == PacketKind.event.rawValue, packet[1] == 0x3E,
      [0x02, 0x0B, 0x0D].contains(packet[3])
    else { return nil }
    return Int(packet[4])
  }

  public static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.packets += right.packets
    sum.events += right.events
    sum.reports += right.reports
    sum.withheld += right.withheld
    sum.commands += right.commands
    sum.scanEnables += right.scanEnables
    sum.scanDisables += right.scanDisables
    sum.resets += right.resets
    return sum
  }
}
