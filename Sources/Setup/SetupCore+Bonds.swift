// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Pairing
public import Registry

// Bonds after their setup: lost, made again, and removed with the last accessory.

extension SetupCore {
  /// Reports changed bonds, and has the bonds removed whose devices are no accessories any longer.
  mutating func followBonds(from old: AccessoryRegistry) {
    let before = old.bonds
    guard before != bonds else { return }
    note(.bonds)
    for removal in old.bondRemovals {
      // A bond that the gateway has made leaves bluetoothd's older one to be removed.
      guard case .bonded(let record)? = registry.device(.bluetooth(removal.address))?.bond,
        record.owner == .bluetoothd
      else { continue }
      add(.pairing(.keepBond(removal.address)))
    }
    for former in before {
      guard let record = former.bond.record,
        registry.device(.bluetooth(former.identity))?.bond.record == nil
      else { continue }
      add(.pairing(.unpair(former.identity, record.owner)))
    }
  }

  // MARK: - Lost bonds

  /// The device, or the owner of the bond, no longer has its keys.
  mutating func loseBond(of identity: DeviceAddress) {
    guard let (change, _) = bondLoss(of: identity) else { return }
    enqueue(change, .bondLoss)
  }

  /// The program that keeps the bond with the device of this identity; nil if there is none, or it is lost or about to be.
  public func ownerOfGoodBond(with identity: DeviceAddress) -> BondOwner? {
    bondLoss(of: identity.settled)?.owner
  }

  private func bondLoss(of identity: DeviceAddress) -> (change: RegistryQueue.Change, owner: BondOwner)? {
    guard let device = registry.device(.bluetooth(identity)), case .bonded(let record) = device.bond,
      let accessory = registry.accessories.first(where: { $0.device == device.number })
    else { return nil }
    let change = RegistryQueue.Change.apply(.setBond(accessory.identifier, .lost(record)))
    guard !isReplacing, !queue.pending.contains(where: { $0.change == change }) else { return nil }
    return (change, record.owner)
  }

  /// Has the bonds removed that bluetoothd was to remove before.
  mutating func removeBondsOfBluetoothd() {
    for removal in registry.bondRemovals { add(.pairing(.unpair(removal.address, .bluetoothd))) }
  }

  // MARK: - Pairing again

  /// Pairs the device of an accessory again whose bond was lost. The request is open from here on; its identifiers stay.
  /// `capability` is what the persons at the gateway can do.
  public mutating func pairAgain(
    _ text: String, capability: IOCapability
  ) throws(OperatorError) -> (RandomIdentifier, [SetupEffect]) {
    let accessory = try accessory(text)
    let device = registry.device(of: accessory)
    guard let address = device.identity.address else { throw .notPairable("it has no Bluetooth") }
    switch device.bond {
    case .none: throw .notPairable("its device was never paired; remove it, and set it up again")
    case .bonded: throw .notPairable("its bond is not lost; remove it, and set it up again, for another bond")
    case .lost: break
    }
    let devices = registry.accessories.filter { $0.device == device.number }.map(\.identifier)
    if let open = flows.flows.first(where: { $0.question.map { devices.contains($0.accessory) } ?? false }) {
      throw .busy(open.id)
    }
    if let replacing = flows.flows.first(where: \.isReplacing) { throw .busy(replacing.id) }
    let request: PairingRequest
    do throws(SetupError) { request = try renewal(of: device, at: address, capability) } catch {
      throw .setupFailed(error)
    }
    let id = random.draw()
    counters.requestsOpened += 1
    let question = SetupQuestion(accessory: accessory.identifier, change: .pair, call: nil)
    flows.append(
      SetupFlow(
        id, app: accessory.app, .operator, question, displayName: device.displayName, at: now))
    let now = now
    change(id) { $0.pair(request, at: now) }
    announce(id)
    return (id, takeEffects())
  }

  private func renewal(
    of device: RegistryDevice, at address: DeviceAddress, _ capability: IOCapability
  ) throws(SetupError) -> PairingRequest {
    let isDemanded = demandsAuthenticatedBond(device)
    if isDemanded, capability == .none { throw .noPersonCanAuthenticate }
    if flows.flows.contains(where: { $0.isPairing(address) }) { throw .isBeingPaired }
    try requireNoPairing()
    return PairingRequest(
      nextPairing, address, capability, demandsAuthentication: isDemanded,
      isInputDevice: isInputDevice(device), replacesBond: true)
  }

  /// Whether some app has the device as an input device.
  public func isInputDevice(_ device: RegistryDevice) -> Bool {
    registry.accessories.contains {
      $0.device == device.number && $0.descriptor.supportedOptions.contains(.bluetoothHID)
    }
  }

  /// Stores the new bond of a device that was paired again.
  mutating func writeRenewal(
    _ flow: RandomIdentifier, of accessory: RandomIdentifier, _ device: PairedDevice
  ) {
    change(flow) { $0.write() }
    enqueue(
      .apply(.setBond(accessory, .bonded(device.record), identity: device.identity)), .renewal(flow: flow))
  }

  mutating func renewalWasWritten(_ id: RandomIdentifier, _ result: ChangeResult) {
    guard let accessory = flows.flow(id)?.question?.accessory else { return }
    let displayName = view(accessory)?.displayName
    change(id) { $0.close(result.setupFailure, displayName: displayName) }
    endIfAbandoned(id)
  }

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
    guard !isReplacing, !flows.flows.contains(where: { $0.isPairing(identity) }) else {
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
  fileprivate static func notPairable(_ reason: String) -> Self {
    .invalid(field: "accessory", reason: reason)
  }

  fileprivate static func notImportable(_ reason: String) -> Self {
    .invalid(field: "device", reason: reason)
  }
}

extension RegistryAddition {
  /// Takes the bond that a flow has made. The device is known by its identity address from here on. A device that an item
  /// has paired, and a flow has not, had a bond.
  mutating func takeBond(of flow: SetupFlow) {
    guard let device = flow.pairing?.device else {
      needsBond = descriptor.supportedOptions.contains(.bluetoothPairingLE) && identity.address != nil
      return
    }
    bond = .bonded(device.record)
    identity = .bluetooth(device.identity)
    isIdentityDurable = true
  }
}
