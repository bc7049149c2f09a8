// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Pairing
public import Registry

// Devices and networks that match: candidates of pickers, devices held at the gateway, and what is set up automatically.

extension SetupCore {
  /// Takes in every device and network that items of open pickers, and automatic items, have found.
  /// `capability` is what the persons at the gateway can do if a device that was chosen beforehand has to be paired.
  public mutating func refreshCandidates(
    with devices: [MatchedDevice], capability: IOCapability = .none
  ) -> [SetupEffect] {
    for flow in flows.flows where flow.picker != nil { offer(devices, to: flow) }
    followTouches(devices)
    choosePreselectedCandidates(capability)
    if configuration.hasAutomaticItems { setUpAutomatically(devices) }
    return takeEffects()
  }

  // MARK: - Candidates

  private mutating func offer(_ devices: [MatchedDevice], to flow: SetupFlow) {
    guard let picker = flow.picker else { return }
    let places = picker.places
    var found: [DeviceIdentity: (item: Int, device: MatchedDevice)] = [:]
    for device in devices where device.app == flow.app {
      guard let item = places[device.item],
        found[device.identity].map({ item < $0.item }) ?? true,
        !isAccessory(device.identity, ofApp: flow.app), !wasPaired(device.identity)
      else { continue }
      found[device.identity] = (item, device)
    }
    let known = picker.candidates.candidates.map(\.device) + picker.candidates.hidden
    let received = found.values.sorted { $0.device.precedes($1.device) }
    let now = now
    changeQuietly(flow.id) { flow in
      for device in known where found[device] == nil { flow.lose(device) }
      return flow.receive(received, at: now)
    }
  }

  private func isAccessory(_ device: DeviceIdentity, ofApp app: String) -> Bool {
    grants.grants(of: device).contains { $0.app == app }
  }

  /// Whether the device was just paired and is not yet written: it is found again under its identity address.
  private func wasPaired(_ device: DeviceIdentity) -> Bool {
    guard let address = device.address?.settled else { return false }
    return flows.flows.contains { $0.pairing?.device?.identity == address }
  }

  private mutating func choosePreselectedCandidates(_ capability: IOCapability) {
    for flow in flows.flows where flow.isLooking {
      guard let picker = flow.picker, let number = picker.preselectedCandidate,
        let candidate = picker.candidates.candidate(number)
      else { continue }
      let item = picker.item(of: candidate).item
      do throws(SetupError) {
        let replaced = try picker.replaced.map { (replaced) throws(SetupError) in
          try self.replaced(replaced, by: candidate, in: flow).device
        }
        let pairing = try pairingRequest(
          candidate.device, item, capability, isUnattended: false, replacing: replaced)
        chooseAndSetUp(flow.id, number, .opener, pairing)
      } catch {
        // Another pairing ends soon; what else is refused stays refused.
        if !flows.flows.contains(where: { $0.pairing != nil }) { change(flow.id) { $0.finish(error) } }
      }
    }
  }

  // MARK: - Touch

  private mutating func followTouches(_ devices: [MatchedDevice]) {
    var held: [RandomIdentifier: [DeviceAddress: HeldDevice]] = [:]
    for flow in flows.flows {
      guard let picker = flow.picker, picker.isTouchable else { continue }
      held[flow.id] = heldDevices(among: devices, app: flow.app, picker.touchableItems)
    }
    for id in flows.flows.map(\.id) {
      guard let items = held[id] else { continue }
      let others = held.filter { $0.key != id }.values
      followTouch(of: id, items, contested: others.reduce(into: []) { $0.formUnion($1.keys) })
    }
    decideTouches()
  }

  /// Returns the devices that are inside for an app, each with the first of the items that let it in.
  private func heldDevices(
    among devices: [MatchedDevice], app: String, _ items: [String]
  ) -> [DeviceAddress: HeldDevice] {
    var held: [DeviceAddress: (index: Int, device: HeldDevice)] = [:]
    for device in devices where device.app == app {
      // A network is never held at the gateway.
      guard let approach = device.approach, let address = device.identity.address,
        let index = items.firstIndex(of: device.item), held[address].map({ index < $0.index }) ?? true,
        !isAccessory(device.identity, ofApp: app)
      else { continue }
      held[address] = (index, approach)
    }
    return held.mapValues(\.device)
  }

  private mutating func followTouch(
    of id: RandomIdentifier, _ held: [DeviceAddress: HeldDevice], contested: Set<DeviceAddress>
  ) {
    let (now, isSettled) = (now, radio.isSettled(at: now))
    let isCalibrated = configuration.isAdapterCalibrated
    var contests: [DeviceAddress] = []
    changeQuietly(id) { flow in
      contests =
        flow.picker?.touches.follow(
          held, contested: contested, isSettled: isSettled, isCalibrated: isCalibrated, at: now) ?? []
      return []
    }
    if !contests.isEmpty { refuseTouch(id, contests, .contested) }
  }

  /// Decides the touches whose second of waiting is over.
  mutating func decideTouches() {
    let now = now
    for id in flows.flows.map(\.id) where flows.flow(id)?.isLooking ?? false {
      var decision: TouchChoice.Decision?
      changeQuietly(id) { flow in
        decision = flow.picker?.touches.choice?.decide(at: now)
        return []
      }
      switch decision {
      case nil: break
      case .several(let devices): refuseTouch(id, devices, .several)
      case .chosen(let device): chooseByTouch(device, id)
      }
    }
  }

  private mutating func chooseByTouch(_ device: DeviceAddress, _ id: RandomIdentifier) {
    guard let flow = flows.flow(id), let picker = flow.picker,
      let candidate = picker.candidates.candidate(at: .bluetooth(device)), candidate.isShown
    else { return refuseTouch(id, [device], .lost) }
    let isContested = flows.flows.contains { other in
      other.id != id && other.picker?.touches.held[device] != nil
    }
    guard !isContested else { return refuseTouch(id, [device], .contested) }
    let item = picker.items[candidate.item]
    if let refusal = reasonUnattendedSetupIsRefused(for: candidate.device, app: flow.app, item: item) {
      return refuseTouch(id, [device], refusal)
    }
    do throws(SetupError) {
      let wanted = picker.item(of: candidate).item
      let pairing = try pairingRequest(candidate.device, wanted, .none, isUnattended: true)
      chooseAndSetUp(id, candidate.number, .touch, pairing)
    } catch {
      refuseTouch(id, [device], TouchError(reason: error.reason, cure: error.cure))
    }
  }

  /// Signals a failure. The signal names the item of the devices that were held; if there are several items, the first
  /// one in the request.
  private mutating func refuseTouch(
    _ id: RandomIdentifier, _ devices: [DeviceAddress], _ refusal: TouchError
  ) {
    guard let flow = flows.flow(id), let picker = flow.picker else { return }
    counters.touchesRefused += 1
    change(id) { flow in
      flow.detail = refusal.sentence
      flow.picker?.touches.refusal = refusal.forApp
      return []
    }
    let held = Set(devices.compactMap { picker.touches.held[$0]?.item })
    let item = picker.touchableItems.first { held.contains($0) } ?? ""
    add(.signal(.touch(.failure, item: item, app: flow.app)))
  }

  /// Returns why a device is not set up unless an operator chooses it from a list; nil when it may be.
  private func reasonUnattendedSetupIsRefused(
    for device: DeviceIdentity, app: String, item: PickerItem
  ) -> TouchError? {
    guard device.isDurable else { return .changesAddress }
    let id = item.item.id
    guard !registry.isRemoved(device.settled, app: app, item: id) else {
      return TouchError(
        reason: "the device was removed before", cure: "accessoryctl allow \(app) \(device.text) lets it in")
    }
    // A device that is on its way to the disk takes a slot already.
    let taken = accessoryCount(ofApp: app, item: id) + automaticCount(ofApp: app, item: id)
    guard item.isAppSupplied || taken < Int(item.item.maxAccessories) else {
      return TouchError(
        reason: RegistryError.fullItemReason("the item \(id)", maximum: item.item.maxAccessories),
        cure: "remove one, or raise the item's max-accessories")
    }
    return nil
  }

  /// Whether a network would be set up automatically if it were found.
  func isAwaited(_ network: AutomaticKey) -> Bool {
    let (app, item) = (network.app, network.item)
    guard configuration.accounts[app] != nil, let wanted = configuration.item(item, ofApp: app) else {
      return false
    }
    return !isAccessory(network.device, ofApp: app)
      && !registry.isRemoved(network.device, app: app, item: item)
      && accessoryCount(ofApp: app, item: item) < Int(wanted.maxAccessories)
  }

  func accessoryCount(ofApp app: String, item: String) -> Int {
    registry.accessories.count { $0.app == app && $0.item == item }
  }

  // MARK: - Automatic setup

  /// Returns how many devices are being added for an item automatically.
  private func automaticCount(ofApp app: String, item: String) -> Int {
    flows.flows.count { flow in
      guard case .automatic(let key) = flow.origin, flow.state.has(.hasChosen) else { return false }
      return key.app == app && key.item == item
    }
  }

  private mutating func setUpAutomatically(_ devices: [MatchedDevice]) {
    guard queue.state == .open else { return }
    for device in devices {
      // A network is set up by its whole name only: every access point can take a name that begins like another.
      guard let item = configuration.item(device.item, ofApp: device.app), item.selection == .automatic,
        device.identity.ssid == nil || device.identity.ssid == item.descriptor.ssid,
        !isAccessory(device.identity, ofApp: device.app), !wasPaired(device.identity)
      else { continue }
      setUpAutomatically(device, PickerItem(item))
    }
  }

  private mutating func setUpAutomatically(_ device: MatchedDevice, _ item: PickerItem) {
    let key = AutomaticKey(device: device.identity.settled, app: device.app, item: item.item.id)
    guard reasonUnattendedSetupIsRefused(for: device.identity, app: device.app, item: item) == nil,
      !flows.flows.contains(where: { $0.isAdding(key) })
    else { return }
    let pairing: PairingRequest?
    do throws(SetupError) {
      pairing = try pairingRequest(device.identity, item.item, .none, isUnattended: true)
    } catch { return }
    guard automatic.beginSetup(key, at: now) else { return }
    let identifier = random.draw()
    let now = now
    flows.append(SetupFlow(identifier, app: device.app, .automatic(key), at: now))
    changeQuietly(identifier) { flow in
      if let pairing { flow.pair(pairing, at: now) } else { flow.add(identifier, name: nil) }
    }
  }

  /// Continues an automatic setup after its accessory was written, or was not.
  mutating func automaticWasWritten(_ flow: SetupFlow, _ key: AutomaticKey, _ result: ChangeResult) {
    let end = now.advanced(milliseconds: SetupFlow.confirmMilliseconds)
    if let failure = result.setupFailure {
      changeQuietly(flow.id) { $0.finish(failure) }
      failAutomatic(key, failure)
      followAwaitingAccessories(until: end)
    } else if registry.accessory(flow.id)?.state == .awaitingAuthorization {
      changeQuietly(flow.id) { $0.awaitApp(until: end) }
    } else {
      changeQuietly(flow.id) { $0.finish(nil) }
      automatic.succeed(key)
    }
  }

  mutating func failAutomatic(_ key: AutomaticKey, _ failure: SetupError) {
    let (seconds, isForgotten) = automatic.fail(key, at: now)
    counters.automaticFailed += 1
    if isForgotten { counters.automaticForgotten += 1 }
    log(.automaticFailed(app: key.app, item: key.item, reason: failure.reason, retrySeconds: seconds))
  }
}

extension SetupFlow {
  fileprivate func isAdding(_ key: AutomaticKey) -> Bool {
    state.has(.hasChosen) && origin == .automatic(key)
  }
}

/// A device or a network as the tables have it now, with one item that has found it: it matches, and the item's gate,
/// where there is one, has let it in.
public struct MatchedDevice: Equatable, Sendable {
  /// The address as events give it, resolved where a key did so, or the network's name.
  public var identity: DeviceIdentity
  public var app: String
  /// The id of the item.
  public var item: String
  /// The level that gates decide on, or the network's signal, in sixteenths of a dB.
  public var level: Int16?
  /// Nothing was received of it for longer than 10 s, or what this is on a board that listens part of the time.
  public var isSilent = false
  /// Its scan response was received, or it has none.
  public var hasResponded: Bool
  /// nil when no app receives it.
  public var report: DeviceReport?
  /// How it came near, where the item has the immediate gate.
  public var approach: HeldDevice?

  public init(
    _ identity: DeviceIdentity, app: String, item: String, level: Int16?, hasResponded: Bool,
    report: DeviceReport? = nil, approach: HeldDevice? = nil
  ) {
    (self.identity, self.app, self.item, self.level) = (identity, app, item, level)
    (self.hasResponded, self.report, self.approach) = (hasResponded, report, approach)
  }

  /// Whether it is offered first: the stronger one, then by address, then by the network's name.
  fileprivate func precedes(_ other: Self) -> Bool {
    if level != other.level { return (level ?? .min) > (other.level ?? .min) }
    switch (identity, other.identity) {
    case (.bluetooth(let one), .bluetooth(let other)): return one.word < other.word
    case (.network(let one), .network(let other)): return one.lexicographicallyPrecedes(other)
    case (.bluetooth, .network): return true
    case (.network, .bluetooth): return false
    }
  }
}
