// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
@_exported public import Values

/// The result of pairing with a device. It belongs to the device and is the same for all apps.
public enum Bond: Equatable, Sendable {
  case none
  case bonded(BondRecord)
  /// The device, or the owner of the bond, no longer has its keys. The device's identity key stays good.
  case lost(BondRecord)

  public var isBonded: Bool { if case .bonded = self { true } else { false } }

  /// What is known about the bond, lost or not.
  public var record: BondRecord? {
    switch self {
    case .none: nil
    case .bonded(let record), .lost(let record): record
    }
  }
}

/// A bond as the registry stores it.
public struct BondRecord: Equatable, Sendable {
  public var owner: BondOwner
  /// Whether a person compared or typed a number, so that no third device can be in between (Core Specification 5.4,
  /// Volume 3, Part H, 2.3.1).
  public var isAuthenticated: Bool
  public var keys: BondKeys
  /// How many bytes the keys have that bluetoothd keeps; nil if it is not known, and for keys of the gateway, which have
  /// their sizes with them.
  public var foreignKeyByteCount: UInt8?
  /// Whether bluetoothd keeps a key for BR/EDR, too.
  public var hasForeignLinkKey = false

  public init(
    owner: BondOwner, isAuthenticated: Bool, keys: BondKeys = BondKeys(), foreignKeyByteCount: UInt8? = nil
  ) {
    self.owner = owner
    self.isAuthenticated = isAuthenticated
    self.keys = keys
    self.foreignKeyByteCount = foreignKeyByteCount
  }

  /// Whether there is a key for BR/EDR, with the gateway or with bluetoothd.
  public var hasLinkKey: Bool { keys.linkKey != nil || hasForeignLinkKey }

  /// Whether a registry may hold the record.
  public var isStorable: Bool {
    guard keys.areStorable, !hasForeignLinkKey || owner == .bluetoothd else { return false }
    guard let count = foreignKeyByteCount else { return true }
    return owner == .bluetoothd && LongTermKey.byteCounts.contains(count)
  }
}

/// The keys of a bond. They are stored and loaded, and never printed. Of a bond of bluetoothd only the identity key is
/// known.
public struct BondKeys: Equatable, Sendable {
  /// One of the side that begins connections and one of the other side; Secure Connections has one key for both.
  public static let longTermKeysMax = 2

  public var longTermKeys: [LongTermKey] = []
  /// Resolves the device's private addresses.
  public var identityKey: KeyValue?
  /// The key for BR/EDR that came with the pairing (Core Specification 5.4, Volume 3, Part H, 2.4.2.4).
  public var linkKey: LinkKey?

  public init() {}

  /// Whether a registry may hold the keys: sizes and kinds are those of the specification, and no key is a debug key.
  public var areStorable: Bool {
    longTermKeys.count <= Self.longTermKeysMax && longTermKeys.allSatisfy(\.isStorable)
      && linkKey?.isStorable != false
  }

  /// The key with which a scanner recognises the device; `identity` is the device's identity address.
  public func identityKey(of identity: DeviceAddress) -> IdentityKey? {
    identityKey.map { IdentityKey(key: $0.block, identity: identity) }
  }
}

/// A long term key as the kernel's management interface has it (BlueZ, doc/mgmt-api.txt, "Load Long Term Keys Command").
/// The address is the device's identity.
public struct LongTermKey: Equatable, Sendable {
  /// Key_Type: 0 unauthenticated, 1 authenticated legacy; 2 unauthenticated, 3 authenticated P-256; 4 debug.
  public var kind: UInt8
  /// Central: 1 for the key of the side that begins connections.
  public var central: UInt8
  /// Encryption_Size, 7 to 16 bytes.
  public var byteCount: UInt8
  public var diversifier: UInt16
  public var random: UInt64
  public var value: KeyValue

  public init(
    kind: UInt8, central: UInt8, byteCount: UInt8, diversifier: UInt16, random: UInt64, value: KeyValue
  ) {
    self.kind = kind
    self.central = central
    self.byteCount = byteCount
    self.diversifier = diversifier
    self.random = random
    self.value = value
  }

  /// How many bytes a key may have (Core Specification 5.4, Volume 3, Part H, 2.3.4).
  public static let byteCounts: ClosedRange<UInt8> = 7...16

  public var isAuthenticated: Bool { kind == 1 || kind == 3 }

  fileprivate var isStorable: Bool { kind <= 3 && central <= 1 && Self.byteCounts.contains(byteCount) }
}

/// A BR/EDR key as the kernel's management interface has it ("Load Link Keys Command"). The address is the device's
/// identity, which is public.
public struct LinkKey: Equatable, Sendable {
  /// Key_Type.
  public var kind: UInt8
  /// PIN_Length.
  public var pinByteCount: UInt8
  public var value: KeyValue

  public init(kind: UInt8, pinByteCount: UInt8, value: KeyValue) {
    self.kind = kind
    self.pinByteCount = pinByteCount
    self.value = value
  }

  /// Kinds 0 to 8 without 3, the debug key (Core Specification 5.4, Volume 4, Part E, 7.7.24).
  fileprivate var isStorable: Bool { kind <= 8 && kind != 3 && pinByteCount <= 16 }
}

/// The sixteen bytes of a key, least significant first, as in the management interface and in bluetoothd's files.
public struct KeyValue: Equatable, Sendable {
  public static let byteCount = 16

  public let bytes: [UInt8]

  /// nil unless there are sixteen bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// The key as a number, as the Core Specification writes it.
  public var block: Block128 {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    return Block128(high: number(bytes[8..<16]), low: number(bytes[0..<8]))
  }
}

extension KeyValue: CustomStringConvertible, CustomReflectable {
  public var description: String { "(key)" }
  /// Dumps and failed expectations show what a mirror does.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
