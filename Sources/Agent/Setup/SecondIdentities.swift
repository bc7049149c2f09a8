// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import HCI
import Manifest
import Registry
import Setup

// An accessory that updates itself may come back as something else, from another address. Nothing on the air proves
// that both are one device: the only evidence is that one fell silent, and only then the other appeared.

extension AgentCore {
  /// How long the other device is watched before it counts as the accessory.
  static let secondIdentityMilliseconds: Int64 = 10_000
  /// How long after the last report of the accessory the other device may appear.
  static let secondIdentityGapMilliseconds: Int64 = 120_000

  /// Gives accessories the addresses that they advertise from as their second identities.
  func learnSecondIdentities() {
    for index in dataPath.items.indices {
      let waiting = accessoriesWithSecondIdentity(item: dataPath.items[index])
      guard !waiting.isEmpty else { continue }
      for row in dataPath.liveRows where isUnknownDevice(row, as: index) {
        guard let device = dataPath.pipeline.device(at: row) else { continue }
        let silent = waiting.filter { fellSilent($0, before: device) }
        // When several are gone, this one could be any of them.
        guard silent.count == 1, let accessory = silent.first else { continue }
        follow(
          setupCore.addSecondAddress(dataPath.pipeline.address(at: row), of: accessory.identifier))
      }
    }
  }

  /// Accessories that an item's second identity may stand for, and that have no second address yet.
  private func accessoriesWithSecondIdentity(item: ManifestItem) -> [RegistryAccessory] {
    setupCore.registry.accessories(ofApp: item.app).filter { accessory in
      guard setupCore.registry.device(of: accessory).secondAddress == nil else { return false }
      return accessory.item == item.item.id
        ? item.item.alternate != nil : accessory.isRecognised(byAlternate: item.item.id)
    }
  }

  /// Whether a device that is no app's accessory has been there for a while as the item's second identity.
  private func isUnknownDevice(_ row: Int, as item: Int) -> Bool {
    guard let device = dataPath.pipeline.device(at: row), let view = dataPath.device(atRow: row),
      view.matches.contains(where: { $0.item == item && $0.match.isFound }),
      device.lastSeen.milliseconds(since: device.firstSeen) >= Self.secondIdentityMilliseconds,
      view.address.isIdentityDurable, setupCore.grants.grants(at: view.address).isEmpty
    else { return false }
    let identities = dataPath.items[item].item
    // What an operator let the app add is an item of its own.
    return identities.alternate == nil
      || !view.payloads.contains { identities.descriptor.holds(in: $0, of: view.address) }
  }

  /// Whether the accessory has not been heard since before the device appeared, and not long before.
  private func fellSilent(_ accessory: RegistryAccessory, before device: Device) -> Bool {
    guard let row = dataPath.row(of: setupCore.registry.device(of: accessory)),
      let last = dataPath.pipeline.device(at: row)?.lastSeen
    else { return false }
    return last <= device.firstSeen
      && device.firstSeen.milliseconds(since: last) <= Self.secondIdentityGapMilliseconds
  }
}

// The identity keys by which devices are recognised that change their addresses: those of the manifest's file, and those
// of bonds.

extension AgentCore {
  /// The keys that the data path has to have, one for each device, or two where the file has one in either order. The
  /// key of a bond counts before one of the file: it came from the device itself. A lost bond keeps its key, which is the
  /// device's as long as it has it.
  var identities: [IdentityKey] {
    var known: Set<DeviceAddress> = []
    let bonded = setupCore.registry.devices.compactMap(\.identityKey)
    // A device without private addresses says so with a key of zeros.
    let usable = (bonded + setupCore.newIdentities).filter { key in
      key.key != Block128(high: 0, low: 0) && known.insert(key.identity.settled).inserted
    }
    return usable + configuration.identities.filter { !known.contains($0.identity.settled) }
  }

  /// Brings the data path in line with the bonds. Devices keep their rows and what they were found as.
  func followIdentities() {
    let wanted = identities
    let present = (0..<dataPath.pipeline.identityCount).map { dataPath.pipeline.identity(at: $0) }
    guard wanted != present else { return }
    for key in present where !wanted.contains(key) { dataPath.pipeline.removeIdentity(key, at: radioTime) }
    for key in wanted where !present.contains(key) {
      if dataPath.pipeline.addIdentity(key, at: radioTime) { continue }
      enlargeDataPath(forIdentities: wanted.count)
      _ = dataPath.pipeline.addIdentity(key, at: radioTime)
    }
  }

  /// Goes on with a data path that holds more keys.
  private func enlargeDataPath(forIdentities count: Int) {
    let present = (0..<dataPath.pipeline.identityCount).map { dataPath.pipeline.identity(at: $0) }
    dataPath.reload(
      effectiveManifest, identities: present, identitiesMax: count,
      adapterOffset: configuration.board.rssiOffset ?? 0, at: radioTime)
  }
}

extension RegistryDevice {
  /// The key of the device's bond.
  fileprivate var identityKey: IdentityKey? {
    identity.address.flatMap { bond.record?.keys.identityKey(of: $0.settled) }
  }
}
