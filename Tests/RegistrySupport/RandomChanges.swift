// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
public import Registry
private import VirtualRadio

/// Random changes, many of which are refused: with few apps and devices they conflict often.
public struct RandomChanges {
  private var random: SeededGenerator
  private var drawn: UInt64 = 1000

  public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  public mutating func next(for registry: AccessoryRegistry) -> RegistryChange {
    guard let accessory = anyAccessory(of: registry), random.number(below: 4) > 0 else { return addition() }
    let identifier = accessory.identifier
    switch random.number(below: 17) {
    case 0: return .remove(identifier, leavesTombstone: random.chance(perMille: 500))
    case 1: return .remove(Rows.identifier(random.next()), leavesTombstone: true)
    case 2: return .rename(identifier, displayName: "Name \(random.number(below: 9))")
    case 3: return .rename(identifier, displayName: "", ssid: ssid())
    case 4: return .setState(identifier, random.chance(perMille: 500) ? .authorized : .unauthorized)
    case 5: return .authorize(identifier, ssid: ssid(), bridgingIdentifier: random.next() >> 15)
    case 6: return .setSSID(identifier, ssid())
    case 7:
      let service = random.chance(perMille: 500) ? Rows.wifiAwareService : nil
      return .extend(
        identifier, RegistryExtension(ssid: ssid(), wifiAware: service, alternate: Rows.descriptor))
    case 8: return .addAddress(identifier, address())
    case 9: return .setBond(identifier, bond(), identity: random.chance(perMille: 500) ? address() : nil)
    case 10: return migration(of: registry)
    case 11: return .allow(app: app(), .bluetooth(address()))
    case 12: return .addBondRemoval(address())
    case 13: return .endBondRemoval(address())
    case 14:
      return .setRhythms([
        address(): random.chance(perMille: 300) ? nil : UInt32(random.number(below: 100_000))
      ])
    case 15:
      var replacement = RegistryReplacement(
        of: identifier, by: random.chance(perMille: 800) ? .bluetooth(address()) : .network(ssid()))
      replacement.bond = bond()
      replacement.ssid = ssid()
      return .replaceDevice(replacement)
    default: return .confirmAccount(app: app(), .user(UInt32(random.number(below: 2)) + 1000))
    }
  }

  private mutating func anyAccessory(of registry: AccessoryRegistry) -> RegistryAccessory? {
    registry.accessories.isEmpty
      ? nil : registry.accessories[random.number(below: registry.accessories.count)]
  }

  private mutating func addition() -> RegistryChange {
    drawn += 1
    if random.number(below: 4) == 0 { return Rows.networkAddition(drawn) }
    let change = Rows.addition(drawn, app: app(), device: UInt64(random.number(below: 8)))
    guard case .add(var addition) = change else { return change }
    addition.isHandsFree = random.chance(perMille: 500)
    addition.maxAccessories = 5
    if random.chance(perMille: 300) { addition.wifiAwarePairedDeviceID = random.next() | 1 }
    if random.chance(perMille: 300) { addition.bond = bond() }
    return .add(addition)
  }

  /// An accessory whose item was renamed, and a former identifier of its app.
  private mutating func migration(of registry: AccessoryRegistry) -> RegistryChange {
    drawn += 2
    var additions: [RegistryAddition] = []
    var replaced: Set<RandomIdentifier> = []
    if let accessory = anyAccessory(of: registry) {
      var addition = Rows.readdition(drawn - 1, app: accessory.app)
      addition.identity = registry.device(of: accessory).identity
      replaced.insert(accessory.identifier)
      addition.bluetoothIdentifier = accessory.bluetoothIdentifier ?? addition.bluetoothIdentifier
      additions.append(addition)
    }
    if let former = registry.formers.last {
      var addition = Rows.readdition(drawn, app: former.app, as: former.bluetoothIdentifier)
      addition.identity = .bluetooth(former.address)
      additions.append(addition)
    }
    return .migrate(additions, replacing: replaced)
  }

  private mutating func app() -> String { ["lights", "meters", "locks"][random.number(below: 3)] }
  private mutating func address() -> DeviceAddress { Rows.address(UInt64(random.number(below: 12))) }
  private mutating func ssid() -> [UInt8] { Rows.ssid(UInt64(random.number(below: 4))) }

  private mutating func bond() -> Bond {
    var foreign = Rows.foreignBond
    if random.chance(perMille: 500) { foreign.foreignKeyByteCount = 12 }
    return [.none, .lost(Rows.bond()), .lost(foreign), .bonded(foreign), .bonded(Rows.bond(7))][
      random.number(below: 5)]
  }
}
