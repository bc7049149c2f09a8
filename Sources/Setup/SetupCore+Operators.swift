// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Registry

// The decisions of operators.

extension SetupCore {
  // MARK: - Requests

  public mutating func deny(_ request: String) throws(OperatorError) -> [SetupEffect] {
    try end(
      request,
      SetupError(.userRestricted, "an operator denied it", cure: "ask the gateway's operator"))
    return takeEffects()
  }

  /// Closes a picker for an operator.
  public mutating func cancel(_ request: String) throws(OperatorError) -> [SetupEffect] {
    let isPicker = try openRequest(request).picker != nil
    let flow = try end(
      request, .userCancelled(reason: "an operator closed the \(isPicker ? "picker" : "request")"))
    if flow.session != nil, flow.picker != nil { paces[flow.app]?.pickerWasCancelled(at: now) }
    return takeEffects()
  }

  /// Ends a request with a failure. Returns the flow as it was.
  @discardableResult
  private mutating func end(_ text: String, _ failure: SetupError) throws(OperatorError) -> SetupFlow {
    let flow = try openRequest(text)
    switch flow.state {
    case .discovering, .choosing, .pairing, .naming: change(flow.id) { $0.finish(failure) }
    case .confirming, .settling: if let accessory = flow.accessory { takeBack(accessory, failure) }
    case .asking: change(flow.id) { $0.close(failure) }
    case .created, .adding, .takingBack, .writing, .finished: throw .requestClosed(text)
    }
    return flow
  }

  /// Returns the request with this identifier.
  func openRequest(_ text: String) throws(OperatorError) -> SetupFlow {
    guard let id = RandomIdentifier(text: text), let flow = request(id), visibleApps.includes(flow.app)
    else { throw .requestClosed(text) }
    return flow
  }

  /// Returns the app of the manifest with this name.
  private func namedApp(_ name: String) throws(OperatorError) -> App {
    guard visibleApps.includes(name), let app = app(name) else { throw appNotFound(name) }
    return app
  }

  private func appNotFound(_ name: String) -> OperatorError {
    .notFound(.app, name: name, candidates: appNames.filter(visibleApps.includes))
  }

  /// Throws when an app neither is in the manifest nor has accessories.
  public func requireApp(_ name: String) throws(OperatorError) {
    guard visibleApps.includes(name), app(name) != nil || !registry.accessories(ofApp: name).isEmpty else {
      throw appNotFound(name)
    }
  }

  /// Gives the name that an operator typed to an accessory that is being renamed or set up.
  public mutating func name(
    _ request: String, _ name: String, _ call: CallID
  ) throws(OperatorError) -> [SetupEffect] {
    let flow = try openRequest(request)
    try requireRegistryForOperators()
    let name = try Self.deviceName(name)
    switch flow.state {
    case .naming:
      if let item = flow.chosenItem?.item { try Self.requireNetworkName(name, of: item) }
      add(flow.id, name: name)
      reply(call, .success(.done))
    case .asking: try rename(flow, name, call)
    case .discovering, .choosing:
      throw .invalid(field: "request", reason: "it waits for a choice, not to be named")
    case .pairing:
      throw .invalid(field: "request", reason: "its device is being paired, and can be named afterwards")
    case .confirming, .settling:
      throw .invalid(field: "request", reason: "it waits for its app, not to be named")
    case .writing where flow.question?.isRename != true: throw Self.takesNoName
    case .created, .adding, .takingBack, .writing, .finished: throw .requestClosed(request)
    }
    return takeEffects()
  }

  private static let takesNoName = OperatorError.invalid(
    field: "request", reason: "it waits for Agree, Deny or Cancel, and takes no name")

  private mutating func rename(_ flow: SetupFlow, _ name: String, _ call: CallID) throws(OperatorError) {
    guard let question = flow.question, case .rename(let renamesNetwork) = question.change else {
      throw Self.takesNoName
    }
    let accessory = registry.accessory(question.accessory)
    let prefix = accessory.flatMap(networkPrefix) ?? []
    let network = try renamesNetwork ? Self.network(name, beginningWith: prefix) : nil
    changeQuietly(flow.id) { $0.write() }
    enqueue(
      .apply(
        .rename(
          question.accessory, displayName: name, ssid: network,
          inactive: accessory.map(inactiveAccessories(sharingNetworkOf:)) ?? [])),
      .question(flow: flow.id, call))
  }

  /// Throws unless the name fits the network that it is given to as well.
  static func requireNetworkName(_ name: String, of item: DisplayItem) throws(OperatorError) {
    guard item.renamesNetwork else { return }
    _ = try network(name, beginningWith: item.descriptor.ssidPrefix ?? [])
  }

  /// Returns a device's name as the name of its network, by which the accessory is looked for.
  private static func network(
    _ name: String, beginningWith prefix: [UInt8]
  ) throws(OperatorError) -> [UInt8] {
    let network = Array(name.utf8)
    guard network.count <= RegistryLimits.ssidBytesMax else {
      throw .invalid(field: "name", reason: "the network is named too, and its name has at most 32 bytes")
    }
    guard network.starts(with: prefix) else {
      let beginning = String(decoding: prefix, as: UTF8.self)
      throw .invalid(
        field: "name", reason: "the network is named too, and its name begins with \(beginning)")
    }
    return network
  }

  /// Agrees to the extension or the migration that an app asks for. `known` are the devices that BlueZ knows, for a request
  /// that needs them.
  public mutating func agree(
    _ request: String, among known: KnownDevices = KnownDevices([]), _ call: CallID
  ) throws(OperatorError) -> [SetupEffect] {
    let flow = try openRequest(request)
    if let picker = flow.picker, flow.asksForMigration {
      guard flow.state == .asking else { throw .requestClosed(request) }
      try requireRegistryForOperators()
      agreeToMigration(flow, picker.migrations, among: known, call)
      return takeEffects()
    }
    guard let question = flow.question, case .extend(let adds) = question.change else {
      throw .invalid(field: "request", reason: "it asks for nothing that could be agreed to")
    }
    guard flow.state == .asking else { throw .requestClosed(request) }
    try requireRegistryForOperators()
    changeQuietly(flow.id) { $0.write() }
    enqueue(.apply(.extend(question.accessory, adds)), .question(flow: flow.id, call))
    return takeEffects()
  }

  /// Closes a question after the operator's change was written, or was not.
  mutating func questionWasWritten(_ id: RandomIdentifier, _ call: CallID, _ result: ChangeResult) {
    replyToOperator(call, result)
    guard let question = flows.flow(id)?.question else { return }
    let displayName = view(question.accessory)?.displayName
    change(id) { $0.close(result.setupFailure, displayName: displayName) }
  }

  // MARK: - Requests that operators open

  /// A request that an operator opens on behalf of an app.
  public struct Opening: Sendable {
    public var app: String
    /// The ids of items; nil for all that can be chosen.
    public var items: [String]?
    public var choice = PickerRequest.Choice.person
    public var count = 1
    /// An operator looks at the candidates.
    public var isAttended = true
    public var settings = PickerSettings()

    public init(app: String) { self.app = app }
  }

  public mutating func open(
    _ opening: Opening
  ) throws(OperatorError) -> (RandomIdentifier, [SetupEffect]) {
    try requireRegistryForOperators()
    let app = try namedApp(opening.app)
    let items = try items(of: app, opening.items)
    let isImmediate = items.contains { $0.item.descriptor.range == .immediate }
    if [.touch, .firstImmediate].contains(opening.choice), !isImmediate {
      throw .invalid(
        field: opening.choice == .touch ? "usesTouch" : "takesFirstImmediate",
        reason: "none of the items has bluetooth-range = \"immediate\"")
    }
    if let open = flows.picker(ofApp: app.name) { throw .busy(open.id) }
    if let failure = accountFailure(ofApp: app.name) { throw .setupFailed(failure) }
    switch opening.choice {
    case .device(let bits): try requireNoAccessory(ofApp: app.name, at: bits)
    case .network(let name): try requireNoAccessory(ofApp: app.name, items, with: name)
    case .person, .touch, .firstImmediate: break
    }
    let picker = PickerRequest(
      items, settings: opening.settings, choice: opening.choice, isTouchable: opening.choice == .touch,
      count: opening.count, isAttended: opening.isAttended, limits: configuration.limits, at: now)
    return (open(picker, app: app.name, .operator), takeEffects())
  }

  /// Throws when the device is the app's accessory already: the picker would not offer it.
  func requireNoAccessory(ofApp app: String, at bits: UInt64) throws(OperatorError) {
    for accessory in registry.accessories(ofApp: app) {
      let device = registry.device(of: accessory)
      guard [device.identity.address, device.secondAddress].contains(where: { $0?.bits == bits }) else {
        continue
      }
      throw .setupFailed(.alreadySetUp(AddressText.text(of: bits), app: app, name: device.displayName))
    }
  }

  /// Throws when the network is the app's accessory already, or no item looks for it.
  private func requireNoAccessory(
    ofApp app: String, _ items: [PickerItem], with name: [UInt8]
  ) throws(OperatorError) {
    let searches = items.map(\.item.descriptor).filter(\.isFoundByNetwork)
    guard !searches.isEmpty else {
      throw .invalid(
        field: "network", reason: "none of the items is found by its network alone, with ssid or ssid-prefix")
    }
    guard searches.contains(where: { $0.matches(network: name) }) else {
      throw .invalid(
        field: "network",
        reason:
          "none of the items looks for this name; accessoryctl explain --network NAME says where it differs")
    }
    guard let grant = grants.grants(of: .network(name)).first(where: { $0.app == app }),
      let accessory = registry.accessory(grant.identifier)
    else { return }
    let network = String(decoding: name, as: UTF8.self).quotedForDisplay
    throw .setupFailed(
      .alreadySetUp(
        network, app: app, name: registry.device(of: accessory).displayName, field: "network"))
  }

  private func items(of app: App, _ ids: [String]?) throws(OperatorError) -> [PickerItem] {
    let choosable = app.items.filter { $0.selection != .observe }
    var items: [PickerItem] = []
    for id in ids ?? choosable.map(\.id) {
      guard !items.contains(where: { $0.item.id == id }) else {
        throw .invalid(field: "items", reason: "the item \(id) is listed twice; name each item once")
      }
      guard let item = choosable.first(where: { $0.id == id }) else {
        throw .notFound(.item, name: id, candidates: choosable.map(\.id))
      }
      items.append(PickerItem(item))
    }
    guard !items.isEmpty else {
      guard ids == nil else {
        throw .invalid(
          field: "items", reason: "it is empty; name items, or leave it out for all of the app's")
      }
      throw .setupFailed(.noItems(of: app.name, cure: "and call accessoryctl reload"))
    }
    return items
  }

  /// Ends a request whose operator has disconnected, after the accessory that is being set up.
  public mutating func abandon(_ request: RandomIdentifier) -> [SetupEffect] {
    if flows.flow(request)?.isOnBehalf == true {
      change(request) { flow in
        flow.isAbandoned = true
        return []
      }
      endIfAbandoned(request)
    }
    return takeEffects()
  }

  /// Ends a request whose opener has disconnected, once nothing is being set up any more.
  mutating func endIfAbandoned(_ request: RandomIdentifier) {
    guard let flow = flows.flow(request), flow.isAbandoned, flow.canBeClosed else { return }
    change(request) { $0.finish(.userCancelled(reason: "the operator who opened it has disconnected")) }
  }

  // MARK: - Accessories

  func accessory(_ text: String) throws(OperatorError) -> RegistryAccessory {
    try requireRegistryForOperators()
    guard let identifier = RandomIdentifier(text: text), let accessory = registry.accessory(identifier),
      visibleApps.includes(accessory.app)
    else { throw .notFound(.accessory, name: text) }
    return accessory
  }

  public mutating func rename(
    _ text: String, _ name: String, _ call: CallID
  ) throws(OperatorError) -> [SetupEffect] {
    let accessory = try accessory(text)
    let name = try Self.deviceName(name)
    return request(.apply(.rename(accessory.identifier, displayName: name)), .call(call, .operator))
  }

  public mutating func remove(_ text: String, _ call: CallID) throws(OperatorError) -> [SetupEffect] {
    remove(try accessory(text), .call(call, .operator))
    return takeEffects()
  }

  /// Lets an app set up a removed device by touch or automatically again.
  /// - Parameter device: The device's address, AA:BB:CC:DD:EE:FF, its second one, or its network's name.
  public mutating func allow(
    app: String, device: String, _ call: CallID
  ) throws(OperatorError) -> [SetupEffect] {
    try requireRegistryForOperators()
    let tombstones = registry.tombstones.filter { $0.app == app }
    let bits = AddressText.bits(device)
    let buried = tombstones.first { tombstone in
      tombstone.identity.text == device
        || [tombstone.identity.address, tombstone.secondAddress].contains { bits != nil && $0?.bits == bits }
    }
    guard let buried else {
      throw .notFound(.device, name: device, candidates: Set(tombstones.map(\.identity.text)).sorted())
    }
    return request(.apply(.allow(app: app, buried.identity)), .call(call, .operator))
  }

  /// Binds the app's accessories to its present account.
  public mutating func authorize(app: String, _ call: CallID) throws(OperatorError) -> [SetupEffect] {
    try requireRegistryForOperators()
    _ = try namedApp(app)
    guard let account = configuration.accounts[app] else {
      throw .invalid(
        field: "app",
        reason:
          "no account on this machine may act as it; make the account that the manifest names, and reload")
    }
    let count = registry.accessories(ofApp: app).count
    guard count > 0 else { return [.reply(call, .success(.count(0)))] }
    return request(.apply(.confirmAccount(app: app, account)), .call(call, .account(count)))
  }

  /// Replaces the registry, but for the keys of bonds that it does not bring, or may not.
  public mutating func replaceRegistry(
    _ registry: AccessoryRegistry, takesKeys: Bool, for user: UInt32, _ call: CallID
  ) throws(OperatorError) -> [SetupEffect] {
    try requireRegistryForOperators()
    return request(
      .replace(registry, takesKeys: takesKeys),
      .call(
        call,
        .importing(user: user, accessories: registry.accessories.count, keyed: registry.keyedDeviceCount)))
  }

  /// Replaces the registry with an empty one, in every state of the old one. An empty one stays as it is.
  public mutating func resetRegistry(_ call: CallID) -> [SetupEffect] {
    if registry == AccessoryRegistry(), degradation == nil {
      return [.reply(call, .success(.reset(kept: nil)))]
    }
    return request(.reset, .call(call, .operator))
  }

  private mutating func request(_ change: RegistryQueue.Change, _ purpose: ChangePurpose) -> [SetupEffect] {
    enqueue(change, purpose)
    return takeEffects()
  }
}

extension SetupError {
  fileprivate static func alreadySetUp(
    _ device: String, app: String, name: String, field: String = "device"
  ) -> Self {
    invalid(
      field, "\(device) is an accessory of \(app) already, \(name.quotedForDisplay)",
      cure: "use it, or remove it first with accessoryctl remove")
  }
}

extension SetupQuestion {
  fileprivate var isRename: Bool { if case .rename = change { true } else { false } }
}
