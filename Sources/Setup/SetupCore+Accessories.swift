// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

// What an app does with its own accessories. It learns nothing of other apps' accessories: their identifiers are refused
// in the same words as identifiers that never existed.

extension SetupCore {
  /// Returns the accessory of the session's app with this identifier; nil while it is hidden from the app.
  public func accessory(_ text: String, of session: Session) -> RegistryAccessory? {
    guard let identifier = RandomIdentifier(text: text),
      let accessory = registry.accessory(identifier, ofApp: session.app),
      standing(of: accessory) != .suspended
    else { return nil }
    return accessory
  }

  /// A call of the session named an accessory that its app does not have.
  public mutating func noteForeignIdentifier(of session: Session) -> [SetupEffect] {
    counters.foreignRefused += 1
    log(.foreign(app: session.app))
    return takeEffects()
  }

  /// Asks the operators for another name; the reply comes with it.
  public mutating func renameAccessory(
    _ accessory: RegistryAccessory, _ session: Session, options: RenameOptions, _ call: CallID
  ) throws(SetupFailure) -> [SetupEffect] {
    try requireRegistry()
    if options.contains(.ssid), accessory.ssid == nil {
      throw SetupFailure(
        .invalidRequest, field: "renameOptions", "the accessory has no network to rename",
        cure: "leave out ssid 1")
    }
    if options.contains(.ssid), accessory.descriptor.ssid != nil {
      throw SetupFailure(
        .invalidRequest, field: "renameOptions",
        "the accessory is looked for by its network's whole name, which a rename would lose",
        cure: "leave out ssid 1, or look for it by ssidPrefix")
    }
    return try ask(about: accessory, session, .rename(renamesNetwork: options.contains(.ssid)), call)
  }

  /// Asks the operators to let the accessory be found by more; the reply comes with the answer.
  public mutating func updateAuthorization(
    _ accessory: RegistryAccessory, _ session: Session, adding adds: RegistryExtension, _ call: CallID
  ) throws(SetupFailure) -> [SetupEffect] {
    try requireRegistry()
    return try ask(about: accessory, session, .extend(adds), call)
  }

  private mutating func ask(
    about accessory: RegistryAccessory, _ session: Session, _ change: SetupQuestion.Change, _ call: CallID
  ) throws(SetupFailure) -> [SetupEffect] {
    guard !flows.flows.contains(where: { $0.question?.accessory == accessory.identifier }) else {
      throw .isAskedAlready
    }
    try paceRequest(ofApp: session.app)
    counters.requestsOpened += 1
    flows.append(
      SetupFlow(
        random.draw(), app: session.app, .session(session.token),
        SetupQuestion(accessory: accessory.identifier, change: change, call: call),
        displayName: registry.device(of: accessory).displayName, at: now))
    note(.requests)
    return takeEffects()
  }

  public mutating func removeAccessory(
    _ accessory: RegistryAccessory, _ call: CallID
  ) throws(SetupFailure) -> [SetupEffect] {
    try requireRegistry()
    remove(accessory, .call(call, .app))
    return takeEffects()
  }

  /// Removes an accessory. Every flow about it ends with it.
  mutating func remove(_ accessory: RegistryAccessory, _ purpose: ChangePurpose) {
    settleFlow(of: accessory)
    enqueue(.apply(.remove(accessory.identifier, leavesTombstone: accessory.item != nil)), purpose)
  }

  /// The flow of an accessory that awaits its app waits for the disk now.
  private mutating func settleFlow(of accessory: RegistryAccessory) {
    guard let flow = flows.flow(awaitingAppWith: accessory.identifier) else { return }
    changeQuietly(flow.id) { $0.settle() }
  }

  /// The app confirms an accessory, or gives the whole name of a network whose prefix was added since.
  public mutating func finishAuthorization(
    _ accessory: RegistryAccessory, ssid: [UInt8]?, bridgingIdentifier: UInt64?, _ call: CallID
  ) throws(SetupFailure) -> [SetupEffect] {
    if let ssid, bridgingIdentifier == nil, accessory.awaitsNetwork {
      try requireRegistry()
      try require(ssid, of: accessory)
      enqueue(.apply(.setSSID(accessory.identifier, ssid)), .network(accessory.identifier, call))
      return takeEffects()
    }
    try requireAwaiting(accessory)
    try requireRegistry()
    if let ssid { try require(ssid, of: accessory) }
    if accessory.descriptor.ssidPrefix != nil, accessory.ssid == nil, ssid == nil {
      throw SetupFailure(
        .invalidRequest, field: "ssid", "only the beginning of its network's name is known",
        cure: "give the whole name")
    }
    settleFlow(of: accessory)
    enqueue(
      .apply(.authorize(accessory.identifier, ssid: ssid, bridgingIdentifier: bridgingIdentifier)),
      .confirm(accessory.identifier, call))
    return takeEffects()
  }

  /// The app gives back an accessory that awaits it.
  public mutating func failAuthorization(
    _ accessory: RegistryAccessory, _ call: CallID
  ) throws(SetupFailure) -> [SetupEffect] {
    try requireAwaiting(accessory)
    try requireRegistry()
    takeBack(accessory.identifier, .givenBack, call)
    return takeEffects()
  }

  private func requireAwaiting(_ accessory: RegistryAccessory) throws(SetupFailure) {
    guard case .confirming? = flows.flow(awaitingAppWith: accessory.identifier)?.state else {
      throw SetupFailure(
        .invalidRequest, field: "accessory", "it does not await authorization",
        cure: "call this once, after accessoryAdded with the state awaitingAuthorization 10")
    }
  }

  private func require(_ ssid: [UInt8], of accessory: RegistryAccessory) throws(SetupFailure) {
    guard (1...RegistryLimits.ssidBytesMax).contains(ssid.count) else {
      throw SetupFailure(
        .invalidRequest, field: "ssid", "it has \(ssid.count) bytes", cure: "use 1 to 32 bytes")
    }
    let isFitting =
      accessory.descriptor.ssid.map { $0 == ssid }
      ?? accessory.descriptor.ssidPrefix.map { ssid.starts(with: $0) }
    guard isFitting ?? false else {
      throw SetupFailure(
        .invalidRequest, field: "ssid", "this is no network that the accessory was chosen for",
        cure: "give a name that its descriptor matches, or none")
    }
  }

  /// Returns where an authorized accessory is on the air.
  public mutating func resolve(
    _ accessory: RegistryAccessory
  ) throws(SetupFailure) -> (RegistryDevice, [SetupEffect]) {
    guard standing(of: accessory) == .active, accessory.state == .authorized else {
      throw SetupFailure(
        .invalidRequest, field: "accessory", "it is not authorized",
        cure: "wait until its state is authorized 20")
    }
    let device = registry.device(of: accessory)
    guard device.identity.address != nil else {
      throw SetupFailure(
        .invalidRequest, field: "accessory", "it has no Bluetooth",
        cure: "join its network, which its ssid names")
    }
    counters.resolved += 1
    log(.resolved(app: accessory.app, accessory.identifier))
    return (device, takeEffects())
  }

  /// The app whose call waited for the answer has disconnected; the question is withdrawn.
  public mutating func abandon(_ call: CallID) -> [SetupEffect] {
    for flow in flows.flows where flow.state == .asking && flow.question?.call == call {
      change(flow.id) { $0.close(.userCancelled(reason: "who asked has gone")) }
    }
    return takeEffects()
  }
}

extension SetupFailure {
  fileprivate static var isAskedAlready: Self {
    Self(
      .pickerAlreadyActive, "the operators are asked about the accessory already",
      cure: "wait until that call is answered, and call again")
  }

  public static var noSuchAccessory: Self {
    Self(
      .invalidRequest, field: "accessory", "the app has no such accessory",
      cure: "List tells the app's accessories")
  }
}

extension RegistryAccessory {
  /// Whether it is authorized, and only the prefix of its network's name is known.
  fileprivate var awaitsNetwork: Bool { state == .authorized && descriptor.ssidPrefix != nil && ssid == nil }
}
