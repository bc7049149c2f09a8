// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import Manifest
import Registry
import Setup
import Varlink

/// `Registry`: the devices that were removed from the registry, the bonds that bluetoothd is to remove, and former
/// identifiers: of removed accessories, then of those whose item or app has left the manifest; one a reply.
struct RegistryStream: SetupStream {
  private var index = 0
  /// The number of the last accessory that was considered.
  private var last: Int64 = 0

  init() {}

  mutating func nextReply(_ setup: SetupCore, at now: Instant) -> StreamStep {
    let registry = setup.registry
    var index = index
    self.index += 1
    if index < registry.tombstones.count {
      let tombstone = registry.tombstones[index]
      let removed = RegistryLine.Removed(
        app: tombstone.app, item: tombstone.item, device: tombstone.identity.text)
      return reply(RegistryLine(removed: removed))
    }
    index -= registry.tombstones.count
    if index < registry.bondRemovals.count {
      let device = AddressText.text(of: registry.bondRemovals[index].address.bits)
      return reply(RegistryLine(unpairing: RegistryLine.Unpairing(device: device)))
    }
    index -= registry.bondRemovals.count
    if index < registry.formers.count {
      let former = registry.formers[index]
      return reply(former: former.bluetoothIdentifier, ofApp: former.app, former.address)
    }
    return nextOrphan(setup)
  }

  private mutating func nextOrphan(_ setup: SetupCore) -> StreamStep {
    while let next = setup.registry.accessory(
      after: last, where: { setup.status(of: $0) == .orphaned })
    {
      last = next.number
      guard let identifier = next.bluetoothIdentifier,
        let address = setup.registry.device(of: next).identity.address
      else { continue }
      return reply(former: identifier, ofApp: next.app, address)
    }
    return .end(Message.reply())
  }

  private func reply(
    former identifier: RandomIdentifier, ofApp app: String, _ address: DeviceAddress
  ) -> StreamStep {
    let former = RegistryLine.Former(
      app: app, bluetoothIdentifier: identifier.text, device: AddressText.text(of: address.bits))
    return reply(RegistryLine(former: former))
  }

  private func reply(_ line: RegistryLine) -> StreamStep { .reply(Message.line(line)) }
}
