// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest
import Registry

// From a choice to an accessory.

extension SetupCore {
  /// So long an app has to confirm.
  static let confirmMilliseconds: Int64 = 120_000
  /// Taking back what could not be taken back is tried again after so long.
  static let takeBackMilliseconds: Int64 = 30_000

  // MARK: - The choice

  /// An operator chooses. The answer comes when the accessory is set up, or awaits its app.
  public mutating func choose(
    _ request: String, candidate number: UInt32, name: String?, ssid: String?, _ call: CallID
  ) throws(OperatorError) {
    let index = try openSetup(request)
    try requireRegistryForOperators()
    guard let setup = requests[index].setup, setup.step == .none else { throw .requestClosed(request) }
    guard let candidate = setup.picker.candidate(number), candidate.isShown else {
      throw .notFound(.candidate, name: "\(number)")
    }
    let item = setup.items[candidate.item].item
    let isShared = !grants.grants(at: candidate.device).isEmpty
    let name = try name.map { (name) throws(OperatorError) in try Self.deviceName(name) }
    if name != nil, isShared || !item.setupOptions.contains(.rename) {
      throw .invalid(
        field: "name",
        reason: isShared ? "another app has named the device already" : "the item is not renamed at setup")
    }
    if let name { try Self.requireNetworkName(name, of: item) }
    let network = try ssid.map { (ssid) throws(OperatorError) in try Self.network(ssid, for: item.descriptor)
    }
    take(index, number, .operator(call), network: network)
    guard item.setupOptions.contains(.rename), !isShared else { return add(index, name: nil) }
    emit(.pickerSetupRename, of: requests[index])
    if let name { return add(index, name: name) }
    let until = now.advanced(milliseconds: SetupRequest.nameMilliseconds)
    withSetup(index) { $0.step = .naming(until: until) }
  }

  /// The candidate is chosen; nobody is asked for a name.
  mutating func choose(_ index: Int, _ number: UInt32, _ chooser: SetupRequest.Chooser) {
    take(index, number, chooser, network: nil)
    add(index, name: nil)
  }

  private mutating func take(
    _ index: Int, _ number: UInt32, _ chooser: SetupRequest.Chooser, network: [UInt8]?
  ) {
    withSetup(index) { setup in
      guard let candidate = setup.picker.choose(number) else {
        preconditionFailure("a candidate that is shown can be chosen")
      }
      setup.chosen = candidate
      setup.displayName = candidate.appName ?? setup.items[candidate.item].item.name
      setup.chooser = chooser
      setup.network = network
      setup.detail = nil
      setup.picker.touchRefusal = nil
    }
  }

  /// The request of that name, if it sets something up.
  func openSetup(_ text: String) throws(OperatorError) -> Int {
    guard let id = RandomIdentifier(text: text), let index = index(of: id), requests[index].setup != nil
    else {
      throw .requestClosed(text)
    }
    return index
  }

  /// What was read once can still be looked at.
  public func requireReadableRegistry() throws(OperatorError) {
    if !ledger.wasOpened { try requireRegistryForOperators() }
  }

  public func requireRegistryForOperators() throws(OperatorError) {
    if let degradation { throw .registry(degradation) }
  }

  static func deviceName(_ text: String) throws(OperatorError) -> String {
    guard !text.isEmpty, text.utf8.count <= RegistryLimits.textBytesMax,
      text.utf8.contains(where: { $0 > 0x20 })
    else {
      throw .invalid(
        field: "name", reason: "a name has 1 to \(RegistryLimits.textBytesMax) bytes, not only blanks")
    }
    return text
  }

  private static func network(
    _ ssid: String, for descriptor: DiscoveryDescriptor
  ) throws(OperatorError) -> [UInt8] {
    let bytes = Array(ssid.utf8)
    guard let prefix = descriptor.ssidPrefix else {
      throw .invalid(field: "ssid", reason: "the item does not look for a network by its beginning")
    }
    guard bytes.count <= RegistryLimits.ssidBytesMax, bytes.starts(with: prefix), !bytes.isEmpty else {
      throw .invalid(
        field: "ssid",
        reason:
          "the network's name begins with \(String(decoding: prefix, as: UTF8.self)) and has at most 32 bytes"
      )
    }
    return bytes
  }

  // MARK: - Adding

  /// A person has typed the name of what is being set up, or has let the time pass.
  mutating func add(_ index: Int, name: String?) {
    guard let addition = addition(for: requests[index], name: name) else {
      return failWritten(requests[index].id, .accountIsUnknown)
    }
    withSetup(index) { $0.step = .adding }
    change(.apply(.add(addition)), .setup(requests[index].id))
  }

  private mutating func addition(for request: DeskRequest, name: String?) -> RegistryAddition? {
    guard let setup = request.setup, let chosen = setup.chosen, let item = setup.chosenItem else {
      return nil
    }
    let renamed = item.item.renamesNetwork ? name.map { Array($0.utf8) } : nil
    var addition = addition(
      app: request.app, item, chosen.device, name: name ?? chosen.appName ?? item.item.name,
      renamed ?? setup.network)
    addition?.isHandsFree = setup.chooser == .touch
    return addition
  }

  /// An accessory of an app on a device that matches an item; nil when nobody may act as the app.
  mutating func addition(
    app: String, _ item: PickerItem, _ device: DeviceAddress, name: String, _ network: [UInt8]?
  ) -> RegistryAddition? {
    guard let account = configuration.accounts[app] else { return nil }
    let descriptor = item.item.descriptor
    var addition = RegistryAddition(
      app: app, account: account, descriptor: descriptor, identity: .bluetooth(device.settled),
      identifier: random.draw(), bluetoothIdentifier: random.draw(), displayName: name)
    addition.item = item.isAppSupplied ? nil : item.item.id
    addition.maxAccessories = item.isAppSupplied ? nil : item.item.maxAccessories
    addition.isIdentityDurable = device.isIdentityDurable
    addition.ssid = descriptor.ssid ?? network
    let lacksNetwork = descriptor.ssidPrefix != nil && network == nil
    if item.item.setupOptions.contains(.confirmAuthorization) || lacksNetwork {
      addition.state = .awaitingAuthorization
    }
    addition.addedAt = wallSeconds
    return addition
  }

  /// The chosen device is an accessory on disk, or the registry says why not.
  mutating func setupWasWritten(_ id: RandomIdentifier, _ outcome: ChangeResult) {
    guard let index = index(of: id), let setup = requests[index].setup, let chosen = setup.chosen else {
      return
    }
    if let failure = outcome.setupFailure { return failWritten(id, failure) }
    guard let grant = grants.grants(at: chosen.device).first(where: { $0.app == requests[index].app }),
      let accessory = view(grant.identifier)
    else { return failWritten(id, .accountHasChanged) }
    let made = CompletedSetup(
      accessory: accessory.identifier, displayName: accessory.displayName,
      awaitsApp: accessory.state == .awaitingAuthorization,
      finishesInApp: setup.chosenItem?.item.setupOptions.contains(.finishInApp) ?? false)
    if case .operator(let call) = setup.chooser { act(.answer(call, .success(.setUp(made)))) }
    let now = now
    let until = now.advanced(milliseconds: Self.confirmMilliseconds)
    let events = withSetup(index) { setup in
      if case .operator = setup.chooser { setup.chooser = .opener }
      setup.accessory = made.accessory
      setup.displayName = made.displayName
      setup.step = made.awaitsApp ? .confirming(until: until) : .none
      if !made.awaitsApp { setup.made.append(made) }
      return setup.picker.setupSucceeded(awaitsConfirmation: made.awaitsApp, at: now)
    }
    if !made.awaitsApp { signal(.success, requests[index], chosen) }
    tell(events, of: id)
    endIfAbandoned(id)
  }

  /// Says at the gateway how a touch went.
  private mutating func signal(
    _ outcome: TouchSignal.Outcome, _ request: DeskRequest, _ chosen: PickerCandidate
  ) {
    guard let setup = request.setup, setup.wasTouched else { return }
    act(.signal(TouchSignal(outcome, app: request.app, item: setup.items[chosen.item].item.id)))
  }

  // MARK: - The app's word

  /// The accessory is its app's now.
  mutating func wasConfirmed(_ identifier: RandomIdentifier) {
    guard let index = requests.firstIndex(where: { $0.setup?.isConfirming(identifier) ?? false }),
      let setup = requests[index].setup, let chosen = setup.chosen
    else { return }
    signal(.success, requests[index], chosen)
    let made = CompletedSetup(
      accessory: identifier, displayName: view(identifier)?.displayName ?? setup.displayName ?? "",
      awaitsApp: false, finishesInApp: setup.chosenItem?.item.setupOptions.contains(.finishInApp) ?? false)
    let now = now
    let events = withSetup(index) { setup in
      setup.step = .none
      setup.made.append(made)
      return setup.picker.confirmed(at: now)
    }
    let id = requests[index].id
    tell(events, of: id)
    endIfAbandoned(id)
  }

  /// What awaits its app goes back; with it the request fails.
  mutating func takeBack(_ identifier: RandomIdentifier, _ failure: SetupFailure, _ call: CallID? = nil) {
    awaiting[identifier] = .some(nil)
    if let index = requests.firstIndex(where: { $0.setup?.isConfirming(identifier) ?? false }) {
      withSetup(index) { $0.step = .takingBack(failure) }
    }
    change(.apply(.remove(identifier, leavesTombstone: false)), .takeBack(identifier, failure, call))
  }

  mutating func wasTakenBack(
    _ identifier: RandomIdentifier, _ failure: SetupFailure, _ call: CallID?, _ outcome: ChangeResult
  ) {
    leftOver.remove(identifier)
    if case .failed = outcome, ledger.registry.accessory(identifier) != nil {
      awaiting[identifier] = now.advanced(milliseconds: Self.takeBackMilliseconds)
    }
    if let call { answer(call, outcome) }
    guard
      let index = requests.firstIndex(where: {
        $0.setup?.accessory == identifier && $0.setup?.isTakingBack ?? false
      })
    else { return }
    failWritten(requests[index].id, failure)
  }

  /// What a request had chosen could not be added, or is not there any more.
  mutating func failWritten(_ id: RandomIdentifier, _ failure: SetupFailure) {
    guard let index = index(of: id) else { return }
    if let chosen = requests[index].setup?.chosen { signal(.failure, requests[index], chosen) }
    tell(withSetup(index) { $0.picker.failSetup(failure) }, of: id)
  }
}

extension SetupRequest {
  /// Why an operator who names what is set up is refused.
  func takesNoName(_ request: String) -> OperatorError {
    switch step {
    case .none, .naming: .invalid(field: "request", reason: "it waits for a choice, not to be named")
    case .confirming: .invalid(field: "request", reason: "it waits for its app, not to be named")
    // Somebody has decided.
    case .adding, .takingBack: .requestClosed(request)
    }
  }

  func isConfirming(_ identifier: RandomIdentifier) -> Bool {
    if case .confirming = step { accessory == identifier } else { false }
  }

  var isTakingBack: Bool {
    if case .takingBack = step { true } else { false }
  }
}

extension DeviceAddress {
  /// Whether the device is known again: public, static random, or resolved.
  public var isIdentityDurable: Bool { isResolved || lifetime == .durable }
}

extension SetupFailure {
  static var accountIsUnknown: Self {
    Self(
      .userRestricted, "nobody on this machine may act as the app",
      cure: "make the account that the manifest names, and reload")
  }

  /// The app did not confirm.
  public static var notConfirmed: Self {
    Self(
      .userCancelled, "the app did not confirm the accessory in two minutes",
      cure: "call FinishAuthorization after accessoryAdded")
  }

  /// The agent ended before the app had confirmed.
  public static var agentHasRestarted: Self {
    Self(
      .userCancelled, "the agent was restarted before the app confirmed the accessory",
      cure: "call ShowPicker again")
  }

  static var wasRemoved: Self {
    Self(.userCancelled, "the accessory was removed before the app confirmed it", cure: "choose another one")
  }

  static var givenBack: Self {
    Self(.userCancelled, "the app gave the accessory back", cure: "choose another one")
  }
}
