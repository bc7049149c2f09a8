// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A key in a message of the kernel's management interface, with the device that it belongs to.
public struct MgmtKey<Key: Equatable & Sendable>: Equatable, Sendable {
  /// The device's identity address, if it has one; a public address for a BR/EDR key.
  public let device: DeviceAddress
  public let key: Key

  public init(_ device: DeviceAddress, _ key: Key) {
    self.device = device
    self.key = key
  }

  /// nil if the message has no key, or the device is not an LE device.
  fileprivate init?(_ device: DeviceAddress?, _ key: Key?) {
    guard let device, let key else { return nil }
    self.init(device, key)
  }
}

/// "Load Long Term Keys Command": Address, Address_Type, Key_Type, Central, Encryption_Size, Encryption_Diversifier,
/// Random_Number, Value; 36 bytes.
extension MgmtKey<LongTermKey> {
  var bytes: [UInt8] { device.mgmtBytes + key.bytes }

  init?(_ cursor: inout ByteCursor) {
    self.init(MgmtDevice(&cursor)?.address, LongTermKey(cursor.array(LongTermKey.encodedByteCount)))
  }
}

/// A key that resolves private addresses ("Load Identity Resolving Keys Command"): Address, Address_Type, Value; 23
/// bytes.
extension MgmtKey<KeyValue> {
  var bytes: [UInt8] { device.mgmtBytes + key.bytes }

  init?(_ cursor: inout ByteCursor) {
    self.init(MgmtDevice(&cursor)?.address, KeyValue(cursor.array(KeyValue.byteCount)))
  }
}

/// "Load Link Keys Command": Address, Address_Type, Key_Type, Value, PIN_Length; 25 bytes.
extension MgmtKey<LinkKey> {
  /// Address_Type is BR/EDR.
  var bytes: [UInt8] { device.mgmtBytes.dropLast() + [0, key.kind] + key.value.bytes + [key.pinByteCount] }

  /// nil if the message ends before. Address_Type is passed over: a BR/EDR address is always public.
  init?(_ cursor: inout ByteCursor) {
    guard let bits = cursor.uint48(), cursor.skip(1), let kind = cursor.uint8(),
      let value = KeyValue(cursor.array(KeyValue.byteCount)), let pinByteCount = cursor.uint8()
    else { return nil }
    self.init(
      DeviceAddress(bits: bits, type: .public), LinkKey(kind: kind, pinByteCount: pinByteCount, value: value))
  }
}

extension ByteCursor {
  /// The next `count` bytes, copied; those that are left if there are fewer.
  mutating func array(_ count: Int) -> [UInt8] { (0..<count).compactMap { _ in uint8() } }
}
