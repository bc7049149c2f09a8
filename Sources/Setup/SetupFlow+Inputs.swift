// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Pairing
import Registry

// The inputs of a setup flow. Each returns its effects.

// MARK: - Devices and time

extension SetupFlow {
  /// Presents the picker. One with migration items only shows nothing but the question.
  mutating func present() -> [Effect] {
    enter(picker?.searches.isEmpty ?? false ? .asking : .discovering)
  }

  /// Updates devices and networks, each of which matches the picker's item of this index and was received, for the first
  /// time or again. Those of the app's accessories are not reported.
  mutating func receive(_ received: [(item: Int, device: MatchedDevice)], at now: Instant) -> [Effect] {
    guard let count = picker?.items.count, !state.isFinished else { return [] }
    let kept = keptCandidate
    for (item, device) in received {
      precondition(item < count, "a candidate matches an item of the picker")
      picker?.candidates.update(with: device, item: item, keeping: kept, at: now)
    }
    return advance(to: now)
  }

  /// Removes a device or network that is no longer received, no longer matches, or has become the app's accessory.
  mutating func lose(_ device: DeviceIdentity) {
    let kept = keptCandidate
    picker?.candidates.lose(device, keeping: kept)
  }

  /// Lets time pass: shows and reports the candidates that are due, and ends a picker whose time is over.
  mutating func advance(
    to now: Instant, isRadioDown: Bool = false, reasonNetworksAreDown: String? = nil
  ) -> [Effect] {
    guard !state.isFinished else { return [] }
    var effects = showCandidates(at: now)
    guard isLooking, let end, end <= now else { return effects }
    effects += finish(failureAtEnd(isRadioDown: isRadioDown, reasonNetworksAreDown))
    return effects
  }

  private mutating func showCandidates(at now: Instant) -> [Effect] {
    // A copy of the picker would copy its candidates with each change.
    guard let isFiltered = picker?.isFiltered else { return [] }
    guard !isFiltered else {
      let numbers = picker?.candidates.discover(at: now) ?? []
      guard !numbers.isEmpty, let picker else { return [] }
      let discovered = numbers.compactMap {
        picker.candidates.discoveredAccessory($0, among: picker.items)
      }
      return discovered.map { .emit(.accessoryDiscovered($0)) }
    }
    let isAnyShown = picker?.candidates.showAll() ?? false
    // A touch shows nothing to choose from.
    return isAnyShown && picker?.choice != .touch ? startChoosing(at: now) : []
  }

  private mutating func startChoosing(at now: Instant) -> [Effect] {
    state == .discovering ? enter(.choosing(since: now)) : []
  }

  private func failureAtEnd(isRadioDown: Bool, _ reasonNetworksAreDown: String?) -> SetupError {
    guard let picker else { preconditionFailure("only a picker ends by itself") }
    let isChoosing = state != .discovering
    if isChoosing, picker.isAttended { return .noChoice(inMilliseconds: picker.idleMilliseconds) }
    let networksDown = picker.awaitsNetworks ? reasonNetworksAreDown : nil
    if let networksDown, !picker.awaitsDevices { return .networksDown(networksDown) }
    let isDown = isRadioDown && picker.awaitsDevices
    let failure = isDown ? .radioDown : picker.failureAtEnd(isChoosing: isChoosing)
    return networksDown.map(failure.addingNetworksDown) ?? failure
  }

  // MARK: - The app of a filtered picker

  /// Shows exactly these candidates, or none of them when one was never reported to the app: then it returns its index.
  mutating func show(_ items: [ShownCandidate], at now: Instant) -> (unknown: Int?, effects: [Effect]) {
    precondition(picker?.isFiltered ?? false, "only a filtered picker is updated")
    if let unknown = picker?.candidates.show(items) { return (unknown, []) }
    return (nil, items.isEmpty ? [] : startChoosing(at: now))
  }

  /// Ends the discovery early for the app.
  mutating func finishDiscovery() -> [Effect] {
    guard state == .discovering, picker?.candidates.wasUpdated == false else { return [] }
    return finish(.nothingFound)
  }

  /// Chooses a candidate; ``pair(_:at:)``, ``askForName(until:instead:)`` or ``add(_:name:)`` follows. Returns false when it cannot be chosen:
  /// it is not shown, or another one was chosen.
  mutating func choose(_ number: UInt32, _ chooser: Chooser, network: [UInt8]? = nil) -> Bool {
    guard isLooking, let picker, let candidate = picker.candidates.candidate(number), candidate.isShown else {
      return false
    }
    choice = Choice(candidate: candidate, chooser: chooser, network: network)
    choice?.replaced = picker.replaced
    if picker.replaced == nil { displayName = candidate.appName ?? picker.items[candidate.item].item.name }
    pairing = nil
    detail = nil
    self.picker?.touches.refusal = nil
    return true
  }

  /// Asks an operator for a name, instead of the one that it gets otherwise.
  mutating func askForName(until end: Instant, instead defaultName: String) -> [Effect] {
    displayName = defaultName
    return enter(.naming(until: end))
  }

  /// Writes the device to the registry, with the name that an operator typed.
  mutating func add(_ identifier: RandomIdentifier, name: String?) -> [Effect] {
    if let name { choice?.name = name }
    return enter(.adding(identifier))
  }

  /// Continues after the chosen device has become an accessory.
  mutating func complete(_ setup: CompletedSetup, at now: Instant) -> [Effect] {
    guard let choice else { preconditionFailure("an accessory was chosen") }
    var effects: [Effect] = []
    if case .operator(let call) = choice.chooser {
      effects.append(.reply(call, .success(.setUp(setup))))
      self.choice?.chooser = .opener
    }
    // From here on the accessory's removal unpairs it.
    pairing = nil
    accessory = setup.accessory
    displayName = setup.displayName
    self.choice?.replaced = nil
    picker?.candidates.remove(choice.candidate.number)
    guard !setup.awaitsApp else {
      return effects + enter(.confirming(until: now.advanced(milliseconds: Self.confirmMilliseconds)))
    }
    return effects + succeed(setup, at: now)
  }

  /// Continues after the app has confirmed the accessory, or need not: with the next accessory, or ends.
  mutating func succeed(_ setup: CompletedSetup, at now: Instant) -> [Effect] {
    completed.append(setup)
    picker?.remaining -= 1
    picker?.lookingSince = now
    let effects = touchSignal(.success)
    guard let picker, picker.remaining > 0 else {
      // A migration follows the setup of a new accessory, as in AccessorySetupKit.
      return effects + enter(picker?.migrations.isEmpty ?? true ? .finished(nil) : .asking)
    }
    return effects + enter(picker.choice == .touch ? .discovering : .choosing(since: now))
  }

  /// Lets an accessory that no operator chose await its app.
  mutating func awaitApp(until end: Instant) -> [Effect] { enter(.confirming(until: end)) }

  /// Waits while the app's decision about the accessory is written.
  mutating func settle() -> [Effect] {
    guard case .confirming(let end) = state else { return [] }
    return enter(.settling(until: end))
  }

  /// Awaits the app again, because its decision could not be written.
  mutating func retry(until end: Instant) -> [Effect] {
    if origin == .previousRun { origin = .registry }
    return enter(.confirming(until: end))
  }

  /// Removes the accessory, which its app does not want or did not confirm.
  mutating func takeBack(_ failure: SetupError, _ call: CallID?) -> [Effect] {
    enter(.takingBack(failure, call))
  }

  /// Ends the flow with a failure.
  mutating func finish(_ failure: SetupError?) -> [Effect] {
    state.isFinished ? [] : enter(.finished(failure))
  }

  // MARK: - Questions

  mutating func ask() -> [Effect] { enter(.asking) }

  /// Waits while the change that an operator agreed to is written.
  mutating func write() -> [Effect] { enter(.writing) }

  /// Ends the picker after the devices of its migration items were added.
  mutating func completeMigration() -> [Effect] { [.emit(.migrationComplete)] + finish(nil) }

  /// Closes the question, answered or not. `displayName` is the accessory's name for operators.
  mutating func close(_ failure: SetupError?, displayName: String? = nil) -> [Effect] {
    self.displayName = displayName
    return finish(failure)
  }

  /// Pairs the chosen device. ``completePairing(_:)`` or ``failPairing(_:isOver:)`` follows.
  mutating func pair(_ request: PairingRequest, at now: Instant) -> [Effect] {
    pairing = FlowPairing(request)
    return enter(
      .pairing(request.id, until: now.advanced(milliseconds: PairingRequest.milliseconds)))
  }

  /// Asks the person, or shows digits; a later question replaces it. nil: the person has answered.
  mutating func ask(_ question: PairingQuestion?) -> [Effect] {
    pairing?.question = question
    return []
  }

  /// Continues after the device was paired; the caller asks for a name or adds the accessory.
  mutating func completePairing(_ device: PairedDevice) -> [Effect] {
    pairing?.device = device
    pairing?.question = nil
    pairing?.isOver = true
    return bridgingEvent
  }

  /// Reports that the device also has the classic transport, where the item says so.
  var bridgingEvent: [Effect] {
    guard choice?.candidate.device.address != nil else { return [] }
    let options = chosenItem?.item.descriptor.supportedOptions ?? []
    return options.isSuperset(of: [.bluetoothPairingLE, .bluetoothTransportBridging])
      ? [.emit(.pickerSetupBridging)] : []
  }

  /// Ends a flow whose device was not paired. `isOver`: the backend has nothing left to cancel.
  mutating func failPairing(_ failure: SetupError, isOver: Bool) -> [Effect] {
    pairing?.question = nil
    pairing?.isOver = isOver
    pairing?.hasFailed = true
    return finish(failure)
  }

  /// What takes back the pairing of a flow that ends in `old` without an accessory.
  func undoingActions(from old: State) -> [Effect] {
    guard let pairing else { return [] }
    if let device = pairing.device { return [.unpair(device)] }
    guard case .pairing(let id, _) = old, !pairing.isOver else { return [] }
    return [.cancelPairing(id)]
  }

  /// Whether the device with this address is being paired, or was paired and is not written yet.
  func isPairing(_ device: DeviceAddress) -> Bool { !state.isFinished && pairing?.isAbout(device) ?? false }

  /// Whether no person chose the device.
  var isWithoutPerson: Bool {
    if case .automatic = origin { return true }
    return choice?.chooser == .touch
  }

  /// Whether the backend works for it.
  package var isPairing: Bool { if case .pairing = state { true } else { false } }
}

// The pairing of a setup flow.

/// The pairing of a setup flow: from the request until the accessory is written or the flow ends.
public struct FlowPairing: Equatable, Sendable {
  /// How long after the pairing's own time the flow waits for the backend to report its end.
  static let endMilliseconds: Int64 = 10_000

  public let request: PairingRequest
  /// What the person is asked now.
  public internal(set) var question: PairingQuestion?
  /// The device once it is paired.
  public internal(set) var device: PairedDevice?
  /// The backend has ended it, so it needs no cancelling.
  var isOver = false
  /// It ended by itself without success: it was not just cancelled.
  var hasFailed = false

  init(_ request: PairingRequest) { self.request = request }

  /// Whether it is about the device with this address, before it was paired or after.
  func isAbout(_ address: DeviceAddress) -> Bool {
    request.device == address || device?.identity == address
  }
}
