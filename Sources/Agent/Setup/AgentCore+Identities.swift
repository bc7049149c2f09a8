// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Registry
import Setup

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
