// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Pairing
import Registry

// A setup, from the choice of a candidate to an accessory.

extension SetupCore {
  // MARK: - The choice

  /// Chooses a candidate for an operator. The reply follows when the accessory is set up or awaits its app.
  ///
  /// An operator may always name the accessory. The item's setup option `rename` decides only whether the setup asks.
  /// `capability` is what the persons at the gateway can do if the device has to be paired.
  public mutating func choose(
    _ request: String, candidate number: UInt32, name: String?, ssid: String?, replaces: String? = nil,
    capability: IOCapability = .none, _ call: CallID
  ) throws(OperatorError) -> [SetupEffect] {
    let flow = try openRequest(request)
    guard let picker = flow.picker else { throw .requestClosed(request) }
    try requireRegistryForOperators()
    guard !flow.asksForMigration else {
      throw .invalid(field: "request", reason: "it waits for Agree, Deny or Cancel, and has no candidates")
    }
    guard flow.isLooking else { throw .requestClosed(request) }
    guard let candidate = picker.candidates.candidate(number), candidate.isShown else {
      throw .notFound(.candidate, name: "\(number)")
    }
    let item = picker.item(of: candidate).item
    let replaced = try replacement(for: flow, candidate, named: replaces, name)
    let isShared = registry.device(candidate.device.settled) != nil
    let name = try name.map { (name) throws(OperatorError) in try Self.deviceName(name) }
    if let name { try Self.requireNetworkName(name, of: item) }
    let network = try ssid.map { (ssid) throws(OperatorError) in
      try Self.network(ssid, of: candidate, for: item.descriptor)
    }
    let pairing = try pairing(with: candidate.device, item, capability, replacing: replaced)
    choose(flow.id, number, .operator(call), network: network)
    // Only an item with `rename` asks, and only for a device that has no name yet.
    let asks = item.setupOptions.contains(.rename) && !isShared && replaced == nil
    let defaultName = candidate.appName ?? registry.numberedName(item.name, ofApp: flow.app)
    change(flow.id) { flow in
      if let replaced { flow.replace(replaced.accessory, named: replaced.device.displayName) }
      flow.choice?.name = name
      flow.choice?.nameToAskWith = asks ? defaultName : nil
      return []
    }
    setUp(flow.id, pairing)
    return takeEffects()
  }

  /// Sets up the chosen device: pairs it first where that is needed.
  private mutating func setUp(_ flow: RandomIdentifier, _ pairing: PairingRequest?) {
    let now = now
    guard let pairing else {
      change(flow) { $0.bridgingEvent }
      return nameAndAdd(flow)
    }
    change(flow) { $0.pair(pairing, at: now) }
  }

  /// Asks for a name if the item wants one and none was typed, and adds the chosen device.
  mutating func nameAndAdd(_ id: RandomIdentifier) {
    guard let choice = flows.flow(id)?.choice else { return }
    if let name = choice.nameToAskWith {
      let end = now.advanced(milliseconds: SetupFlow.nameMilliseconds)
      change(id) { $0.askForName(until: end, instead: name) }
      if choice.name == nil { return }
    }
    add(id, name: choice.name)
  }

  /// Chooses a candidate for which no operator is asked for a name.
  mutating func chooseAndSetUp(
    _ flow: RandomIdentifier, _ number: UInt32, _ chooser: SetupFlow.Chooser, _ pairing: PairingRequest?
  ) {
    choose(flow, number, chooser)
    setUp(flow, pairing)
  }

  private mutating func choose(
    _ flow: RandomIdentifier, _ number: UInt32, _ chooser: SetupFlow.Chooser, network: [UInt8]? = nil
  ) {
    change(flow) { flow in
      let isChosen = flow.choose(number, chooser, network: network)
      precondition(isChosen, "a candidate that is shown can be chosen")
      return []
    }
  }

  /// Throws only when the registry was never read; otherwise what was read can still be listed.
  public func requireReadableRegistry() throws(OperatorError) {
    if !queue.wasRead { try requireRegistryForOperators() }
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
    _ ssid: String, of candidate: PickerCandidate, for descriptor: DiscoveryDescriptor
  ) throws(OperatorError) -> [UInt8] {
    guard candidate.device.ssid == nil else {
      throw .invalid(field: "ssid", reason: "the candidate is a network, whose name is known")
    }
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

  /// Adds the chosen device, with the name that an operator typed.
  mutating func add(_ flow: RandomIdentifier, name: String?) {
    let identifier = flows.flow(flow)?.choice?.replaced ?? random.draw()
    change(flow) { $0.add(identifier, name: name) }
  }

  /// Returns an accessory of an app on a device that matches an item; nil when no account may act as the app.
  mutating func addition(
    app: String, _ item: PickerItem, _ device: DeviceIdentity, _ identifier: RandomIdentifier, name: String,
    network: [UInt8]?
  ) -> RegistryAddition? {
    guard let account = configuration.accounts[app] else { return nil }
    let descriptor = item.item.descriptor
    var addition = RegistryAddition(
      app: app, account: account, descriptor: descriptor.visibleToApps, identity: device.settled,
      identifier: identifier, bluetoothIdentifier: random.draw(), displayName: name)
    addition.item = item.isAppSupplied ? nil : item.item.id
    addition.maxAccessories = item.isAppSupplied ? nil : item.item.maxAccessories
    addition.isIdentityDurable = device.isDurable
    addition.ssid = device.ssid ?? descriptor.ssid ?? network
    let lacksNetwork = descriptor.ssidPrefix != nil && addition.ssid == nil
    if item.item.setupOptions.contains(.confirmAuthorization) || lacksNetwork {
      addition.state = .awaitingAuthorization
    }
    addition.addedAt = wallSeconds
    return addition
  }

  /// Continues a setup after its accessory was written, or was not.
  mutating func setupWasWritten(_ id: RandomIdentifier, _ result: ChangeResult) {
    guard let flow = flows.flow(id), case .adding(let identifier) = flow.state else { return }
    if case .automatic(let key) = flow.origin { return automaticWasWritten(flow, key, result) }
    if let failure = result.setupFailure { return failWriting(flow, failure) }
    guard let accessory = view(identifier) else { return failWriting(flow, .accountHasChanged) }
    let now = now
    if flow.replaced != nil {
      log(.replaced(app: flow.app, item: registry.accessory(identifier)?.item, identifier))
    }
    // Not the state that the app sees, which is another one when a reload has taken away the item meanwhile.
    let state = registry.accessory(identifier)?.state
    let setup = CompletedSetup(
      accessory: identifier, displayName: accessory.displayName, awaitsApp: state == .awaitingAuthorization,
      finishesInApp: flow.finishesInApp, pairing: flow.pairing?.device?.method,
      isBondAuthenticated: bond(of: identifier).provenState)
    change(id) { $0.complete(setup, at: now) }
    endIfAbandoned(id)
  }

  /// Ends a flow whose device did not become an accessory that the app can use; it may be in the registry all the same.
  private mutating func failWriting(_ flow: SetupFlow, _ failure: SetupError) {
    change(flow.id) { $0.finish(failure) }
    followAwaitingAccessories(until: now.advanced(milliseconds: SetupFlow.confirmMilliseconds))
  }

  // MARK: - The app's decision

  /// Continues the flow of an accessory that its app has confirmed, or that was authorized in another way.
  mutating func confirm(_ identifier: RandomIdentifier) {
    guard let flow = flows.flow(awaitingAppWith: identifier), flow.isRequest else { return }
    let now = now
    let setup = CompletedSetup(
      accessory: identifier, displayName: view(identifier)?.displayName ?? flow.displayName ?? "",
      awaitsApp: false, finishesInApp: flow.finishesInApp,
      isBondAuthenticated: bond(of: identifier).provenState)
    change(flow.id) { $0.succeed(setup, at: now) }
    endIfAbandoned(flow.id)
  }

  /// Removes an accessory that awaits its app; with it its flow fails.
  mutating func takeBack(_ identifier: RandomIdentifier, _ failure: SetupError, _ call: CallID? = nil) {
    guard let flow = flows.flow(awaitingAppWith: identifier) else { return }
    change(flow.id) { $0.takeBack(failure, call) }
  }
}

extension SetupFlow {
  fileprivate var finishesInApp: Bool {
    replaced == nil && chosenItem?.item.setupOptions.contains(.finishInApp) ?? false
  }
}

extension DeviceAddress {
  /// Whether the device is known again: public, static random, or resolved.
  public var isIdentityDurable: Bool { isResolved || lifetime == .durable }
}

extension DeviceIdentity {
  /// Whether it is known again: its address is durable, or it is a network, whose name is its identity.
  var isDurable: Bool { address?.isIdentityDurable ?? true }
}

extension SetupError {
  static let accountIsUnknown = Self(
    .userRestricted, "no account on this machine may act as the app",
    cure: "make the account that the manifest names, and reload")
  public static let notConfirmed = Self(
    .userCancelled, "the app did not confirm the accessory in two minutes",
    cure: "call FinishAuthorization after accessoryAdded")
  /// The agent ended before the app had confirmed the accessory.
  public static let agentHasRestarted = Self(
    .userCancelled, "the agent was restarted before the app confirmed the accessory",
    cure: "call ShowPicker again")
  static let wasRemoved = Self(
    .userCancelled, "the accessory was removed before the app confirmed it", cure: "choose another one")
  static let givenBack = Self(.userCancelled, "the app gave the accessory back", cure: "choose another one")
}
