// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Encodes H4 packets: indicator, header, parameters (Core Specification 5.4, Volume 4, Part A, 2, and Part E, 5.4).
public enum PacketEncoder {
  /// The longest parameters an event or a command can have.
  public static var parameterBytesMax: Int { 255 }

  /// An event; at most 255 bytes of parameters.
  public static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    [PacketKind.event.rawValue, code, length(parameters)] + parameters
  }

  /// An LE Meta event: the subevent code is the first of at most 255 bytes of parameters (7.7.65).
  public static func leMetaEvent(_ subevent: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    event(Event.leMeta, [subevent] + parameters)
  }

  /// A command; at most 255 bytes of parameters. The opcode is group << 10 | command.
  public static func command(_ opcode: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
    [PacketKind.command.rawValue] + opcode.bytes + [length(parameters)] + parameters
  }

  /// The Command Complete event for `opcode`, which allows one more command (7.7.14).
  public static func commandComplete(_ opcode: UInt16, status: UInt8 = 0, _ values: [UInt8] = []) -> [UInt8] {
    event(0x0E, [1] + opcode.bytes + [status] + values)
  }

  /// A whole L2CAP frame on an ACL connection (Part E, 5.4.2).
  public static func acl(connection: UInt16, _ data: [UInt8], isStart: Bool = true) -> [UInt8] {
    let flags: UInt16 = isStart ? 0x2000 : 0x1000
    return [PacketKind.acl.rawValue] + (connection | flags).bytes + UInt16(data.count).bytes + data
  }

  private static func length(_ parameters: [UInt8]) -> UInt8 {
    precondition(parameters.count <= parameterBytesMax, "an HCI packet's length is one byte")
    return UInt8(parameters.count)
  }
}

extension FixedWidthInteger {
  /// The value's bytes, least significant first.
  var bytes: [UInt8] {
    (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}

extension DeviceAddress {
  /// The six bytes as HCI carries them, least significant first.
  var bytes: [UInt8] { Array(bits.bytes.prefix(6)) }
}

extension BluetoothUUID {
  /// The shortest form that can carry it: 2, 4 or 16 bytes, least significant first.
  var bytes: [UInt8] {
    guard let short else { return low.bytes + high.bytes }
    return short <= 0xFFFF ? UInt16(short).bytes : short.bytes
  }
}
