// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing

@Suite("Device addresses")
struct DeviceAddressTests {
  @Test("The two top bits of a random address say how long it lives")
  func lifetimes() {
    func lifetime(_ bits: UInt64) -> DeviceAddress.Lifetime {
      DeviceAddress(bits: bits, type: .random).lifetime
    }
    #expect(lifetime(0xC000_0000_0000) == .durable)
    #expect(lifetime(0xFFFF_FFFF_FFFF) == .durable)
    #expect(lifetime(0x4000_0000_0000) == .resolvablePrivate)
    #expect(lifetime(0x7FFF_FFFF_FFFF) == .resolvablePrivate)
    #expect(lifetime(0x0000_0000_0000) == .nonResolvablePrivate)
    #expect(lifetime(0x3FFF_FFFF_FFFF) == .nonResolvablePrivate)
    #expect(lifetime(0x8000_0000_0000) == .nonResolvablePrivate)
  }

  @Test("Public and identity addresses live on, no address does not")
  func types() {
    for type in [AddressType.public, .publicIdentity, .randomIdentity] {
      #expect(DeviceAddress(bits: 0x4000_0000_0000, type: type).lifetime == .durable)
    }
    #expect(DeviceAddress(bits: 0, type: .anonymous).lifetime == .nonResolvablePrivate)
  }

  @Test("An address has 48 bits, and its type is part of it")
  func identity() {
    let address = DeviceAddress(bits: 0xFFFF_0102_0304_0506, type: .public)
    #expect(address == DeviceAddress(bits: 0x0102_0304_0506, type: .public))
    #expect(address != DeviceAddress(bits: 0x0102_0304_0506, type: .random))
  }
}
