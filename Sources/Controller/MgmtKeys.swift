// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// The sixteen bytes of a key in a message, least significant first. They are never printed.
public struct MgmtKeyValue: Equatable, Sendable {
  public static let byteCount = 16

  public let bytes: [UInt8]

  /// nil unless there are sixteen bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// nil if the message ends before.
  init?(_ cursor: inout ByteCursor) {
    guard cursor.byteCount >= Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    while bytes.count < Self.byteCount, let byte = cursor.uint8() { bytes.append(byte) }
    self.bytes = bytes
  }
}

extension MgmtKeyValue: CustomStringConvertible, CustomReflectable {
  public var description: String { "(key)" }
  /// Dumps and failed expectations show what a mirror does.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A long term key ("Load Long Term Keys Command"): Address, Address_Type, Key_Type, Central, Encryption_Size,
/// Encryption_Diversifier, Random_Number, Value; 36 bytes.
public struct MgmtLongTermKey: Equatable, Sendable {
  /// The sizes that a key may have, in bytes.
  public static let byteCounts: ClosedRange<UInt8> = 7...16

  /// The device's identity address, if it has one.
  public let device: DeviceAddress
  /// 0 unauthenticated, 1 authenticated legacy; 2 unauthenticated, 3 authenticated P-256; 4 debug.
  public let kind: UInt8
  /// 1 for the key of the side that begins connections.
  public let central: UInt8
  /// Encryption_Size, one of ``byteCounts``.
  public let byteCount: UInt8
  public let diversifier: UInt16
  public let random: UInt64
  public let value: MgmtKeyValue

  public init(
    device: DeviceAddress, kind: UInt8, central: UInt8, byteCount: UInt8, diversifier: UInt16, random: UInt64,
    value: MgmtKeyValue
  ) {
    self.device = device
    self.kind = kind
    self.central = central
    self.byteCount = byteCount
    self.diversifier = diversifier
    self.random = random
    self.value = value
  }

  public var isAuthenticated: Bool { kind == 1 || kind == 3 }

  var bytes: [UInt8] {
    device.mgmtBytes + [kind, central, byteCount] + diversifier.leastSignificantFirst
      + random.leastSignificantFirst + value.bytes
  }

  /// nil if the message ends before, or the device is not an LE device.
  init?(_ cursor: inout ByteCursor) {
    guard let device = MgmtDevice(&cursor)?.address, let kind = cursor.uint8(), let central = cursor.uint8(),
      let byteCount = cursor.uint8(), let diversifier = cursor.uint16(), let random = cursor.uint64(),
      let value = MgmtKeyValue(&cursor)
    else { return nil }
    self.init(
      device: device, kind: kind, central: central, byteCount: byteCount, diversifier: diversifier,
      random: random, value: value)
  }
}

/// A key that resolves private addresses ("Load Identity Resolving Keys Command"): Address, Address_Type, Value; 23
/// bytes.
public struct MgmtIdentityKey: Equatable, Sendable {
  public let identity: DeviceAddress
  public let value: MgmtKeyValue

  public init(identity: DeviceAddress, value: MgmtKeyValue) {
    self.identity = identity
    self.value = value
  }

  var bytes: [UInt8] { identity.mgmtBytes + value.bytes }

  /// nil if the message ends before, or the device is not an LE device.
  init?(_ cursor: inout ByteCursor) {
    guard let identity = MgmtDevice(&cursor)?.address, let value = MgmtKeyValue(&cursor) else { return nil }
    self.init(identity: identity, value: value)
  }
}

/// A BR/EDR key ("Load Link Keys Command"): Address, Address_Type, Key_Type, Value, PIN_Length; 25 bytes.
public struct MgmtLinkKey: Equatable, Sendable {
  /// The device's public address.
  public let device: DeviceAddress
  public let kind: UInt8
  public let pinByteCount: UInt8
  public let value: MgmtKeyValue

  public init(device: DeviceAddress, kind: UInt8, pinByteCount: UInt8, value: MgmtKeyValue) {
    self.device = device
    self.kind = kind
    self.pinByteCount = pinByteCount
    self.value = value
  }

  /// Address_Type is BR/EDR.
  var bytes: [UInt8] { device.mgmtBytes.dropLast() + [0, kind] + value.bytes + [pinByteCount] }

  /// nil if the message ends before. Address_Type is passed over: a BR/EDR address is always public.
  init?(_ cursor: inout ByteCursor) {
    guard let bits = cursor.uint48(), cursor.skip(1), let kind = cursor.uint8(),
      let value = MgmtKeyValue(&cursor), let pinByteCount = cursor.uint8()
    else { return nil }
    self.init(
      device: DeviceAddress(bits: bits, type: .public), kind: kind, pinByteCount: pinByteCount, value: value)
  }
}
