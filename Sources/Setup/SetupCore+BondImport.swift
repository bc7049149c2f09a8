// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest
public import Registry

// Bonds that bluetoothd has made, and that an operator hands over.

extension SetupCore {
  /// Takes a bond over for all accessories of a device. A bond of the gateway that is not lost is kept.
  public mutating func importBond(
    _ identity: DeviceAddress, _ record: BondRecord, takesKeys: Bool, _ call: CallID
  ) throws(OperatorError) -> [SetupEffect] {
    try requireRegistryForOperators()
    guard let device = registry.device(.bluetooth(identity)),
      let accessory = registry.accessories.first(where: { $0.device == device.number })
    else { throw .notFound(.accessory, name: AddressText.text(of: identity.bits)) }
    var record = record
    if case .bonded(let known) = device.bond {
      guard known.owner != .gateway else {
        throw .notImportable(
          "the gateway already has a bond with it, and keeps that one; to replace it, remove the accessory and set it up again"
        )
      }
      // bluetoothd keeps the keys themselves, and the agent may know how long they are, and of one for BR/EDR.
      if record.owner == .bluetoothd {
        record.foreignKeyByteCount = known.foreignKeyByteCount
        record.hasForeignLinkKey = known.hasForeignLinkKey
      }
    }
    guard !flows.flows.contains(where: { $0.isPairing(identity) }) else {
      throw .notImportable("it is being paired; try again afterwards")
    }
    guard record.isAuthenticated || !demandsAuthenticatedBond(device) else {
      throw .notImportable(
        "the bond is not authenticated, as an item in the manifest demands; remove the accessory, and set it up again"
      )
    }
    enqueue(
      .apply(.setBond(accessory.identifier, .bonded(record), identity: identity)),
      .call(call, takesKeys ? .keyHolder : .operator))
    return takeEffects()
  }
}

extension OperatorError {
  fileprivate static func notImportable(_ reason: String) -> Self {
    .invalid(field: "device", reason: reason)
  }
}
