// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Registry
import RegistrySupport
import Testing

@Suite("Replacements of devices in the registry")
struct RegistryReplacementTests {
  private let first = Rows.identifier(2)
  private let new = Rows.address(77)

  /// Two apps have the device 1, one of them through an item, and the device has a bond and a second address.
  private func registry(_ more: RegistryChange...) throws -> AccessoryRegistry {
    var registry = AccessoryRegistry()
    let shared = [
      Rows.addition(1), Rows.addition(2, app: "meters", item: nil, device: 1),
      .setBond(first, .bonded(Rows.foreignBond)), .addAddress(first, Rows.address(70)),
      .setRhythms([Rows.address(1): 60_000]),
    ]
    for change in shared + more {
      try registry.apply(change)
      registry.checkInvariants()
    }
    return registry
  }

  private func replaced(
    _ registry: AccessoryRegistry, by identity: DeviceIdentity, bond: Bond = .none
  ) throws -> AccessoryRegistry {
    var registry = registry
    var replacement = RegistryReplacement(of: first, by: identity)
    replacement.bond = bond
    try registry.apply(.replaceDevice(replacement))
    registry.checkInvariants()
    return registry
  }

  @Test("Identifiers, names, states and accounts stay in all apps; what was known of the old device goes")
  func stays() throws {
    let before = try registry()
    let after = try replaced(before, by: .bluetooth(new), bond: .bonded(Rows.bond()))
    #expect(after.accessories == before.accessories && after.accounts == before.accounts)
    #expect(after.formers.isEmpty)
    let device = try #require(after.devices.first)
    #expect(after.devices.count == 1 && device.displayName == before.devices[0].displayName)
    #expect(device.identity == .bluetooth(new) && device.secondAddress == nil)
    #expect(device.bond == .bonded(Rows.bond()) && device.rhythmMilliseconds == nil)
    #expect(after.device(.bluetooth(Rows.address(1))) == nil)
  }

  @Test("The old device is not set up again without a person, and bluetoothd is to remove its bond")
  func forgotten() throws {
    let after = try replaced(registry(), by: .bluetooth(new))
    #expect(after.bondRemovals.map(\.address) == [Rows.address(1)])
    #expect(after.isRemoved(.bluetooth(Rows.address(1)), app: "lights", item: "bulb"))
    #expect(after.isRemoved(.bluetooth(Rows.address(70)), app: "lights", item: "bulb"), "its second address")
    #expect(after.tombstones.map(\.app) == ["lights"], "an item of a call leaves none")
  }

  @Test("A device that was removed before is allowed again, because an operator has chosen it")
  func allows() throws {
    let before = try registry(
      Rows.addition(5, device: 77), .remove(Rows.identifier(10), leavesTombstone: true))
    #expect(before.isRemoved(.bluetooth(new), app: "lights", item: "bulb"))
    let after = try replaced(before, by: .bluetooth(new))
    #expect(!after.isRemoved(.bluetooth(new), app: "lights", item: "bulb"))
  }

  @Test("A device that has drawn another address and comes back to its old one is the same accessory still")
  func back() throws {
    let there = try replaced(registry(), by: .bluetooth(new))
    let back = try replaced(there, by: .bluetooth(Rows.address(1)))
    #expect(back.accessories == there.accessories)
    #expect(!back.isRemoved(.bluetooth(Rows.address(1)), app: "lights", item: "bulb"))
    #expect(back.isRemoved(.bluetooth(new), app: "lights", item: "bulb"))
  }

  @Test("What another accessory has, what has no Bluetooth, and an accessory that is gone are refused")
  func refused() throws {
    let before = try registry(Rows.addition(6))
    #expect(throws: RegistryError.identityTaken) { try replaced(before, by: .bluetooth(Rows.address(6))) }
    #expect(throws: RegistryError.invalid(.identity)) { try replaced(before, by: .network(Rows.ssid(1))) }
    var gone = before
    try gone.apply(.remove(first, leavesTombstone: false))
    #expect(throws: RegistryError.unknownAccessory) { try replaced(gone, by: .bluetooth(new)) }
  }

  @Test("An accessory that is found by its network gets the name of another, if all its apps look for that")
  func network() throws {
    var registry = AccessoryRegistry()
    try registry.apply(Rows.networkAddition(3))
    let camera = Rows.identifier(6)
    try registry.apply(.replaceDevice(RegistryReplacement(of: camera, by: .network(Rows.ssid(8)))))
    registry.checkInvariants()
    #expect(registry.accessories.map(\.ssid) == [Rows.ssid(8)])
    #expect(registry.devices.map(\.identity) == [.network(Rows.ssid(8))])
    let other = RegistryReplacement(of: camera, by: .network(Array("Door".utf8)))
    #expect(throws: RegistryError.networkNameNeeded) { try registry.apply(.replaceDevice(other)) }
  }

  @Test("Only a change that carries a bond carries keys")
  func keys() {
    var replacement = RegistryReplacement(of: first, by: .bluetooth(new))
    #expect(!RegistryChange.replaceDevice(replacement).carriesKeys)
    replacement.bond = .bonded(Rows.bond())
    #expect(RegistryChange.replaceDevice(replacement).carriesKeys)
  }
}
