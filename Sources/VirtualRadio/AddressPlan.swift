// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Which address a device uses, and when it takes a new one (Core Specification 5.4, Volume 6, Part B, 1.3).
public enum AddressPlan: Equatable, Sendable {
  /// 48 bits, the byte written first in text the most significant one.
  case `public`(UInt64)
  /// 48 bits, of which the upper two are set.
  case staticRandom(UInt64)
  /// Private, made with an identity resolving key.
  case resolvable(key: Block128, rotationSeconds: Int)
  /// Private, and made without a key: no host can tell which device uses it.
  case nonResolvable(rotationSeconds: Int)
  /// Extended advertising without an address.
  case anonymous

  /// The address in use at `time`; `seed` decides the random parts.
  public func address(at time: Instant, seed: UInt64) -> DeviceAddress {
    switch self {
    case .public(let bits): DeviceAddress(bits: bits, type: .public)
    case .staticRandom(let bits): DeviceAddress(bits: bits | 0b11 << 46, type: .random)
    case .resolvable(let key, let rotationSeconds):
      Self.resolvable(key, random: Self.random(time, rotationSeconds, seed))
    case .nonResolvable(let rotationSeconds):
      DeviceAddress(bits: Self.random(time, rotationSeconds, seed) & ~(0b11 << 46), type: .random)
    case .anonymous: .anonymous
    }
  }

  /// 24 random bits that start with 01, and their hash.
  private static func resolvable(_ key: Block128, random: UInt64) -> DeviceAddress {
    let part = UInt32(truncatingIfNeeded: random) & 0x3F_FFFF | 0x40_0000
    let hash = IdentityKey.hash(key: key, random: part)
    return DeviceAddress(bits: UInt64(part) << 24 | UInt64(hash), type: .random)
  }

  /// A number that stays the same for a rotation.
  private static func random(_ time: Instant, _ rotationSeconds: Int, _ seed: UInt64) -> UInt64 {
    let turn = time.microseconds / (Int64(rotationSeconds) * 1_000_000)
    var dice = SeededGenerator(seed: seed, stream: UInt64(bitPattern: turn))
    return dice.next()
  }
}
