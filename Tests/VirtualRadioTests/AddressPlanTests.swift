// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Testing
import VirtualRadio

@Suite struct AddressPlanTests {
  private let key = Block128(high: 0xEC02_34A3_57C8_AD05, low: 0x3410_10A6_0A39_7D9B)

  @Test func aResolvableAddressChangesWithEachRotationAndAlwaysResolves() {
    let plan = AddressPlan.resolvable(key: key, rotationSeconds: 20)
    let addresses = (0..<100).map { plan.address(at: .seconds($0), seed: 5) }
    #expect(Set(addresses).count == 5)
    let identity = IdentityKey(key: key, identity: .bulb)
    #expect(addresses.allSatisfy { $0.lifetime == .resolvablePrivate && identity.resolves($0) })
    #expect(addresses[0] == addresses[19] && addresses[19] != addresses[20])
  }

  @Test func anotherKeyResolvesNone() {
    let other = IdentityKey(key: Block128(high: 1, low: 2), identity: .bulb)
    let plan = AddressPlan.resolvable(key: key, rotationSeconds: 1)
    #expect(!(0..<100).contains { other.resolves(plan.address(at: .seconds($0), seed: 5)) })
  }

  @Test func everyPlanMakesAddressesOfItsKind() {
    let time = Instant.seconds(7)
    let address = { (plan: AddressPlan) in plan.address(at: time, seed: 1) }
    #expect(address(.public(0xA4C1_3800_0001)) == DeviceAddress(bits: 0xA4C1_3800_0001, type: .public))
    #expect(address(.staticRandom(1)) == DeviceAddress(bits: 0xC000_0000_0001, type: .random))
    #expect(address(.nonResolvable(rotationSeconds: 9)).lifetime == .nonResolvablePrivate)
    #expect(address(.nonResolvable(rotationSeconds: 9)).type == .random)
    #expect(address(.anonymous) == .anonymous)
  }

  @Test func differentSeedsGiveDifferentPrivateAddresses() {
    let plan = AddressPlan.nonResolvable(rotationSeconds: 900)
    #expect(plan.address(at: .seconds(0), seed: 1) != plan.address(at: .seconds(0), seed: 2))
  }
}

extension Instant {
  static func seconds(_ seconds: Int64) -> Self { Instant(microseconds: seconds * 1_000_000) }
}
