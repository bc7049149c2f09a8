// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest
public import Registry

// What an app does with its own accessories. Of others it learns nothing: an identifier that is another app's is
// refused in the same words as one that never was.

extension SetupCore {
  public mutating func accessory(
    _ text: String, of session: Session
  ) throws(SetupFailure) -> RegistryAccessory {
    guard let identifier = RandomIdentifier(text: text),
      let accessory = ledger.registry.accessory(identifier, ofApp: session.app),
      standing(of: accessory) != .suspended
    else {
      tally.foreignRefused += 1
      act(.log(.foreign(app: session.app)))
      throw .noSuchAccessory
    }
    return accessory
  }

  /// Asks the operators for another name; the answer comes with it.
  public mutating func renameAccessory(
    _ session: Session, _ text: String, options: RenameOptions, _ call: CallID
  ) throws(SetupFailure) {
    let accessory = try accessory(text, of: session)
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
    try openQuestion(
      about: accessory, session,
      .rename(
        RenameRequest(
          accessory: accessory.identifier, displayName: ledger.registry.device(of: accessory).displayName,
          renamesNetwork: options.contains(.ssid), call: call)))
  }

  /// Asks the operators to let the accessory be found by more; the answer comes with it.
  public mutating func updateAuthorization(
    _ session: Session, _ text: String, adding adds: RegistryExtension, _ call: CallID
  ) throws(SetupFailure) {
    let accessory = try accessory(text, of: session)
    try requireRegistry()
    try openQuestion(
      about: accessory, session,
      .authorize(
        AuthorizeRequest(
          accessory: accessory.identifier, displayName: ledger.registry.device(of: accessory).displayName,
          adds: adds, call: call)))
  }

  private mutating func openQuestion(
    about accessory: RegistryAccessory, _ session: Session, _ kind: DeskRequest.Kind
  ) throws(SetupFailure) {
    guard !requests.contains(where: { $0.accessoryInQuestion == accessory.identifier }) else {
      throw .isAskedAlready
    }
    try paceRequest(ofApp: session.app)
    tally.requestsOpened += 1
    revision += 1
    requests.append(
      DeskRequest(
        id: random.draw(), app: session.app, session: session.token, openedAt: now, kind: kind))
  }

  public mutating func removeAccessory(
    _ session: Session, _ text: String, _ call: CallID
  ) throws(SetupFailure) {
    let accessory = try accessory(text, of: session)
    try requireRegistry()
    remove(accessory, .call(call, .app))
  }

  /// Whatever asks about the accessory, or sets it up, ends with it.
  mutating func remove(_ accessory: RegistryAccessory, _ errand: ChangePurpose) {
    if awaiting[accessory.identifier] != nil { awaiting[accessory.identifier] = .some(nil) }
    change(.apply(.remove(accessory.identifier, leavesTombstone: accessory.item != nil)), errand)
  }

  /// The app takes what awaits it, or gives the whole name of a network whose beginning was added since.
  public mutating func finishAuthorization(
    _ session: Session, _ text: String, ssid: [UInt8]?, bridgingIdentifier: UInt64?, _ call: CallID
  ) throws(SetupFailure) {
    let accessory = try accessory(text, of: session)
    if let ssid, bridgingIdentifier == nil, accessory.awaitsNetwork {
      try requireRegistry()
      try require(ssid, of: accessory)
      return change(.apply(.setSSID(accessory.identifier, ssid)), .network(accessory.identifier, call))
    }
    try requireAwaiting(accessory)
    try requireRegistry()
    if let ssid { try require(ssid, of: accessory) }
    if accessory.descriptor.ssidPrefix != nil, accessory.ssid == nil, ssid == nil {
      throw SetupFailure(
        .invalidRequest, field: "ssid", "only the beginning of its network's name is known",
        cure: "give the whole name")
    }
    awaiting[accessory.identifier] = .some(nil)
    change(
      .apply(.authorize(accessory.identifier, ssid: ssid, bridgingIdentifier: bridgingIdentifier)),
      .confirm(accessory.identifier, call))
  }

  /// The app gives back what awaits it.
  public mutating func failAuthorization(
    _ session: Session, _ text: String, _ call: CallID
  ) throws(SetupFailure) {
    let accessory = try accessory(text, of: session)
    try requireAwaiting(accessory)
    try requireRegistry()
    takeBack(accessory.identifier, .givenBack, call)
  }

  private func requireAwaiting(_ accessory: RegistryAccessory) throws(SetupFailure) {
    guard accessory.state == .awaitingAuthorization, case .some(.some) = awaiting[accessory.identifier] else {
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

  /// Where an authorized accessory is on the air.
  public mutating func resolve(
    _ session: Session, _ text: String
  ) throws(SetupFailure) -> RegistryDevice {
    let accessory = try accessory(text, of: session)
    guard standing(of: accessory) == .active, accessory.state == .authorized else {
      throw SetupFailure(
        .invalidRequest, field: "accessory", "it is not authorized",
        cure: "wait until its state is authorized 20")
    }
    let device = ledger.registry.device(of: accessory)
    guard device.identity.address != nil else {
      throw SetupFailure(
        .invalidRequest, field: "accessory", "it has no Bluetooth",
        cure: "join its network, which its ssid names")
    }
    tally.resolved += 1
    act(.log(.resolved(app: session.app, accessory.identifier)))
    return device
  }

  /// Whoever waited for an answer is gone, and with it what it asked for.
  public mutating func abandon(_ call: CallID) {
    for request in requests {
      switch request.kind {
      case .rename(let rename) where rename.call == call && !rename.isUnderWay:
        close(request.id, .userCancelled(reason: "who asked has gone"))
      case .authorize(let authorize) where authorize.call == call && !authorize.isUnderWay:
        close(request.id, .userCancelled(reason: "who asked has gone"))
      case .rename, .authorize, .setup: break
      }
    }
  }
}

extension DeskRequest {
  /// The accessory that a rename or an authorization is about.
  var accessoryInQuestion: RandomIdentifier? {
    switch kind {
    case .setup: nil
    case .rename(let rename): rename.accessory
    case .authorize(let authorize): authorize.accessory
    }
  }
}

extension SetupFailure {
  fileprivate static var isAskedAlready: Self {
    Self(
      .pickerAlreadyActive, "the operators are asked about the accessory already",
      cure: "wait until that call is answered, and call again")
  }

  static var noSuchAccessory: Self {
    Self(
      .invalidRequest, field: "accessory", "the app has no such accessory",
      cure: "List tells the app's accessories")
  }
}

extension RegistryAccessory {
  /// It is authorized, and only the beginning of its network's name is known.
  fileprivate var awaitsNetwork: Bool { state == .authorized && descriptor.ssidPrefix != nil && ssid == nil }
}
