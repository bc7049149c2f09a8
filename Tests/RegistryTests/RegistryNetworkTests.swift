// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Registry
import RegistrySupport
import Testing

@Suite("Accessories that are networks")
struct RegistryNetworkTests {
  private let first = Rows.identifier(2)

  @Test("A network's new name is the new identity of a device without Bluetooth")
  func networkRenamed() throws {
    var registry = AccessoryRegistry()
    try registry.apply(Rows.networkAddition(1))
    try registry.apply(Rows.networkAddition(2, app: "doors"))
    try registry.apply(.rename(first, displayName: "Door", ssid: Rows.ssid(7)))
    #expect(registry.device(.network(Rows.ssid(1))) == nil)
    #expect(registry.accessory(first)?.ssid == Rows.ssid(7))
    #expect(throws: RegistryError.identityTaken) { try registry.apply(.setSSID(first, Rows.ssid(2))) }
    registry.checkInvariants()
  }

  @Test("A network keeps its name while the item of another app needs that", arguments: [true, false])
  func networkNameNeeded(wholeName: Bool) throws {
    guard case .add(var addition) = Rows.networkAddition(2, app: "doors") else { return }
    addition.identity = .network(Rows.ssid(1))
    addition.descriptor = DiscoveryDescriptor()
    if wholeName {
      addition.descriptor.ssid = Rows.ssid(1)
    } else {
      addition.descriptor.ssidPrefix = Rows.ssid(1)
    }
    var registry = AccessoryRegistry()
    try registry.apply(Rows.networkAddition(1))
    try registry.apply(.add(addition))
    let changes: [RegistryChange] = [
      .rename(first, displayName: "Door", ssid: Rows.ssid(7)), .setSSID(first, Rows.ssid(7)),
      .authorize(first, ssid: Rows.ssid(7), bridgingIdentifier: nil),
    ]
    for change in changes {
      #expect(throws: RegistryError.networkNameNeeded) { try registry.apply(change) }
    }
    #expect(registry.devices.map(\.identity) == [.network(Rows.ssid(1))])
    try registry.apply(.remove(Rows.identifier(4), leavesTombstone: false))
    try registry.apply(.setSSID(first, Rows.ssid(7)))
    #expect(registry.accessories.map(\.ssid) == [Rows.ssid(7)])
    registry.checkInvariants()
  }
}
