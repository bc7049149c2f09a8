// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

// What an app does with its own accessories. It learns nothing of other apps' accessories: their identifiers are
// refused in the same words as identifiers that do not exist.

extension SetupCore {
  /// Returns the accessory of the session's app with this identifier; nil while it is hidden from the app.
  public func accessory(_ text: String, of session: Session) -> RegistryAccessory? {
    guard let identifier = RandomIdentifier(text: text),
      let accessory = registry.accessory(identifier, ofApp: session.app),
      status(of: accessory) != .suspended
    else { return nil }
    return accessory
  }

  /// Counts and logs a call that named an accessory which the session's app does not have.
  public mutating func refuseUnknownIdentifier(of session: Session) -> [SetupEffect] {
    counters.unknownIdentifiersRefused += 1
    log(.unknownIdentifier(app: session.app))
    return takeEffects()
  }

  /// Asks the operators for another name; the reply follows when an operator has typed it.
  public mutating func renameAccessory(
    _ accessory: RegistryAccessory, _ session: Session, options: RenameOptions, _ call: CallID
  ) throws(SetupError) -> [SetupEffect] {
    try requireRegistry()
    if options.contains(.ssid), accessory.ssid == nil {
      throw .invalid("renameOptions", "the accessory has no network to rename", cure: "leave out ssid 1")
    }
    if options.contains(.ssid), accessory.descriptor.ssid != nil {
      throw .invalid(
        "renameOptions", "the accessory is looked for by its network's whole name, which a rename would lose",
        cure: "leave out ssid 1, or look for it by ssidPrefix")
    }
    if options.contains(.ssid),
      activeAccessories(sharingNetworkOf: accessory).contains(where: { $0.descriptor.ssid != nil })
    {
      throw .networkNameNeeded
    }
    return try ask(about: accessory, session, .rename(renamesNetwork: options.contains(.ssid)), call)
  }

  /// How a new name of an accessory's network must begin, so that each app that has the network still finds it.
  public func networkPrefix(of accessory: RegistryAccessory) -> [UInt8]? {
    // Each begins the present name, so that the longest begins with all others.
    activeAccessories(sharingNetworkOf: accessory).compactMap(\.descriptor.ssidPrefix).max {
      $0.count < $1.count
    }
  }

  /// Returns the accessories that a new name of an accessory's network has to fit: itself, and those that apps use.
  private func activeAccessories(sharingNetworkOf accessory: RegistryAccessory) -> [RegistryAccessory] {
    let inactive = inactiveAccessories(sharingNetworkOf: accessory)
    return registry.accessories(sharingNetworkOf: accessory).filter { !inactive.contains($0.identifier) }
  }

  /// Returns those that no app uses now. They do not hinder a new name.
  func inactiveAccessories(sharingNetworkOf accessory: RegistryAccessory) -> Set<RandomIdentifier> {
    let others = registry.accessories(sharingNetworkOf: accessory).filter { $0 != accessory }
    return Set(others.filter { status(of: $0) != .active }.map(\.identifier))
  }

  /// Asks the operators to let the accessory match a wider descriptor; the reply follows their answer.
  public mutating func updateAuthorization(
    _ accessory: RegistryAccessory, _ session: Session, adding adds: RegistryExtension, _ call: CallID
  ) throws(SetupError) -> [SetupEffect] {
    try requireRegistry()
    return try ask(about: accessory, session, .extend(adds), call)
  }

  private mutating func ask(
    about accessory: RegistryAccessory, _ session: Session, _ change: SetupQuestion.Change, _ call: CallID
  ) throws(SetupError) -> [SetupEffect] {
    guard !flows.flows.contains(where: { $0.question?.accessory == accessory.identifier }) else {
      throw .isAskedAlready
    }
    counters.requestsOpened += 1
    let id = random.draw()
    flows.append(
      SetupFlow(
        id, app: session.app, .session(session.token),
        SetupQuestion(accessory: accessory.identifier, change: change, call: call),
        displayName: registry.device(of: accessory).displayName, at: now))
    self.change(id) { $0.ask() }
    announce(id)
    return takeEffects()
  }

  public mutating func removeAccessory(
    _ accessory: RegistryAccessory, _ call: CallID
  ) throws(SetupError) -> [SetupEffect] {
    try requireRegistry()
    remove(accessory, .call(call, .app(accessory.identifier)))
    return takeEffects()
  }

  /// Removes an accessory. Every flow about it ends with it.
  mutating func remove(_ accessory: RegistryAccessory, _ purpose: ChangePurpose) {
    settleFlow(of: accessory)
    enqueue(.apply(.remove(accessory.identifier, leavesTombstone: accessory.item != nil)), purpose)
  }

  /// Lets the flow of an accessory that awaits its app wait for the disk.
  private mutating func settleFlow(of accessory: RegistryAccessory) {
    guard let flow = flows.flow(awaitingAppWith: accessory.identifier) else { return }
    changeQuietly(flow.id) { $0.settle() }
  }

  /// Authorizes an accessory that its app confirms, or stores the full name of a network whose prefix was added since.
  public mutating func finishAuthorization(
    _ accessory: RegistryAccessory, ssid: [UInt8]?, bridgingIdentifier: UInt64?, _ call: CallID
  ) throws(SetupError) -> [SetupEffect] {
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
      throw .invalid("ssid", "only the prefix of its network's name is known", cure: "give the whole name")
    }
    settleFlow(of: accessory)
    enqueue(
      .apply(.authorize(accessory.identifier, ssid: ssid, bridgingIdentifier: bridgingIdentifier)),
      .confirm(accessory.identifier, call))
    return takeEffects()
  }

  /// Takes back an accessory that its app does not want.
  public mutating func failAuthorization(
    _ accessory: RegistryAccessory, _ call: CallID
  ) throws(SetupError) -> [SetupEffect] {
    try requireAwaiting(accessory)
    try requireRegistry()
    takeBack(accessory.identifier, .givenBack, call)
    return takeEffects()
  }

  private func requireAwaiting(_ accessory: RegistryAccessory) throws(SetupError) {
    guard case .confirming? = flows.flow(awaitingAppWith: accessory.identifier)?.state else {
      throw .invalid(
        "accessory", "it does not await authorization",
        cure: "call this once, after accessoryAdded with the state awaitingAuthorization 10")
    }
  }

  private func require(_ ssid: [UInt8], of accessory: RegistryAccessory) throws(SetupError) {
    guard (1...RegistryLimits.ssidBytesMax).contains(ssid.count) else {
      throw .invalid("ssid", "it has \(ssid.count) bytes", cure: "use 1 to 32 bytes")
    }
    // What was found by its network has that network's name.
    let whole = registry.device(of: accessory).identity.ssid ?? accessory.descriptor.ssid
    let isFitting =
      whole.map { $0 == ssid } ?? accessory.descriptor.ssidPrefix.map { ssid.starts(with: $0) }
    guard isFitting ?? false else {
      throw .invalid(
        "ssid", "the accessory was not chosen for this network",
        cure: "give a name that its descriptor matches, or none")
    }
  }

  /// Returns the device of an accessory that its app may connect to by itself, with its address.
  public mutating func resolve(
    _ accessory: RegistryAccessory, for session: Session
  ) throws(SetupError) -> (RegistryDevice, [SetupEffect]) {
    let device = try requireBluetooth(accessory, for: session)
    if device.bond != .none {
      throw .invalid(
        "accessory", "it is bonded, and only the agent may use its keys",
        cure: "call Connect, which returns a connected socket")
    }
    counters.resolved += 1
    log(.resolved(app: accessory.app, accessory.identifier))
    return (device, takeEffects())
  }

  /// Who may use an accessory now.
  public func audience(of grant: Grants.Grant) -> Audience {
    grant.isAuthorized ? .app : grant.isActive ? awaitingAudience(of: grant.identifier) : .noSession
  }

  private func awaitingAudience(of accessory: RandomIdentifier) -> Audience {
    guard let flow = flows.flow(awaitingAppWith: accessory), let session = flow.session else {
      return .noSession
    }
    return .session(session)
  }

  /// Whether an accessory still exists, and a session may use it.
  public func isUsable(_ accessory: RandomIdentifier, by session: RandomIdentifier) -> Bool {
    guard let accessory = registry.accessory(accessory), status(of: accessory) == .active else {
      return false
    }
    return accessory.state == .authorized || awaitingAudience(of: accessory.identifier).includes(session)
  }

  /// Returns the device of an accessory that a session may use and that has an address.
  public func requireBluetooth(
    _ accessory: RegistryAccessory, for session: Session
  ) throws(SetupError) -> RegistryDevice {
    guard isUsable(accessory.identifier, by: session.token) else {
      throw .invalid(
        "accessory", "it is not authorized",
        cure:
          "wait until its state is authorized 20; before that only the session may use it that asked for it")
    }
    let device = registry.device(of: accessory)
    guard device.identity.address != nil else {
      throw .invalid("accessory", "it has no Bluetooth", cure: "join its network, which its ssid names")
    }
    return device
  }

  /// Withdraws the question of a call whose client has disconnected.
  public mutating func abandon(_ call: CallID) -> [SetupEffect] {
    for flow in flows.flows where flow.state == .asking && flow.question?.call == call {
      change(flow.id) { $0.close(.userCancelled(reason: "the app that asked has disconnected")) }
    }
    return takeEffects()
  }
}

extension SetupError {
  /// Says nothing of the other app but that there is one.
  static let networkNameNeeded = invalid(
    "renameOptions", "another app needs the network's present name", cure: "leave out ssid 1")
  fileprivate static let isAskedAlready = Self(
    .pickerAlreadyActive, "the operators are asked about the accessory already",
    cure: "wait until that call is answered, and call again")
  public static let noSuchAccessory = invalid(
    "accessory", "the app has no such accessory", cure: "List returns the app's accessories")
}

extension RegistryAccessory {
  /// Whether it is authorized, and only the prefix of its network's name is known.
  fileprivate var awaitsNetwork: Bool { state == .authorized && descriptor.ssidPrefix != nil && ssid == nil }
}
