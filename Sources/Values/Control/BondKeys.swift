// SPDX-License-Identifier: Apache-2.0

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

  /// How many ``bytes`` there are.
  public static let encodedByteCount = 29

  /// As messages of the kernel and the registry have it: kind, central and size with one byte each, diversifier (2),
  /// random (8) and value (16), the least significant byte first.
  public var bytes: [UInt8] {
    [kind, central, byteCount] + diversifier.littleEndianBytes + random.littleEndianBytes + value.bytes
  }

  /// nil unless there are ``encodedByteCount`` bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.encodedByteCount, let value = KeyValue(Array(bytes[13...])) else { return nil }
    self.init(
      kind: bytes[0], central: bytes[1], byteCount: bytes[2],
      diversifier: UInt16(bigEndian: bytes[3..<5].reversed()),
      random: UInt64(bigEndian: bytes[5..<13].reversed()), value: value)
  }

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
    Block128(
      high: UInt64(bigEndian: bytes[8..<16].reversed()), low: UInt64(bigEndian: bytes[0..<8].reversed()))
  }
}

extension KeyValue: CustomStringConvertible, CustomReflectable {
  public var description: String { "(key)" }
  /// Dumps and failed expectations show what a mirror does.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
