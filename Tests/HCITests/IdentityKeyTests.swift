// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing

/// The sample data for the random address hash (Core Specification 5.4, Volume 3, Part H, D.7).
@Suite("Identity keys")
struct IdentityKeyTests {
  static let key = Block128(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)
  let identity = IdentityKey(key: key, identity: DeviceAddress(bits: 0xC122_3344_5566, type: .random))

  @Test("The hash of the specification's sample")
  func hash() {
    #expect(IdentityKey.hash(key: Self.key, random: 0x70_8194) == 0x0D_FBAA)
  }

  @Test("An address made of the sample is resolved")
  func resolves() {
    #expect(identity.resolves(DeviceAddress(bits: 0x7081_940D_FBAA, type: .random)))
  }

  @Test("No address one bit away is resolved")
  func oneBitOff() {
    for bit in 0..<48 {
      let address = DeviceAddress(bits: 0x7081_940D_FBAA ^ 1 << UInt64(bit), type: .random)
      #expect(!identity.resolves(address), "bit \(bit)")
    }
  }

  @Test("Only resolvable private addresses are tried")
  func otherKinds() {
    for type in [AddressType.public, .publicIdentity, .randomIdentity, .anonymous] {
      #expect(!identity.resolves(DeviceAddress(bits: 0x7081_940D_FBAA, type: type)))
    }
    let random: UInt32 = 0xF0_8194
    let hash = UInt64(IdentityKey.hash(key: Self.key, random: random))
    #expect(!identity.resolves(DeviceAddress(bits: UInt64(random) << 24 | hash, type: .random)))
  }

  @Test("Another key does not resolve it")
  func otherKey() {
    let other = IdentityKey(
      key: Block128(high: Self.key.high, low: Self.key.low ^ 1), identity: identity.identity)
    #expect(!other.resolves(DeviceAddress(bits: 0x7081_940D_FBAA, type: .random)))
  }
}
