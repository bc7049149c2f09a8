// SPDX-License-Identifier: GPL-3.0-or-later

/// An identity resolving key and the identity of its device (Core Specification 5.4, Volume 3, Part H, 2.4.2.1).
public struct IdentityKey: Equatable, Sendable, BitwiseCopyable {
  /// The key, most significant byte first.
  public let key: Block128
  /// The public or static random address of the device.
  public let identity: DeviceAddress

  public init(key: Block128, identity: DeviceAddress) {
    self.key = key
    self.identity = identity
  }

  /// Whether a resolvable private address was made with this key: its low 24 bits are the hash of the 24 bits
  /// above them (Volume 6, Part B, 1.3.2.3).
  public func resolves(_ address: DeviceAddress) -> Bool {
    guard address.lifetime == .resolvablePrivate else { return false }
    let random = UInt32(truncatingIfNeeded: address.bits >> 24)
    return Self.hash(key: key, random: random) == UInt32(truncatingIfNeeded: address.bits & 0xFF_FFFF)
  }

  /// The same key with its bytes in the reverse order, as tools print it that show the order of transmission.
  public var reversed: IdentityKey { IdentityKey(key: key.reversed, identity: identity) }

  /// The random address hash function ah (Volume 3, Part H, 2.2.2): 24 bits in, 24 bits out.
  public static func hash(key: Block128, random: UInt32) -> UInt32 {
    let block = Block128(high: 0, low: UInt64(random & 0xFF_FFFF))
    return UInt32(truncatingIfNeeded: AES128.encrypt(block, key: key).low & 0xFF_FFFF)
  }
}
