// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry

/// A change of one kind, and the changes that have to precede it.
public struct Scenario: Sendable {
  public let name: String
  public let before: [RegistryChange]
  public let change: RegistryChange

  /// Returns the registry before the change.
  public func registryBefore() throws -> AccessoryRegistry {
    var registry = AccessoryRegistry()
    for change in before { try registry.apply(change) }
    return registry
  }
}

extension Scenario {
  private static let first = Rows.identifier(2)

  /// Two apps share a device, one of them has a network too, and something was removed.
  private static let busy: [RegistryChange] = [
    Rows.addition(1), Rows.addition(2, app: "meters", item: nil, device: 1), Rows.networkAddition(3),
    Rows.addition(4), .remove(Rows.identifier(8), leavesTombstone: true),
  ]

  /// Each kind of change, some more than once.
  public static let all: [Scenario] = [
    Scenario(name: "add to nothing", before: [], change: Rows.addition(1)),
    Scenario(name: "add", before: busy, change: Rows.addition(5)),
    Scenario(name: "add a known device", before: busy, change: Rows.addition(5, app: "third", device: 1)),
    Scenario(name: "add what was removed", before: busy, change: Rows.addition(5, device: 4)),
    Scenario(name: "remove one of two", before: busy, change: .remove(first, leavesTombstone: true)),
    Scenario(
      name: "remove the last", before: [Rows.addition(1)], change: .remove(first, leavesTombstone: false)),
    Scenario(name: "rename", before: busy, change: .rename(first, displayName: "Küche")),
    Scenario(
      name: "rename with network", before: busy,
      change: .rename(Rows.identifier(6), displayName: "Door", ssid: Rows.ssid(9))),
    Scenario(name: "set state", before: busy, change: .setState(first, .unauthorized)),
    Scenario(
      name: "authorize", before: busy,
      change: .authorize(first, ssid: Rows.ssid(7), bridgingIdentifier: 0xAABB_CCDD_EEFF)),
    Scenario(name: "set SSID", before: busy, change: .setSSID(Rows.identifier(6), Rows.ssid(8))),
    Scenario(
      name: "extend", before: busy,
      change: .extend(first, RegistryExtension(ssidPrefix: [0x41], alternate: Rows.descriptor))),
    Scenario(name: "add an address", before: busy, change: .addAddress(first, Rows.address(77))),
    Scenario(
      name: "bond", before: busy,
      change: .setBond(first, .bonded(Rows.bond()), identity: Rows.address(78))),
    Scenario(
      name: "remove bluetoothd's bond",
      before: [
        Rows.addition(1), .setBond(first, .bonded(Rows.foreignBond)), .addBondRemoval(Rows.address(3)),
      ],
      change: .remove(first, leavesTombstone: true)),
    Scenario(
      name: "end a bond's removal", before: busy + [.addBondRemoval(Rows.address(3))],
      change: .endBondRemoval(Rows.address(3))),
    Scenario(
      name: "replace a device", before: busy + [.setBond(first, .bonded(Rows.foreignBond))],
      change: .replaceDevice(RegistryReplacement(of: first, by: .bluetooth(Rows.address(79))))),
    Scenario(name: "allow", before: busy, change: .allow(app: "lights", .bluetooth(Rows.address(4)))),
    Scenario(name: "confirm", before: busy, change: .confirmAccount(app: "lights", .user(1001))),
    Scenario(
      name: "migrate", before: busy,
      change: .migrate([Rows.readdition(5, device: 4, as: Rows.identifier(9)), Rows.readdition(6)])),
  ]
}
