// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest
public import Pairing
public import Registry

// Pairing during a setup, and the bonds of devices.

extension SetupCore {
  /// The bonds of all devices, in the order in which the devices were added.
  public var bonds: [DeviceBond] { registry.bonds }

  /// The identity keys of devices that were paired and are not in the registry yet, because a person names them for
  /// instance.
  public var newIdentities: [IdentityKey] {
    flows.flows.compactMap { flow in
      guard !flow.state.isFinished, let device = flow.pairing?.device else { return nil }
      return device.record.keys.identityKey(of: device.identity)
    }
  }

  func bond(of accessory: RandomIdentifier) -> Bond {
    registry.accessory(accessory).map { registry.device(of: $0).bond } ?? .none
  }

  // MARK: - Whether and how a device is paired

  /// Returns how a device is paired for an item before a person's choice is followed; nil when it needs no pairing.
  func pairing(
    with device: DeviceIdentity, _ item: DisplayItem, _ capability: IOCapability,
    replacing replaced: Replaced? = nil
  ) throws(OperatorError) -> PairingRequest? {
    do throws(SetupError) {
      return try pairingRequest(
        device, item, capability, isUnattended: false, replacing: replaced?.device)
    } catch {
      throw .invalid(field: "candidate", reason: "\(error.reason); \(error.cure)")
    }
  }

  /// Returns how a device is paired for an item; nil when it needs no pairing, as a network does. `isUnattended`: no
  /// person chose it. It is paired as every app needs it that has the device which it replaces.
  func pairingRequest(
    _ device: DeviceIdentity, _ item: DisplayItem, _ capability: IOCapability, isUnattended: Bool,
    replacing replaced: RegistryDevice? = nil
  ) throws(SetupError) -> PairingRequest? {
    let options = item.descriptor.supportedOptions.union(replaced.map(options) ?? [])
    guard options.contains(.bluetoothPairingLE), let address = device.address?.settled else { return nil }
    if isUnattended, item.pairing != .justWorks { throw .pairingNeedsPerson }
    guard !flows.flows.contains(where: { $0.isPairing(address) }) else { throw .isBeingPaired }
    let known = registry.device(.bluetooth(address))
    let demandsAuthentication =
      item.pairing == .authenticated || (replaced ?? known).map(demandsAuthenticatedBond) ?? false
    var isLost = false
    switch known?.bond {
    case .bonded(let record):
      guard record.isAuthenticated || !demandsAuthentication else { throw .bondIsNotAuthenticated }
      return nil
    case .lost:
      if isUnattended { throw .lostBondIsKept }
      isLost = true
    case .some(.none), nil: break
    }
    if demandsAuthentication, capability == .none {
      throw isUnattended ? .pairingNeedsPerson : .noPersonCanAuthenticate
    }
    try requireNoPairing()
    return PairingRequest(
      nextPairing, known?.identity.address ?? address, capability,
      demandsAuthentication: demandsAuthentication,
      isInputDevice: options.contains(.bluetoothHID), replacesBond: isLost)
  }

  func requireNoPairing() throws(SetupError) {
    if flows.flows.contains(where: \.isPairing) { throw PairingError.busy.setupFailure }
  }

  /// The name of the next pairing. ``FlowTable/pairingCount`` counts it once a flow has it.
  var nextPairing: PairingID { PairingID(flows.pairingCount + 1) }

  /// Whether an item of some accessory of the device demands an authenticated bond.
  public func demandsAuthenticatedBond(_ device: RegistryDevice) -> Bool {
    configuration.hasAuthenticatedItems
      && registry.accessories.contains { $0.device == device.number && demandsAuthenticatedBond($0) }
  }

  private func demandsAuthenticatedBond(_ accessory: RegistryAccessory) -> Bool {
    accessory.item.flatMap { configuration.item($0, ofApp: accessory.app) }?.pairing == .authenticated
  }

  /// Whether an item has come to demand an authenticated bond that the device lacks: no app may connect to it. A lost
  /// bond is another matter, because pairing the device again satisfies the item.
  public func lacksAuthenticatedBond(_ device: RegistryDevice) -> Bool {
    device.bond.isUnauthenticated && demandsAuthenticatedBond(device)
  }

  /// Whether it is the item of this accessory that demands the authenticated bond.
  public func lacksAuthenticatedBond(_ accessory: RegistryAccessory) -> Bool {
    demandsAuthenticatedBond(accessory) && registry.device(of: accessory).bond.isUnauthenticated
  }

  // MARK: - What the backend reports

  /// Receives what a backend reports.
  public mutating func receive(_ report: PairingAction) -> [SetupEffect] {
    switch report {
    case .ask(let id, let question):
      // Operators see the question in the request.
      if let flow = flows.flow(pairing: id) {
        change(flow.id) { $0.ask(question) }
      } else {
        add(.pairing(.cancel(id)))
      }
    case .ended(let id, let result): pairingEnded(id, result)
    case .bondWasLost(let identity): loseBond(of: identity.settled)
    // The next run of the agent has to know.
    case .removalWaits(let device): enqueue(.apply(.addBondRemoval(device.settled)), .bondRemoval)
    case .removalEnded(let device): enqueue(.apply(.endBondRemoval(device.settled)), .bondRemoval)
    case .foreignAttemptRefused, .commandWasRejected, .busMessageWasIgnored: break
    }
    return takeEffects()
  }

  private mutating func pairingEnded(_ id: PairingID, _ result: Result<PairedDevice, PairingError>) {
    switch (flows.flow(pairing: id), result) {
    case (let flow?, .success(let device)): pairingSucceeded(flow, device)
    case (let flow?, .failure(let error)): failPairing(of: flow, error.failure(of: flow), isOver: true)
    // The flow had ended before.
    case (nil, .success(let device)): undoPairing(with: device)
    case (nil, .failure): break
    }
  }

  private mutating func pairingSucceeded(_ flow: SetupFlow, _ device: PairedDevice) {
    change(flow.id) { $0.completePairing(device) }
    if let failure = reasonBondIsRefused(device, of: flow) {
      return failPairing(of: flow, failure, isOver: true)
    }
    log(.paired(app: flow.app, device.method, isAuthenticated: device.record.isAuthenticated))
    // The change that writes the bond ends this. If the agent ends before, its next run has the bond removed. The disk may
    // not have written it when bluetoothd had paired.
    if device.record.owner == .bluetoothd {
      enqueue(.apply(.addBondRemoval(device.identity.settled)), .bondRemoval)
    }
    if let question = flow.question { return writeRenewal(flow.id, of: question.accessory, device) }
    guard flow.picker != nil else { return changeQuietly(flow.id) { $0.add(flow.id, name: nil) } }
    nameAndAdd(flow.id)
  }

  /// Returns why a new bond is undone; nil when it may be kept. Only the pairing shows which device it was: a device that
  /// was not known by its address may have a bond for other apps. Any device can claim the identity of another one, so a
  /// good bond is never replaced.
  private func reasonBondIsRefused(_ device: PairedDevice, of flow: SetupFlow) -> SetupError? {
    let known = registry.device(.bluetooth(device.identity))
    if case .bonded = known?.bond { return .identityHasBond }
    if flow.isWithoutPerson, known?.bond.record != nil { return .lostBondIsKept }
    let isDemanded =
      flow.pairing?.request.demandsAuthentication ?? false || known.map(demandsAuthenticatedBond) ?? false
    guard isDemanded, !device.record.isAuthenticated else { return nil }
    return PairingError.notAuthenticated(device.method).setupFailure
  }

  private mutating func failPairing(of flow: SetupFlow, _ failure: SetupError, isOver: Bool) {
    log(.pairingFailed(app: flow.app, reason: failure.reason))
    change(flow.id) { $0.failPairing(failure, isOver: isOver) }
    if case .automatic(let key) = flow.origin { failAutomatic(key, failure) }
  }

  /// Ends a pairing whose backend has not reported its end in time.
  mutating func giveUpPairing(of flow: SetupFlow) {
    let error = PairingError.timeout(isAsking: flow.pairing?.question != nil)
    failPairing(of: flow, error.failure(of: flow), isOver: false)
  }

  /// Takes back the bond of a device that did not become an accessory. bluetoothd has lost an older bond of its own by it;
  /// the keys of the gateway's are in the registry.
  mutating func undoPairing(with device: PairedDevice) {
    let known = registry.device(.bluetooth(device.identity))
    // The registry has this bond: an accessory was written that its app cannot see now.
    if let known, known.bond == .bonded(device.record), !device.record.isEmpty { return }
    add(.pairing(.unpair(device.identity, device.record.owner)))
    if device.record.owner == .bluetoothd, known?.bond.record?.owner == .bluetoothd {
      loseBond(of: device.identity)
    }
    // The keys of an older bond went with the new ones, and are loaded again.
    note(.bonds)
  }

  // MARK: - The person's answer

  /// Passes on the answer to the open question of a request.
  /// - Parameters:
  ///   - matches: Whether the device shows the same digits.
  ///   - digits: The six digits that the device shows.
  public mutating func answerPairing(
    _ request: String, matches: Bool?, digits: String?
  ) throws(OperatorError) -> [SetupEffect] {
    let flow = try openRequest(request)
    guard case .pairing(let id, _) = flow.state, let question = flow.pairing?.question else {
      throw .invalid(
        field: "request", reason: "it asks for no digits now; another operator may have answered")
    }
    let answer = try Self.answer(to: question, matches: matches, digits: digits)
    change(flow.id) { $0.ask(nil) }
    add(.pairing(.answer(id, answer)))
    return takeEffects()
  }

  /// An operator who could answer has left: ends the pairing whose question no other operator can answer. Digits that
  /// are typed at the device need no answer. `capability` is what the persons who are left can do.
  public mutating func operatorLeft(_ capability: IOCapability) -> [SetupEffect] {
    for flow in flows.flows where flow.isPairing {
      guard let question = flow.pairing?.question, !capability.canAnswer(question) else { continue }
      change(flow.id) { $0.finish(.noOperatorIsLeft) }
    }
    return takeEffects()
  }

  private static func answer(
    to question: PairingQuestion, matches: Bool?, digits: String?
  ) throws(OperatorError) -> PairingAnswer {
    switch question {
    case .compare:
      guard let matches, digits == nil else {
        throw .invalid(
          field: "matches", reason: "say whether the device shows the same digits: true or false")
      }
      return .digitsMatch(matches)
    case .enterDigits:
      guard let digits, matches == nil, digits.utf8.count == 6,
        digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt32(digits)
      else { throw .invalid(field: "digits", reason: "give the six digits that the device shows") }
      return .digits(number)
    case .showDigits:
      throw .invalid(field: "request", reason: "the digits are typed at the device, and need no answer here")
    }
  }
}

extension AccessoryRegistry {
  var bonds: [DeviceBond] {
    devices.compactMap { device in
      guard device.bond.record != nil, let identity = device.identity.address else { return nil }
      return DeviceBond(identity, device.bond)
    }
  }
}

extension IOCapability {
  fileprivate func canAnswer(_ question: PairingQuestion) -> Bool {
    switch (question, self) {
    case (.showDigits, _), (.compare, .displayYesNo), (.enterDigits, .keyboardOnly), (_, .keyboardDisplay):
      true
    default: false
    }
  }
}

extension SetupError {
  fileprivate static let noOperatorIsLeft = userCancelled(
    reason: "the operator who was asked about digits has disconnected, and no other operator can answer")
}

extension PairingError {
  fileprivate func failure(of flow: SetupFlow) -> SetupError {
    flow.question == nil ? setupFailure : renewalFailure
  }
}

extension BondRecord {
  /// Whether it says nothing that would tell it from another bond of its owner.
  fileprivate var isEmpty: Bool { keys == BondKeys() }
}

extension Bond {
  /// Whether the bond is authenticated; nil without a bond that can be used.
  public var provenState: Bool? { if case .bonded(let record) = self { record.isAuthenticated } else { nil } }

  /// Whether there are no keys, or keys that neither are authenticated nor lost.
  fileprivate var isUnauthenticated: Bool {
    switch self {
    case .none: true
    case .bonded(let record): !record.isAuthenticated
    case .lost: false
    }
  }
}
