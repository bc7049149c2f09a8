// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A device that the model kernel can pair with.
public struct PairingPeer {
  public enum Behaviour: CaseIterable {
    /// It has neither display nor keys.
    case justWorks
    /// It knows no Secure Connections: two keys.
    case legacy
    /// Both sides show six digits.
    case compares
    /// It shows six digits, which the person types at the gateway.
    case shows
    /// It has keys for the six digits that the gateway shows.
    case types
    /// It refuses every pairing.
    case refuses
    /// It connects, and then says nothing.
    case silent
    /// It is not there.
    case absent
    /// It vanishes when it was asked to pair.
    case vanishes
  }

  public static let digits: UInt32 = 123_456

  public var behaviour: Behaviour
  /// Its address that never changes.
  public var identity: DeviceAddress
  /// It uses private addresses, and gives its identity key away.
  public var isPrivate = true
  /// It has BR/EDR too, and gives a key for it.
  public var isDualMode = false
  /// Which of its private addresses it uses now.
  public var rotation: UInt32 = 1
  /// How often it was reset, which renews its long term keys.
  public var keyNumber: UInt8 = 1

  public init(_ behaviour: Behaviour, number: UInt64 = 0x1E27) {
    self.behaviour = behaviour
    identity = DeviceAddress(bits: 0xC4A1_0000_0000 | number, type: .random)
  }

  public var identityKeyBytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: identity.bits >> 8 &+ identity.bits &+ 0x60 &+ $0) }
  }

  /// Its identity key as a number.
  public var identityKey: IdentityKey {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    let key = Block128(high: number(identityKeyBytes[8..<16]), low: number(identityKeyBytes[0..<8]))
    return IdentityKey(key: key, identity: identity)
  }

  /// The address that it advertises from.
  public var address: DeviceAddress {
    guard isPrivate else { return identity }
    let random = 0x40_0000 | rotation
    let bits = UInt64(random) << 24 | UInt64(IdentityKey.hash(key: identityKey.key, random: random))
    return DeviceAddress(bits: bits, type: .random)
  }

  /// Whether it may advertise from this address.
  func uses(_ address: DeviceAddress) -> Bool {
    isPrivate ? identityKey.resolves(address) : address == identity
  }

  public func longTermKeyBytes(central: UInt8) -> [UInt8] {
    [UInt8](repeating: keyNumber &* 2 &+ central, count: 15) + [UInt8(truncatingIfNeeded: identity.bits)]
  }
}
