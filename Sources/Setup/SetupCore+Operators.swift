// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
public import Registry

// What operators decide.

extension SetupCore {
  // MARK: - Requests

  /// The operator says no.
  public mutating func deny(_ request: String) throws(OperatorError) {
    try end(
      request,
      SetupFailure(.userRestricted, "an operator denied it", cure: "ask the people at the gateway"))
  }

  /// The operator closes the picker.
  public mutating func cancel(_ request: String) throws(OperatorError) {
    let index = try end(request, .userCancelled(reason: "an operator closed the picker"))
    if let app = index { paces[app]?.close(by: .operator, at: now) }
  }

  /// Ends a request for that reason; answers the app if a session had asked.
  @discardableResult
  private mutating func end(_ text: String, _ failure: SetupFailure) throws(OperatorError) -> String? {
    guard let id = RandomIdentifier(text: text), let index = index(of: id) else { throw .requestClosed(text) }
    let app = requests[index].isOnBehalf ? nil : requests[index].app
    switch requests[index].kind {
    case .setup(let setup):
      switch setup.step {
      case .none, .naming: failSetup(id, failure)
      case .confirming:
        if let accessory = setup.accessory { takeBack(accessory, failure) }
      case .adding, .takingBack: throw .requestClosed(text)
      }
    case .rename(let rename):
      guard !rename.isUnderWay else { throw .requestClosed(text) }
      close(id, failure)
    case .authorize(let authorize):
      guard !authorize.isUnderWay else { throw .requestClosed(text) }
      close(id, failure)
    }
    return app
  }

  /// A rename or an authorization comes to nothing.
  mutating func close(_ id: RandomIdentifier, _ failure: SetupFailure) {
    guard let index = index(of: id), let call = requests[index].call else { return }
    let request = requests.remove(at: index)
    act(.answer(call, .failure(.failure(failure))))
    remember(
      RequestOutcome(request: request.id, accessory: nil, displayName: nil, failure: failure, made: []))
  }

  /// A person types a name: of a rename, or of what is being set up.
  public mutating func name(_ request: String, _ name: String, _ call: CallID) throws(OperatorError) {
    guard let id = RandomIdentifier(text: request), let index = index(of: id) else {
      throw .requestClosed(request)
    }
    try requireRegistryForOperators()
    let name = try Self.deviceName(name)
    switch requests[index].kind {
    case .setup(let setup):
      guard case .naming = setup.step else { throw setup.takesNoName(request) }
      if let item = setup.chosenItem?.item { try Self.requireNetworkName(name, of: item) }
      add(index, name: name)
      act(.answer(call, .success(.done)))
    case .rename(var rename):
      guard !rename.isUnderWay else { throw .requestClosed(request) }
      let prefix = ledger.registry.accessory(rename.accessory)?.descriptor.ssidPrefix ?? []
      let network = try rename.renamesNetwork ? Self.network(name, beginningWith: prefix) : nil
      rename.isUnderWay = true
      requests[index].kind = .rename(rename)
      change(
        .apply(.rename(rename.accessory, displayName: name, ssid: network)), .rename(request: id, call))
    case .authorize:
      throw .invalid(field: "request", reason: "it waits for Agree, Deny or Cancel, and takes no name")
    }
  }

  /// Where a setup's name is its network's too.
  static func requireNetworkName(_ name: String, of item: DisplayItem) throws(OperatorError) {
    guard item.renamesNetwork else { return }
    _ = try network(name, beginningWith: item.descriptor.ssidPrefix ?? [])
  }

  /// A name that is its network's too: one that the accessory is looked for by.
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

  /// Agrees to what an app asks for.
  public mutating func agree(_ request: String, _ call: CallID) throws(OperatorError) {
    guard let id = RandomIdentifier(text: request), let index = index(of: id) else {
      throw .requestClosed(request)
    }
    guard case .authorize(var authorize) = requests[index].kind else {
      throw .invalid(field: "request", reason: "it asks for nothing that could be agreed to")
    }
    guard !authorize.isUnderWay else { throw .requestClosed(request) }
    try requireRegistryForOperators()
    authorize.isUnderWay = true
    requests[index].kind = .authorize(authorize)
    change(.apply(.extend(authorize.accessory, authorize.adds)), .authorize(request: id, call))
  }

  /// What an app asked for, and an operator granted, was written or not.
  mutating func questionWasWritten(_ id: RandomIdentifier, _ call: CallID, _ outcome: ChangeResult) {
    answer(call, outcome)
    guard let index = index(of: id), let asking = requests[index].call,
      let identifier = requests[index].accessoryInQuestion
    else { return }
    requests.remove(at: index)
    let failure = outcome.setupFailure
    let accessory = view(identifier)
    if let accessory, failure == nil {
      act(.answer(asking, .success(.accessory(accessory))))
    } else {
      act(.answer(asking, .failure(.failure(failure ?? .noSuchAccessory))))
    }
    remember(
      RequestOutcome(
        request: id, accessory: failure == nil ? identifier : nil, displayName: accessory?.displayName,
        failure: failure, made: []))
  }

  // MARK: - Requests of their own

  /// What an operator opens on an app's behalf.
  public struct Opening: Sendable {
    public var app: String
    /// Ids of items; nil is all that can be chosen.
    public var items: [String]?
    public var choice = PickerRequest.Choice.person
    public var count = 1
    /// A person looks at what is shown.
    public var isAttended = true
    public var settings = PickerSettings()

    public init(app: String) { self.app = app }
  }

  /// So many accessories may be set up by one request.
  public static let countMax = 256

  public mutating func open(_ opening: Opening) throws(OperatorError) -> RandomIdentifier {
    try requireRegistryForOperators()
    guard let app = configuration.apps[opening.app] else {
      throw .notFound(.app, name: opening.app, candidates: configuration.apps.keys.sorted())
    }
    let items = try items(of: app, opening.items)
    let isImmediate = items.contains { $0.item.descriptor.range == .immediate }
    if opening.choice.needsImmediateItem, !isImmediate {
      throw .invalid(
        field: opening.choice == .touch ? "touch" : "firstImmediate",
        reason: "none of the items has bluetooth-range = \"immediate\"")
    }
    if let open = openPicker(ofApp: app.name) { throw .busy(open.id) }
    if let failure = accountFailure(ofApp: app.name) { throw .setupFailed(failure) }
    if case .device(let bits) = opening.choice { try requireNoAccessory(ofApp: app.name, at: bits) }
    return open(
      app: app.name, session: nil, items, opening.settings, opening.choice, touches: opening.choice == .touch,
      count: opening.count, isAttended: opening.isAttended)
  }

  /// What the app has already is not offered to it: it would be waited for in vain.
  private func requireNoAccessory(ofApp app: String, at bits: UInt64) throws(OperatorError) {
    for accessory in ledger.registry.accessories(ofApp: app) {
      let device = ledger.registry.device(of: accessory)
      guard [device.identity.address, device.secondAddress].contains(where: { $0?.bits == bits }) else {
        continue
      }
      throw .setupFailed(.alreadySetUp(AddressText.text(of: bits), app: app, name: device.displayName))
    }
  }

  private func items(of app: App, _ ids: [String]?) throws(OperatorError) -> [PickerItem] {
    let choosable = app.items.filter { $0.selection != .observe }
    var items: [PickerItem] = []
    for id in ids ?? choosable.map(\.id) {
      guard !items.contains(where: { $0.item.id == id }) else {
        throw .invalid(field: "items", reason: "the item \(id) is there already; name each item once")
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

  /// Whoever opened the request has gone. What is being set up goes on.
  public mutating func abandon(_ request: RandomIdentifier) {
    guard let index = index(of: request), requests[index].isOnBehalf else { return }
    withSetup(index) { $0.isAbandoned = true }
    endIfAbandoned(request)
  }

  /// Once nothing is being set up any more, a request whose opener has gone ends.
  mutating func endIfAbandoned(_ request: RandomIdentifier) {
    guard let setup = self.request(request)?.setup, setup.isAbandoned, setup.canBeClosed else { return }
    failSetup(request, .userCancelled(reason: "who opened it has gone"))
  }

  // MARK: - Accessories

  private func accessory(_ text: String) throws(OperatorError) -> RegistryAccessory {
    try requireRegistryForOperators()
    guard let identifier = RandomIdentifier(text: text), let accessory = ledger.registry.accessory(identifier)
    else { throw .notFound(.accessory, name: text) }
    return accessory
  }

  public mutating func rename(_ text: String, _ name: String, _ call: CallID) throws(OperatorError) {
    let accessory = try accessory(text)
    let name = try Self.deviceName(name)
    change(.apply(.rename(accessory.identifier, displayName: name)), .call(call, .operator))
  }

  public mutating func remove(_ text: String, _ call: CallID) throws(OperatorError) {
    remove(try accessory(text), .call(call, .operator))
  }

  /// - Parameter device: The device's address, AA:BB:CC:DD:EE:FF, its second one, or its network's name.
  public mutating func allow(app: String, device: String, _ call: CallID) throws(OperatorError) {
    try requireRegistryForOperators()
    let tombstones = ledger.registry.tombstones.filter { $0.app == app }
    let bits = AddressText.bits(device)
    let buried = tombstones.first { tombstone in
      tombstone.identity.text == device
        || [tombstone.identity.address, tombstone.secondAddress].contains { bits != nil && $0?.bits == bits }
    }
    guard let buried else {
      throw .notFound(.device, name: device, candidates: Set(tombstones.map(\.identity.text)).sorted())
    }
    change(.apply(.allow(app: app, buried.identity)), .call(call, .operator))
  }

  /// The app's accessories are its present account's.
  public mutating func authorize(app: String, _ call: CallID) throws(OperatorError) {
    try requireRegistryForOperators()
    guard configuration.apps[app] != nil else { throw .notFound(.app, name: app, candidates: appNames) }
    guard let account = configuration.accounts[app] else {
      throw .invalid(
        field: "app",
        reason: "nobody on this machine may act as it; make the account that the manifest names, and reload")
    }
    let count = ledger.registry.accessories(ofApp: app).count
    guard count > 0 else { return act(.answer(call, .success(.count(0)))) }
    change(.apply(.confirmAccount(app: app, account)), .call(call, .account(count)))
  }

  public mutating func replaceRegistry(_ registry: AccessoryRegistry, _ call: CallID) throws(OperatorError) {
    try requireRegistryForOperators()
    change(.replace(registry), .call(call, .importing(registry.accessories.count)))
  }

  /// Begins an empty registry, whatever state the old one is in.
  public mutating func resetRegistry(_ call: CallID) { change(.reset, .call(call, .operator)) }
}

extension SetupFailure {
  fileprivate static func alreadySetUp(_ address: String, app: String, name: String) -> Self {
    Self(
      .invalidRequest, field: "device",
      "\(address) is an accessory of \(app) already, \(name.quotedForPeople)",
      cure: "use it, or take it away first with accessoryctl remove")
  }
}

extension PickerRequest.Choice {
  fileprivate var needsImmediateItem: Bool {
    switch self {
    case .touch, .firstImmediate: true
    case .person, .device: false
    }
  }
}

extension DeskRequest {
  /// The app's call that waits for the request.
  var call: CallID? {
    switch kind {
    case .setup: nil
    case .rename(let rename): rename.call
    case .authorize(let authorize): authorize.call
    }
  }
}
