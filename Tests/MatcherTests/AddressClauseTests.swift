// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import TestSupport
import Testing
import VirtualRadio

@Suite("The prefix of an address")
struct AddressClauseTests {
  private static let bits: UInt64 = 0xC47C_8D12_3456
  private static let sensor = DeviceAddress(bits: bits, type: .public)

  @Test("One to six bytes are compared with the beginning")
  func lengths() {
    var matcher = CompiledMatcher(
      DiscoveryDescriptor().address("C4"), DiscoveryDescriptor().address("C4:7C:8D"),
      DiscoveryDescriptor().address("C4:7C:8D:12:34:56"), DiscoveryDescriptor().address("C4:7C:8E"),
      DiscoveryDescriptor().address("7C:8D"))
    #expect(matcher.find([], of: Self.sensor) == .items(0, 1, 2))
    #expect(matcher.find([], of: DeviceAddress(bits: Self.bits + 1, type: .public)) == .items(0, 1))
    #expect(matcher.find([], of: DeviceAddress(bits: 0x7C8D << 32, type: .public)) == .items(4))
  }

  @Test("Only an address that stays has a beginning")
  func lifetimes() {
    var matcher = CompiledMatcher(
      DiscoveryDescriptor().address("C4"), DiscoveryDescriptor().address("44"),
      DiscoveryDescriptor().address("04"))
    #expect(matcher.find([], of: DeviceAddress(bits: Self.bits, type: .random)) == .items(0))
    #expect(matcher.find([], of: DeviceAddress(bits: Self.bits, type: .publicIdentity)) == .items(0))
    #expect(matcher.find([], of: DeviceAddress(bits: 0x44 << 40, type: .random)) == .nothing)
    #expect(matcher.find([], of: DeviceAddress(bits: 0x04 << 40, type: .random)) == .nothing)
    #expect(matcher.find([], of: DeviceAddress(bits: 0x44 << 40, type: .public)) == .items(1))
    #expect(matcher.find([]) == .nothing)
  }

  @Test("It holds together with the other clauses")
  func together() {
    var matcher = CompiledMatcher(
      .company(Sample.company).address("C4:7C"), DiscoveryDescriptor().named("Lumo").address("C4:7C"))
    let company = AdvertisingPayload.testCompany([]).bytes
    let name = AdvertisingPayload().name("Lumo").bytes
    let other = DeviceAddress(bits: 1, type: .public)
    #expect(matcher.find(company, response: name, of: Self.sensor) == .items(0, 1))
    #expect(matcher.find(company, of: Self.sensor) == .items(0))
    #expect(matcher.find(name, of: Self.sensor) == .items(1))
    #expect(matcher.find(company, response: name, of: other) == .nothing)
  }

  @Test("It is written as addresses are", arguments: ["C4", "C4:7C:8D", "C4:7C:8D:12:34:56"])
  func text(written: String) throws {
    #expect(AddressText.text(of: try #require(AddressText.prefix(written))) == written)
    #expect(AddressText.prefix(written.lowercased()) == AddressText.prefix(written))
  }

  @Test(
    "Anything else is none",
    arguments: ["", "C", "C47C", "C4:", ":C4", "C4:7", "C4:7C:8D:12:34:56:78", "G0"])
  func malformed(written: String) { #expect(AddressText.prefix(written) == nil) }
}
