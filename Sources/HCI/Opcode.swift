// SPDX-License-Identifier: GPL-3.0-or-later

/// The opcode of an HCI command: group << 10 | command (Core Specification 5.4, Volume 4, Part E, 5.4.1).
@frozen
public struct Opcode: Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt16
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  // Controller and baseband, 7.3
  public static var setEventMask: Self { Self(rawValue: 0x0C01) }  // 7.3.1
  public static var reset: Self { Self(rawValue: 0x0C03) }  // 7.3.2

  // Informational parameters, 7.4
  public static var readLocalVersion: Self { Self(rawValue: 0x1001) }  // 7.4.1
  public static var readSupportedCommands: Self { Self(rawValue: 0x1002) }  // 7.4.2
  public static var readLocalFeatures: Self { Self(rawValue: 0x1003) }  // 7.4.3
  public static var readBufferSize: Self { Self(rawValue: 0x1005) }  // 7.4.5
  public static var readAddress: Self { Self(rawValue: 0x1009) }  // 7.4.6, HCI_Read_BD_ADDR

  // LE controller, 7.8
  public static var leSetEventMask: Self { Self(rawValue: 0x2001) }  // 7.8.1
  public static var leReadBufferSize: Self { Self(rawValue: 0x2002) }  // 7.8.2
  public static var leReadLocalFeatures: Self { Self(rawValue: 0x2003) }  // 7.8.3
  public static var leSetRandomAddress: Self { Self(rawValue: 0x2005) }  // 7.8.4
  public static var leSetScanParameters: Self { Self(rawValue: 0x200B) }  // 7.8.10
  public static var leSetScanEnable: Self { Self(rawValue: 0x200C) }  // 7.8.11
  public static var leSetExtendedScanParameters: Self { Self(rawValue: 0x2041) }  // 7.8.64
  public static var leSetExtendedScanEnable: Self { Self(rawValue: 0x2042) }  // 7.8.65
}
