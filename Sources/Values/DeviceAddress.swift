// SPDX-License-Identifier: Apache-2.0

/// The address type field of LE advertising reports (Core Specification 5.4, Volume 4, Part E, 7.7.65.2 and
/// 7.7.65.13).
@frozen
public enum AddressType: UInt8, Sendable, BitwiseCopyable {
  case `public` = 0
  case random = 1
  /// A public identity address that the controller resolved from a private one.
  case publicIdentity = 2
  /// A random static identity address that the controller resolved from a private one.
  case randomIdentity = 3
  /// Extended advertising without an address.
  case anonymous = 0xFF
}

/// An advertiser's address: 48 bits and their type.
@frozen
public struct DeviceAddress: Hashable, Sendable, BitwiseCopyable {
  /// Type and address as seven bytes of a report say them, least significant first: addresses are read, compared and
  /// hashed as one number.
  public let word: UInt64

  @inlinable
  public init(bits: UInt64, type: AddressType) {
    word = (bits << 16) >> 8 | UInt64(type.rawValue)
  }

  /// The address whose `word` a report gives, or nil when its type is not one that an address can have.
  @inlinable
  @inline(__always)
  public init?(identified word: UInt64) {
    guard word & 0xFC == 0 else { return nil }
    self.word = word
  }

  /// The address in the low 48 bits: the byte written first in text is the most significant one.
  @inlinable
  public var bits: UInt64 { word >> 8 }

  @inlinable
  public var type: AddressType { AddressType(rawValue: UInt8(truncatingIfNeeded: word)) ?? .anonymous }

  /// The address as it is stored: the same whether a controller or a key resolved it, or neither.
  @inlinable
  public var settled: DeviceAddress {
    switch type {
    case .publicIdentity: DeviceAddress(bits: bits, type: .public)
    case .randomIdentity: DeviceAddress(bits: bits, type: .random)
    case .public, .random, .anonymous: self
    }
  }

  /// The meaning of the two most significant bits of a random address (Volume 6, Part B, 1.3.2).
  @frozen
  public enum Lifetime: Sendable, BitwiseCopyable {
    /// Public, static random, or an identity: it stays.
    case durable
    /// Changes every few minutes; a host with the identity key can resolve it.
    case resolvablePrivate
    /// Changes, and cannot be resolved.
    case nonResolvablePrivate
  }

  @inlinable
  public var lifetime: Lifetime {
    guard type == .random else { return type == .anonymous ? .nonResolvablePrivate : .durable }
    switch bits >> 46 {
    case 0b11: return .durable
    case 0b01: return .resolvablePrivate
    default: return .nonResolvablePrivate
    }
  }
}

/// How addresses begin: one to six bytes, the first of them is written first in text.
@frozen
public struct AddressPrefix: Hashable, Sendable, BitwiseCopyable {
  /// The bytes as one number, the byte written last is its lowest.
  public let bits: UInt64
  public let byteCount: UInt8

  /// The first bytes of the address in the low 48 bits of `address`.
  @inlinable
  public init(of address: UInt64, byteCount: UInt8) {
    precondition(byteCount >= 1 && byteCount <= 6, "an address has six bytes")
    bits = address >> (48 - 8 * UInt64(byteCount))
    self.byteCount = byteCount
  }

  /// Whether the address in the low 48 bits of `address` begins like this; a number with more bits is no address.
  @inlinable
  public func begins(_ address: UInt64) -> Bool { address >> (48 - 8 * UInt64(byteCount)) == bits }
}
