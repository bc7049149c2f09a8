// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import VirtualRadio

/// Random manifests that fit the random scenes, and the changes that an integrator makes while the agent runs.
enum RandomManifest {
  static func manifest(dice: inout SeededGenerator) -> GatewayManifest {
    var manifest = GatewayManifest()
    manifest.gateway.radio = .h4("controller")
    manifest.gateway.scan = dice.pick([.auto, .active, .active, .passive])
    setCapacities(&manifest.gateway, dice: &dice)
    manifest.apps = (0..<dice.between(1, 3)).map { app(number: $0, dice: &dice) }
    return manifest
  }

  /// A changed manifest: items stay, change, go and come.
  static func changed(_ manifest: GatewayManifest, dice: inout SeededGenerator) -> GatewayManifest {
    var manifest = manifest
    switch dice.number(below: 6) {
    case 0: break
    case 1: manifest.apps.append(app(number: manifest.apps.count, dice: &dice))
    case 2: _ = manifest.apps.popLast()
    case 3: manifest.gateway.scan = dice.pick([.auto, .active, .passive])
    default:
      for index in manifest.apps.indices { change(&manifest.apps[index], dice: &dice) }
    }
    return manifest
  }

  private static func change(_ app: inout App, dice: inout SeededGenerator) {
    for index in app.items.indices.reversed() {
      switch dice.number(below: 6) {
      case 0: app.items.remove(at: index)
      case 1: app.items[index] = item(number: 20 + dice.number(below: 5), dice: &dice)
      case 2: app.items[index].descriptor = descriptor(dice: &dice)
      case 3: app.items[index].gate.enterRSSI = Int8(dice.between(-55, -45))
      default: break
      }
      if index < app.items.count { setRange(of: &app.items[index]) }
    }
    var known: Set<String> = []
    app.items.removeAll { !known.insert($0.id).inserted }
  }

  /// Mostly room for all devices; sometimes so little that every table overflows.
  private static func setCapacities(_ gateway: inout Gateway, dice: inout SeededGenerator) {
    gateway.changedIntervalMilliseconds = Int32(dice.pick([1000, 1000, 100, 5000]))
    guard dice.chance(perMille: 300) else { return }
    gateway.capacities.devices = Int32(dice.between(4, 20))
    gateway.capacities.longPayloads = Int32(dice.between(0, 3))
    gateway.capacities.matchesPerItem = Int32(dice.between(1, 5))
    gateway.capacities.accessories = 4
    gateway.capacities.events = Int32(dice.between(16, 128))
    gateway.capacities.eventBytes = Int32(dice.between(512, 8192))
  }

  static func app(number: Int, dice: inout SeededGenerator) -> App {
    var app = App(name: "app\(number)", account: .user("user\(number)"))
    app.supports = [.bluetooth, .wifi]
    app.companyIdentifiers = Set(Vocabulary.companies)
    app.services = Set(Vocabulary.services)
    app.names = Set(Vocabulary.nameParts.map { Array($0.utf8) })
    app.items = (0..<dice.between(1, 4)).map { item(number: $0, dice: &dice) }
    return app
  }

  private static func item(number: Int, dice: inout SeededGenerator) -> DisplayItem {
    var item = DisplayItem(id: "item\(number)", name: "Item \(number)")
    item.descriptor = descriptor(dice: &dice)
    if dice.chance(perMille: 150) {
      item.alternate = descriptor(dice: &dice)
    }
    if dice.chance(perMille: 100) { item.gate.txPower = Int8(dice.between(-10, 8)) }
    if dice.chance(perMille: 100) { item.gate.lostMilliseconds = 3000 }
    if dice.chance(perMille: 100) {
      item.gate.enterDwellMilliseconds = 0
      item.gate.samplesMin = 1
    }
    setRange(of: &item)
    return item
  }

  private static func setRange(of item: inout DisplayItem) {
    item.gate.isImmediate = item.descriptor.range == .immediate
  }

  /// A descriptor that `ManifestRules` accepts.
  private static func descriptor(dice: inout SeededGenerator) -> DiscoveryDescriptor {
    var descriptor = DiscoveryDescriptor()
    let usesCompany = dice.chance(perMille: 600)
    if usesCompany {
      descriptor.companyIdentifier = dice.pick(Vocabulary.companies)
      if dice.chance(perMille: 500) { descriptor.manufacturerData = data(dice: &dice) }
    }
    if !usesCompany || dice.chance(perMille: 150) {
      descriptor.serviceUUID = dice.pick(Vocabulary.services)
      if dice.chance(perMille: 300) { descriptor.serviceData = data(dice: &dice) }
    }
    if dice.chance(perMille: 250) {
      descriptor.nameSubstring = Array(dice.pick(Vocabulary.nameParts).utf8)
      descriptor.nameCompareOptions = dice.pick([
        [], [.caseInsensitive], [.anchored], [.anchored, .backwards], [.anchored, .caseInsensitive],
      ])
    }
    if dice.chance(perMille: 400) { descriptor.range = .immediate }
    // It is carried, and changes nothing.
    if dice.chance(perMille: 100) {
      descriptor.wifiAware = WiFiAwareService(serviceName: Array("_lumo._tcp".utf8))
    }
    return descriptor
  }

  private static func data(dice: inout SeededGenerator) -> MaskedBytes? {
    let blob = dice.pick(Vocabulary.blobs.filter { !$0.isEmpty })
    return MaskedBytes(blob: blob, mask: blob.map { _ in dice.pick([0xFF, 0xFF, 0xF0, 0x01, 0]) })
  }
}
