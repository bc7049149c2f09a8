// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Registry

// The setup core performs the effects of the registry queue.

extension SetupCore {
  /// How long after the failed removal of an accessory that awaits its app the removal is tried again.
  static let takeBackMilliseconds: Int64 = 30_000

  /// How long after the registry's file could not be opened it is opened again.
  static let reopenMilliseconds: Int64 = 30_000
  /// A request that takes the disk longer is a problem.
  private static let diskMilliseconds: Int64 = 5000

  mutating func enqueue(_ change: RegistryQueue.Change, _ purpose: ChangePurpose) {
    performQueueEffects(queue.enqueue(change, purpose))
  }

  /// Receives a reply of the disk.
  public mutating func receive(_ reply: RegistryReply) -> [SetupEffect] {
    queue.requested = nil
    performQueueEffects(queue.receive(reply))
    performQueueEffects(queue.writeNext())
    return takeEffects()
  }

  /// For how long the disk has been busy with one request, once that is too long; in milliseconds.
  public var diskHangMilliseconds: Int64? {
    guard let requested = queue.requested else { return nil }
    let milliseconds = now.milliseconds(since: requested)
    return milliseconds < Self.diskMilliseconds ? nil : milliseconds
  }

  /// Reads a file that could not be used again: it may have been repaired.
  mutating func openRegistryAgain() { performQueueEffects(queue.openAgain()) }

  mutating func performQueueEffects(_ effects: [RegistryQueue.Effect]) {
    for effect in effects {
      switch effect {
      case .request(let request):
        queue.requested = now
        add(.registry(request))
      case .adopted(let old, let isFirst): followRegistry(from: old, isFirst: isFirst)
      case .settled(let purpose, let result): settle(purpose, result)
      case .writeFailed: counters.commitsFailed += 1
      case .degraded(let mayPass):
        if mayPass { queue.retryTime = now.advanced(milliseconds: Self.reopenMilliseconds) }
        note(.requests)
      case .opened: takeBackLeftovers()
      }
    }
  }

  /// Takes the rhythms of accessories' devices, by settled address, of those that were heard long enough; nil for a device that
  /// sends all the time. While nothing changes, nothing is written.
  public mutating func noteRhythms(_ rhythms: [DeviceAddress: UInt32?]) -> [SetupEffect] {
    guard queue.state == .open, queue.isIdle else { return [] }
    let due = queue.rhythms.note(rhythms, in: registry, at: now)
    if !due.isEmpty { enqueue(.apply(.setRhythms(due)), .rhythms) }
    return takeEffects()
  }

  // MARK: - After a change

  private mutating func followRegistry(from old: AccessoryRegistry, isFirst: Bool) {
    // `activated` reports what the file held at the start.
    if !isFirst { reportDifferences(from: old, configuration) }
    followBonds(from: old)
    if isFirst { removeBondsOfBluetoothd() }
    refreshGrants(origin: isFirst ? .previousRun : .registry)
    endOvertakenRequests()
  }

  /// Takes back the accessories that awaited their apps when the run before ended.
  private mutating func takeBackLeftovers() {
    for flow in flows.flows where flow.origin == .previousRun { takeBack(flow.id, .agentHasRestarted) }
  }

  /// Ends the questions about accessories that were removed, and continues the picker whose accessory was removed or
  /// confirmed.
  private mutating func endOvertakenRequests() {
    for flow in flows.flows where flow.isRequest {
      if let replaced = flow.replaced, registry.accessory(replaced) == nil, flow.canBeClosed {
        change(flow.id) { $0.finish(.noSuchAccessory) }
        continue
      }
      guard let identifier = flow.accessory else { continue }
      let accessory = registry.accessory(identifier)
      switch flow.state {
      case .pairing where flow.question != nil:
        if accessory == nil { change(flow.id) { $0.finish(.noSuchAccessory) } }
      case .asking:
        if flow.question != nil, accessory == nil { change(flow.id) { $0.close(.noSuchAccessory) } }
      case .confirming, .settling:
        switch accessory?.state {
        case .awaitingAuthorization: break
        case .authorized, .unauthorized: confirm(identifier)
        case nil: change(flow.id) { $0.finish(.wasRemoved) }
        }
      case .created, .discovering, .choosing, .pairing, .naming, .adding, .takingBack, .writing, .finished:
        break
      }
    }
  }

  /// Rebuilds the grants, and follows the accessories that await their apps. `origin` is that of new flows.
  mutating func refreshGrants(origin: SetupFlow.Origin = .registry) {
    grants = Grants(registry, configuration)
    automatic.awaitsNetworks = configuration.automaticNetworks.contains(where: isAwaited)
    note([.grants, .requests])
    for flow in flows.flows where flow.isUnattended {
      if registry.accessory(flow.id)?.state != .awaitingAuthorization { endUnattended(flow) }
    }
    followAwaitingAccessories(origin, until: now.advanced(milliseconds: SetupFlow.confirmMilliseconds))
  }

  /// Begins a flow for each accessory that awaits its app and has none.
  mutating func followAwaitingAccessories(_ origin: SetupFlow.Origin = .registry, until end: Instant) {
    for accessory in registry.accessories where accessory.state == .awaitingAuthorization {
      guard !flows.flows.contains(where: { $0.follows(accessory.identifier) }) else { continue }
      flows.append(SetupFlow(accessory.identifier, app: accessory.app, origin, at: now))
      changeQuietly(accessory.identifier) { $0.awaitApp(until: end) }
    }
  }

  /// Ends the flow of an accessory that no operator chose, and that does not await its app any more.
  private mutating func endUnattended(_ flow: SetupFlow) {
    let isTaken = registry.accessory(flow.id) != nil
    if case .automatic(let key) = flow.origin {
      if isTaken { automatic.succeed(key) } else { failAutomatic(key, .notConfirmed) }
    }
    changeQuietly(flow.id) { $0.finish(isTaken ? nil : .notConfirmed) }
  }

  /// Reports to every app how its accessories differ from those in `old`. Removals come first: an accessory in the place of
  /// another may have that one's Bluetooth identifier.
  mutating func reportDifferences(from old: AccessoryRegistry, _ before: SetupConfiguration) {
    let new = registry
    let isSame = before.hasSameStatuses(as: configuration)
    let left = old.accessories.filter { !isSame || new.hasChanged($0, since: old) }
    let come = new.accessories.filter { !isSame || old.hasChanged($0, since: new) }
    var was: [RandomIdentifier: AppAccessory] = [:]
    for accessory in left { was[accessory.identifier] = view(accessory, in: old, before) }
    let present = come.compactMap { accessory in
      view(accessory, in: new, configuration).map { (accessory, view: $0) }
    }
    let presentIdentifiers = Set(present.map(\.0.identifier))
    for accessory in left where !presentIdentifiers.contains(accessory.identifier) {
      if let was = was[accessory.identifier] { reportRemoved(was, accessory) }
    }
    for (accessory, view) in present {
      guard let was = was[accessory.identifier] else {
        reportAdded(view, accessory, isNew: old.accessory(accessory.identifier) == nil)
        continue
      }
      var changed = view.fieldsChanged(from: was)
      // Only the registry knows addresses.
      if old.bluetoothAddress(of: accessory.identifier) != new.bluetoothAddress(of: accessory.identifier) {
        changed.append(.device)
      }
      if changed.contains(.bond), view.bond == .lost {
        log(.bondLost(app: accessory.app, item: accessory.item, accessory.identifier))
      }
      if !changed.isEmpty { emit(.accessoryChanged(view, changed: changed), toApp: accessory.app) }
    }
  }

  private mutating func reportAdded(_ view: AppAccessory, _ accessory: RegistryAccessory, isNew: Bool) {
    counters.added += 1
    let (app, item, identifier) = (accessory.app, accessory.item, accessory.identifier)
    log(isNew ? .added(app: app, item: item, identifier) : .restored(app: app, item: item, identifier))
    emit(.accessoryAdded(view), toApp: accessory.app)
  }

  private mutating func reportRemoved(_ was: AppAccessory, _ accessory: RegistryAccessory) {
    counters.removed += 1
    let (app, item, identifier) = (accessory.app, accessory.item, accessory.identifier)
    let isThere = registry.accessory(identifier) != nil
    log(
      isThere ? .suspended(app: app, item: item, identifier) : .removed(app: app, item: item, identifier))
    guard !isThere, flows.flow(identifier)?.origin == .previousRun else {
      return emit(.accessoryRemoved(was), toApp: app)
    }
    emitOpening(.accessoryRemoved(was), toApp: app)
    if isAutomatic(accessory) { return }
    // Its picker ended with the run before; which session had asked is not known any more.
    emitOpening(.pickerSetupFailed(.agentHasRestarted), toApp: app)
    emitOpening(.pickerDidDismiss, toApp: app)
    emitOpening(.pickerFinished(.agentHasRestarted), toApp: app)
  }

  private func isAutomatic(_ accessory: RegistryAccessory) -> Bool {
    let item = accessory.item.flatMap { configuration.item($0, ofApp: accessory.app) }
    return item?.selection == .automatic
  }

  // MARK: - Results of changes

  private mutating func settle(_ purpose: ChangePurpose, _ result: ChangeResult) {
    switch purpose {
    case .setup(let flow): setupWasWritten(flow, result)
    case .confirm(let identifier, let call):
      confirmationWasWritten(identifier, result)
      reply(call, result, about: identifier)
    case .network(let identifier, let call): reply(call, result, about: identifier)
    case .takeBack(let identifier, let failure, let call):
      if let call { reply(call, result, .app(identifier)) }
      wasTakenBack(identifier, failure)
    case .question(let flow, let call): questionWasWritten(flow, call, result)
    case .migration(let flow, let call): migrationWasWritten(flow, call, result)
    case .call(let call, let kind):
      if case (.importing(let user, let accessories, let keyed), .done) = (kind, result) {
        log(.registryImported(user: user, accessories: accessories, keyed: keyed))
        removeBondsOfBluetoothd()
      }
      reply(call, result, kind)
    case .renewal(let flow): renewalWasWritten(flow, result)
    case .bondLoss:
      // What pairs devices counts the bond as lost, and is to find out again.
      if case .failed = result { note(.bonds) }
    case .address, .bondRemoval, .rhythms: break
    }
    retryUnsettled()
  }

  private mutating func confirmationWasWritten(_ identifier: RandomIdentifier, _ result: ChangeResult) {
    if case .done = result { return confirm(identifier) }
    // It may be tried again.
    guard let flow = flows.flow(awaitingAppWith: identifier) else { return }
    let end = now.advanced(milliseconds: SetupFlow.confirmMilliseconds)
    changeQuietly(flow.id) { $0.retry(until: end) }
  }

  /// Tries again what the disk did not write.
  private mutating func retryUnsettled() {
    let end = now.advanced(milliseconds: Self.takeBackMilliseconds)
    for flow in flows.flows where flow.state.has(.isDecided) {
      guard let identifier = flow.accessory, !queue.isSettling(identifier),
        registry.accessory(identifier)?.state == .awaitingAuthorization
      else { continue }
      changeQuietly(flow.id) { $0.retry(until: end) }
    }
  }

  private mutating func wasTakenBack(_ identifier: RandomIdentifier, _ failure: SetupError) {
    if let flow = flows.flows.first(where: { $0.isRequest && $0.isTakingBack(identifier) }) {
      change(flow.id) { $0.finish(failure) }
    }
    followAwaitingAccessories(until: now.advanced(milliseconds: Self.takeBackMilliseconds))
  }

  // MARK: - Replies

  /// Replies to an app's call about an accessory.
  private mutating func reply(_ call: CallID, _ result: ChangeResult, about identifier: RandomIdentifier) {
    if let failure = result.setupFailure { return reply(call, .failure(.failure(failure))) }
    guard let accessory = view(identifier) else {
      return reply(call, .failure(.failure(.noSuchAccessory)))
    }
    reply(call, .success(.accessory(accessory, event: sessions.causedEvent(about: identifier))))
  }

  /// Replies to an operator's call.
  mutating func replyToOperator(_ call: CallID, _ result: ChangeResult) { reply(call, result, .operator) }

  private mutating func reply(_ call: CallID, _ result: ChangeResult, _ kind: ChangePurpose.CallKind) {
    if case .app = kind, let failure = result.setupFailure {
      return reply(call, .failure(.failure(failure)))
    }
    switch result {
    case .done:
      switch kind {
      case .app(let identifier):
        reply(call, .success(.removed(event: sessions.causedEvent(about: identifier))))
      case .operator, .keyHolder: reply(call, .success(.done))
      case .account(let count), .importing(_, let count, _): reply(call, .success(.count(count)))
      }
    case .reset(let kept): reply(call, .success(.reset(kept: kept)))
    case .failed(let sentence): reply(call, .failure(.registry(sentence)))
    case .refused(let error): reply(call, .failure(error.operatorError))
    }
  }
}

extension SetupFlow {
  /// Whether it belongs to an accessory in the registry that no operator chose.
  fileprivate var isUnattended: Bool { !isRequest && state.has([.awaitsApp, .isDecided]) }

  /// Whether an accessory that awaits its app belongs to it.
  fileprivate func follows(_ identifier: RandomIdentifier) -> Bool {
    state == .adding(identifier) || awaitsApp(with: identifier) || isTakingBack(identifier)
  }
}

extension AccessoryRegistry {
  fileprivate func bluetoothAddress(of identifier: RandomIdentifier) -> DeviceAddress? {
    accessory(identifier).flatMap { device(of: $0).identity.address }
  }

  /// Whether an accessory of another state of the registry, or its device, differs here.
  fileprivate func hasChanged(_ accessory: RegistryAccessory, since other: AccessoryRegistry) -> Bool {
    guard let row = row(.accessory, number: accessory.number), row == .accessory(accessory) else {
      return true
    }
    return device(of: accessory) != other.device(of: accessory)
      // The app's account decides whether the app sees it.
      || account(ofApp: accessory.app) != other.account(ofApp: accessory.app)
  }
}
