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

  /// The events that ``init(_:_:)`` reads.
  static let codes: Set<UInt16> = [
    0x0009, 0x000a, 0x000b, 0x000d, 0x000f, 0x0010, 0x0011, 0x0016, 0x0017, 0x0018,
  ]

  /// The shortest parameters of an event, in bytes.
  static func byteCountMin(_ code: UInt16) -> Int {
    switch code {
    case 0x0009: 1 + 25
    case 0x000a: 1 + 36
    case 0x000b: 7 + 4 + 2
    case 0x000d, 0x0011: 7 + 1
    case 0x000f: 7 + 1 + 4
    case 0x0017: 7 + 4 + 1
    case 0x0018: 1 + 6 + 23
    default: 7
    }
  }

  /// Reads the parameters of one of the ``codes``; nil if they are truncated or concern no LE device.
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
