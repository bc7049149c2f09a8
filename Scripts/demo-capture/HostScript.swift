// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import VirtualRadio

/// The packets of the demonstration besides reports: the host initializes the controller, scans, is connected to a band
/// for a while, and changes to extended scanning (a controller refuses to mix the two without a reset, Core
/// Specification 5.4, Volume 4, Part E, 3.1.1).
enum HostScript {
  struct Step {
    var time: Instant
    var action: Action
  }

  enum Action {
    case sends([UInt8])
    case receives([UInt8])
    /// From now on the controller scans with these settings.
    case scans(ScanSettings)
  }

  /// `address` is the controller's public address.
  static func steps(address: UInt64) -> [Step] { initialization(address) + connection + change + end }

  private static func initialization(_ address: UInt64) -> [Step] {
    command(0, 0x0C03)  // HCI_Reset
      + command(2, 0x1009, returns: Array(little(address, 6)))  // HCI_Read_BD_ADDR
      + command(4, 0x2003, returns: features)  // HCI_LE_Read_Local_Supported_Features
      + command(6, 0x2001, little(0x0000_0000_0000_1C7F, 8))  // HCI_LE_Set_Event_Mask
      // HCI_LE_Set_Scan_Parameters: active, 60 ms of 60 ms, directed reports wanted
      + command(8, 0x200B, [1] + little(0x60, 2) + little(0x60, 2) + [0, 2])
      + command(10, 0x200C, [1, 0])  // HCI_LE_Set_Scan_Enable
      + [Step(time: milliseconds(12), action: .scans(ScanSettings()))]
  }

  /// The scene's band, which is silent while it is connected.
  private static var bandAddress: UInt64 { 0xEC11_9A7D_0042 }

  private static var features: [UInt8] { little(0x0000_0000_0000_59FF, 8) }

  /// Connection, one attribute read, and its end by the band.
  private static var connection: [Step] {
    let peer = [1] + little(bandAddress, 6)
    let link = [0, 0x40, 0, 0] + peer + little(0x18, 2) + [0, 0] + little(0x1F4, 2) + [0]
    return [
      // HCI_LE_Create_Connection, its Command Status, and LE Connection Complete
      sends(4900, PacketEncoder.command(0x200D, [0x60, 0, 0x30, 0, 0] + peer + [0] + createTail)),
      receives(4901, PacketEncoder.event(0x0F, [0, 1, 0x0D, 0x20])),
      receives(4990, PacketEncoder.leMetaEvent(0x01, link)),
      // ATT: read the battery level; 92 %
      sends(6500, PacketEncoder.acl(connection: 0x40, [3, 0, 4, 0, 0x0A, 0x2A, 0])),
      receives(6530, PacketEncoder.event(0x13, [1, 0x40, 0, 1, 0])),
      receives(6560, PacketEncoder.acl(connection: 0x40, [2, 0, 4, 0, 0x0B, 92])),
      // Disconnection Complete: the band's user disconnected
      receives(16_980, PacketEncoder.event(0x05, [0, 0x40, 0, 0x13])),
    ]
  }

  /// Connection interval 30 ms to 50 ms, no latency, 5 s of supervision, no bounds on the event length.
  private static var createTail: [UInt8] {
    little(0x18, 2) + little(0x28, 2) + [0, 0] + little(0x1F4, 2) + [0, 0, 0, 0]
  }

  private static var change: [Step] {
    let start = DemoCapture.extendedSeconds * 1000
    var extended = ScanSettings()
    extended.isExtended = true
    let onePHY = [1] + little(0x60, 2) + little(0x60, 2)
    return command(start, 0x200C, [0, 0])
      + [Step(time: milliseconds(start + 2), action: .scans(.off))]
      + command(start + 10, 0x0C03)
      + command(start + 20, 0x2001, little(0x0000_0000_0000_1C7F, 8))
      // HCI_LE_Set_Extended_Scan_Parameters: 1M and coded
      + command(start + 30, 0x2041, [0, 2, 0b101] + onePHY + onePHY)
      + command(start + 40, 0x2042, [1, 0, 0, 0, 0, 0])  // HCI_LE_Set_Extended_Scan_Enable
      + [Step(time: milliseconds(start + 42), action: .scans(extended))]
  }

  private static var end: [Step] { command(DemoCapture.seconds * 1000, 0x2042, [0, 0, 0, 0, 0, 0]) }

  /// A command and, a little later, its completion.
  private static func command(
    _ time: Int, _ opcode: UInt16, _ parameters: [UInt8] = [], returns values: [UInt8] = []
  ) -> [Step] {
    [
      sends(time, PacketEncoder.command(opcode, parameters)),
      receives(time + 1, PacketEncoder.commandComplete(opcode, values)),
    ]
  }

  private static func sends(_ time: Int, _ packet: [UInt8]) -> Step {
    Step(time: milliseconds(time), action: .sends(packet))
  }

  private static func receives(_ time: Int, _ packet: [UInt8]) -> Step {
    Step(time: milliseconds(time), action: .receives(packet))
  }

  private static func milliseconds(_ count: Int) -> Instant { Instant(microseconds: Int64(count) * 1000) }

  private static func little(_ value: UInt64, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}
