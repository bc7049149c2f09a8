// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Registry
import RegistrySupport
import Testing

@Suite("Removals of bonds that bluetoothd keeps")
struct BondRemovalTests {
  private let accessory = Rows.identifier(2)
  private let address = Rows.address(1)

  private func registry(_ changes: RegistryChange...) throws -> AccessoryRegistry {
    var registry = AccessoryRegistry()
    for change in changes {
      try registry.apply(change)
      registry.checkInvariants()
    }
    return registry
  }

  @Test("A removal is stored with the removal of the accessory, until it ends")
  func stored() throws {
    var registry = try registry(
      Rows.addition(1), .setBond(accessory, .lost(Rows.foreignBond)),
      .remove(accessory, leavesTombstone: false))
    #expect(registry.bondRemovals.map(\.address) == [address])
    #expect(try registry.apply(.addBondRemoval(address)).writes.isEmpty)
    #expect(try registry.apply(.endBondRemoval(address)).writes == [.drop(.bondRemoval, number: 1)])
    #expect(try registry.apply(.endBondRemoval(address)).writes.isEmpty)
    // The gateway's own keys are in the registry only.
    let own = try self.registry(
      Rows.addition(1), .setBond(accessory, .bonded(Rows.bond())), .remove(accessory, leavesTombstone: false))
    #expect(own.bondRemovals.isEmpty)
  }

  @Test("A bond of an accessory that is to be removed is lost, and one that is made again is not removed")
  func bonds() throws {
    var registry = try registry(
      Rows.addition(1), .setBond(accessory, .bonded(Rows.foreignBond)), .addBondRemoval(address))
    #expect(registry.devices.map(\.bond) == [.lost(Rows.foreignBond)])
    try registry.apply(.setBond(accessory, .bonded(Rows.bond())))
    #expect(registry.bondRemovals.map(\.address) == [address], "bluetoothd's own is still to go")
    try registry.apply(.setBond(accessory, .bonded(Rows.foreignBond)))
    registry.checkInvariants()
    #expect(registry.bondRemovals.isEmpty)
  }

  @Test("A new removal replaces the oldest when there is no room")
  func full() throws {
    var registry = AccessoryRegistry()
    for n in 1...UInt64(RegistryLimits.bondRemovalsMax) + 1 {
      try registry.apply(.addBondRemoval(Rows.address(n)))
    }
    registry.checkInvariants()
    #expect(registry.bondRemovals.count == RegistryLimits.bondRemovalsMax)
    #expect(registry.bondRemovals.first?.address == Rows.address(2))
  }

  @Test("A registry in whose place another comes leaves bluetoothd the bonds that the other does not have")
  func replacement() throws {
    let old = try registry(
      Rows.addition(1), .setBond(accessory, .bonded(Rows.foreignBond)), Rows.addition(2),
      .setBond(Rows.identifier(4), .bonded(Rows.bond())), .addBondRemoval(Rows.address(5)))
    #expect(old.bondsLeftToBluetoothd(by: AccessoryRegistry()) == [Rows.address(5), address])
    #expect(try old.bondsLeftToBluetoothd(by: registry(.addBondRemoval(address))) == [Rows.address(5)])
    #expect(old.bondsLeftToBluetoothd(by: old).isEmpty)
  }

  @Test("Rows that name an accessory's bond, or one bond twice, are refused")
  func violations() throws {
    let rows = try registry(Rows.addition(1), .setBond(accessory, .bonded(Rows.foreignBond))).rows
    let removal = RegistryRow.bondRemoval(BondRemoval(number: 7, address: address))
    #expect(throws: RegistryConsistencyError.repeatedBondRemoval(number: 7)) {
      try AccessoryRegistry(rows + [removal])
    }
    let second = RegistryRow.bondRemoval(BondRemoval(number: 8, address: address))
    #expect(throws: RegistryConsistencyError.repeatedBondRemoval(number: 8)) {
      try AccessoryRegistry([removal, second])
    }
    let anonymous = DeviceAddress(bits: 0, type: .anonymous)
    #expect(throws: RegistryConsistencyError.invalid(.bondRemoval, number: 7, .identity)) {
      try AccessoryRegistry([.bondRemoval(BondRemoval(number: 7, address: anonymous))])
    }
  }
}
