// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// An event of the kernel's management interface about links, pairings and keys (BlueZ, doc/mgmt-api.txt). Its
/// description never shows a key.
public enum MgmtBondEvent: Equatable, Sendable {
  /// A BR/EDR key, which an LE pairing may bring too.
  case linkKey(MgmtKey<LinkKey>, isToBeKept: Bool)
  /// The device is named by its identity, which an identity key before it gives.
  case longTermKey(MgmtKey<LongTermKey>, isToBeKept: Bool)
  /// `address` is the private address that the device uses; nil if it uses its identity.
  case identityKey(MgmtKey<KeyValue>, address: DeviceAddress?, isToBeKept: Bool)
  case connected(DeviceAddress)
  case connectFailed(DeviceAddress, MgmtStatus)
  /// A pairing that this socket did not begin has failed.
  case authenticationFailed(DeviceAddress, MgmtStatus)
  /// Do both sides show these six digits? If there are no `digits`, only consent is asked for.
  case confirmationRequest(DeviceAddress, digits: UInt32?)
  /// Which six digits does the device show?
  case passkeyRequest(DeviceAddress)
  /// A person has to type these six digits at the device.
  case passkeyNotification(DeviceAddress, digits: UInt32)
  /// Another program removed the keys of the device.
  case unpaired(DeviceAddress)

  /// A passkey has at most six digits.
  private static let digitsEnd: UInt32 = 1_000_000

  /// The events that ``init(_:_:)`` reads, with the shortest parameters of each, in bytes.
  static let byteCountsMin: [UInt16: Int] = [
    0x0009: 1 + 25, 0x000a: 1 + 36, 0x000b: 7 + 4 + 2, 0x000d: 7 + 1, 0x000f: 7 + 1 + 4, 0x0010: 7,
    0x0011: 7 + 1, 0x0016: 7, 0x0017: 7 + 4 + 1, 0x0018: 1 + 6 + 23,
  ]

  /// Reads the parameters of one of these events; nil if they are truncated or concern no LE device.
  init?(_ code: UInt16, _ cursor: inout ByteCursor) throws(MgmtError) {
    switch code {
    // New Link Key, New Long Term Key, New Identity Resolving Key: Store_Hint and the key, for the last one after the
    // present address.
    case 0x0009:
      guard let hint = cursor.uint8(), let key = MgmtKey<LinkKey>(&cursor) else { return nil }
      self = .linkKey(key, isToBeKept: hint == 1)
    case 0x000a:
      guard let hint = cursor.uint8(), let key = MgmtKey<LongTermKey>(&cursor) else { return nil }
      guard LongTermKey.byteCounts.contains(key.key.byteCount) else { throw .invalidValue(event: code) }
      self = .longTermKey(key, isToBeKept: hint == 1)
    case 0x0018:
      guard let hint = cursor.uint8(), let bits = cursor.uint48(), let key = MgmtKey<KeyValue>(&cursor)
      else { return nil }
      let address = bits == 0 ? nil : DeviceAddress(bits: bits, type: .random)
      self = .identityKey(key, address: address, isToBeKept: hint == 1)
    default:
      // The others begin with the device.
      guard let device = MgmtDevice(&cursor)?.address else { return nil }
      try self.init(code, of: device, &cursor)
    }
  }

  private init?(_ code: UInt16, of device: DeviceAddress, _ cursor: inout ByteCursor) throws(MgmtError) {
    switch code {
    case 0x000b: self = .connected(device)
    case 0x000d:
      guard let status = cursor.uint8() else { return nil }
      self = .connectFailed(device, MgmtStatus(rawValue: status))
    // User Confirmation Request: Confirm_Hint, Value.
    case 0x000f:
      guard let hint = cursor.uint8(), let digits = cursor.uint32() else { return nil }
      // With the hint the value is not meant to be shown.
      guard hint == 0 else {
        self = .confirmationRequest(device, digits: nil)
        return
      }
      guard digits < Self.digitsEnd else { throw .invalidDigits(event: code, device) }
      self = .confirmationRequest(device, digits: digits)
    case 0x0010: self = .passkeyRequest(device)
    case 0x0011:
      guard let status = cursor.uint8() else { return nil }
      self = .authenticationFailed(device, MgmtStatus(rawValue: status))
    case 0x0016: self = .unpaired(device)
    // Passkey Notify: Passkey, Entered.
    case 0x0017:
      guard let digits = cursor.uint32() else { return nil }
      guard digits < Self.digitsEnd else { throw .invalidDigits(event: code, device) }
      self = .passkeyNotification(device, digits: digits)
    default: return nil
    }
  }
}

/// A key in a message of the kernel's management interface, with the device that it belongs to.
public struct MgmtKey<Key: Equatable & Sendable>: Equatable, Sendable {
  /// The device's identity address, if it has one; a public address for a BR/EDR key.
  public let device: DeviceAddress
  public let key: Key

  public init(_ device: DeviceAddress, _ key: Key) { (self.device, self.key) = (device, key) }

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
