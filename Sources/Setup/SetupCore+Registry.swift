// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
public import Registry

// The registry: one change at a time goes to the disk, and counts when it is there.

extension SetupCore {
  /// Puts a change behind those that wait.
  mutating func change(_ change: Ledger.Change, _ errand: ChangePurpose) {
    guard !ledger.isFull else {
      return settle(errand, .failed("\(Ledger.waitingMax) changes wait for the disk already; try again"))
    }
    ledger.waiting.append(Ledger.Entry(change: change, errand: errand))
    commit()
  }

  /// Gives the disk the next change, if it is free.
  private mutating func commit() {
    while ledger.pending == nil, ledger.state != .opening, !ledger.waiting.isEmpty {
      let entry = ledger.waiting.removeFirst()
      if case .degraded(let sentence) = ledger.state, entry.change != .reset {
        settle(entry.errand, .failed(sentence))
        continue
      }
      begin(entry)
    }
  }

  private mutating func begin(_ entry: Ledger.Entry) {
    switch entry.change {
    case .replace(let registry):
      ledger.pending = Ledger.Pending(entry: entry, registry: registry)
      act(.registry(.replace(registry)))
    case .reset:
      ledger.pending = Ledger.Pending(entry: entry, registry: AccessoryRegistry())
      act(.registry(.reset))
    case .apply(let change):
      var registry = ledger.registry
      do throws(RegistryError) {
        let outcome = try registry.apply(change)
        guard !outcome.writes.isEmpty else { return settle(entry.errand, .done) }
        ledger.pending = Ledger.Pending(entry: entry, registry: registry)
        act(.registry(.commit(outcome.writes)))
      } catch {
        settle(entry.errand, .refused(error))
      }
    }
  }

  /// The disk has answered.
  public mutating func registryAnswered(_ reply: RegistryReply) {
    switch reply {
    case .done: complete(.done)
    case .reset(let kept):
      ledger.state = .open
      ledger.wasOpened = true
      complete(.reset(kept: kept))
    case .opened(let registry): opened(registry)
    case .refused(let refusal): degrade(refusal.sentence)
    case .failed(let failure, let isOpen): failed(failure, isOpen: isOpen)
    case .closed: break
    }
    commit()
  }

  private mutating func complete(_ outcome: ChangeResult) {
    guard let pending = ledger.pending.take() else { preconditionFailure("the disk answers what was asked") }
    ledger.refusal = nil
    adopt(pending.registry)
    settle(pending.entry.errand, outcome)
  }

  /// What the file holds. A change whose writing failed may be in it, or not.
  private mutating func opened(_ registry: AccessoryRegistry) {
    let isFirst = !ledger.wasOpened
    ledger.state = .open
    ledger.wasOpened = true
    let doubtful = ledger.pending.take()
    adopt(registry, isFirst: isFirst)
    if let doubtful {
      let isDone = registry == doubtful.registry
      if isDone { ledger.refusal = nil }
      settle(doubtful.entry.errand, isDone ? .done : .failed("the disk did not take the change; see the log"))
    }
    // What awaited its app when the agent ended goes back.
    guard isFirst else { return }
    let awaiting = registry.accessories.filter { $0.state == .awaitingAuthorization }.map(\.identifier)
    leftOver = Set(awaiting)
    for identifier in awaiting { takeBack(identifier, .agentHasRestarted) }
  }

  private mutating func degrade(_ sentence: String) {
    ledger.state = .degraded(sentence)
    revision += 1
    if let pending = ledger.pending.take() { settle(pending.entry.errand, .failed(sentence)) }
  }

  private mutating func failed(_ failure: RegistryStoreError, isOpen: Bool) {
    tally.commitsFailed += 1
    ledger.refusal = failure.sentence
    guard let pending = ledger.pending else { return degrade(failure.sentence) }
    guard !isOpen else {
      ledger.pending = nil
      return settle(pending.entry.errand, .failed(failure.sentence))
    }
    if case .degraded = ledger.state {
      ledger.pending = nil
      return settle(pending.entry.errand, .failed(failure.sentence))
    }
    ledger.state = .opening
    act(.registry(.open))
  }

  /// A file that could not be used may have been mended.
  public mutating func openRegistryAgain() {
    guard case .degraded = ledger.state, ledger.pending == nil else { return }
    ledger.state = .opening
    act(.registry(.open))
  }

  // MARK: - What a change brings

  private mutating func adopt(_ registry: AccessoryRegistry, isFirst: Bool = false) {
    let old = ledger.registry
    ledger.registry = registry
    // What the file held at the start is told by `activated`.
    if !isFirst { tellDifferences(from: old, configuration) }
    refreshGrants()
    endOvertakenRequests()
  }

  /// What was removed takes with it whoever asks about it, and the picker that waits for its app; that one goes on when
  /// the file says that the app has the accessory.
  private mutating func endOvertakenRequests() {
    for request in requests {
      switch request.kind {
      case .rename(let rename):
        if !rename.isUnderWay, isGone(rename.accessory) { close(request.id, .noSuchAccessory) }
      case .authorize(let authorize):
        if !authorize.isUnderWay, isGone(authorize.accessory) { close(request.id, .noSuchAccessory) }
      case .setup(let setup):
        guard case .confirming = setup.step, let accessory = setup.accessory else { continue }
        switch ledger.registry.accessory(accessory)?.state {
        case .awaitingAuthorization: break
        case .authorized, .unauthorized: wasConfirmed(accessory)
        case nil: failWritten(request.id, .wasRemoved)
        }
      }
    }
  }

  private func isGone(_ identifier: RandomIdentifier) -> Bool {
    ledger.registry.accessory(identifier) == nil
  }

  mutating func refreshGrants() {
    grants = Grants(ledger.registry, configuration)
    let awaiting = Set(
      ledger.registry.accessories.filter { $0.state == .awaitingAuthorization }.map(\.identifier))
    self.awaiting = self.awaiting.filter { awaiting.contains($0.key) }
    for identifier in awaiting where self.awaiting[identifier] == nil {
      self.awaiting[identifier] = now.advanced(milliseconds: Self.confirmMilliseconds)
    }
    let registry = ledger.registry
    for key in automatic.settle(awaiting: awaiting, taken: { registry.accessory($0) != nil }) {
      failAutomatic(key, .notConfirmed)
    }
    revision += 1
  }

  /// Tells every app what has become of its accessories since they were as in `old`.
  mutating func tellDifferences(from old: AccessoryRegistry, _ before: SetupConfiguration) {
    let new = ledger.registry
    let isSame = before.standsLike(configuration)
    let left = old.accessories.filter { !isSame || new.hasChanged($0, since: old) }
    let come = new.accessories.filter { !isSame || old.hasChanged($0, since: new) }
    var was: [RandomIdentifier: AppAccessory] = [:]
    for accessory in left { was[accessory.identifier] = view(accessory, in: old, before) }
    var present: Set<RandomIdentifier> = []
    for accessory in come {
      guard let view = view(accessory, in: new, configuration) else { continue }
      present.insert(accessory.identifier)
      guard let was = was[accessory.identifier] else {
        tellAdded(view, accessory, isNew: old.accessory(accessory.identifier) == nil)
        continue
      }
      let changed = view.fieldsChanged(from: was)
      if !changed.isEmpty { emit(.accessoryChanged(view, changed: changed), toApp: accessory.app) }
    }
    for accessory in left where !present.contains(accessory.identifier) {
      if let was = was[accessory.identifier] { tellRemoved(was, accessory) }
    }
  }

  private mutating func tellAdded(_ view: AppAccessory, _ accessory: RegistryAccessory, isNew: Bool) {
    tally.added += 1
    let (app, item, identifier) = (accessory.app, accessory.item, accessory.identifier)
    act(.log(isNew ? .added(app: app, item: item, identifier) : .restored(app: app, item: item, identifier)))
    emit(.accessoryAdded(view), toApp: accessory.app)
  }

  private mutating func tellRemoved(_ was: AppAccessory, _ accessory: RegistryAccessory) {
    tally.removed += 1
    let (app, item, identifier) = (accessory.app, accessory.item, accessory.identifier)
    let isThere = ledger.registry.accessory(identifier) != nil
    act(
      .log(
        isThere ? .suspended(app: app, item: item, identifier) : .removed(app: app, item: item, identifier)))
    guard !isThere, leftOver.contains(identifier) else {
      return emit(.accessoryRemoved(was), toApp: app)
    }
    emitOpening(.accessoryRemoved(was), toApp: app)
    if isSetUpByItself(accessory) { return }
    // Its picker went with the run before. Which session had asked nobody knows any more.
    emitOpening(.pickerSetupFailed(.agentHasRestarted), toApp: app)
    emitOpening(.pickerDidDismiss, toApp: app)
    emitOpening(.pickerFinished(.agentHasRestarted), toApp: app)
  }

  private func isSetUpByItself(_ accessory: RegistryAccessory) -> Bool {
    let item = accessory.item.flatMap { configuration.item($0, ofApp: accessory.app) }
    return item?.selection == .automatic
  }

  private mutating func settle(_ errand: ChangePurpose, _ outcome: ChangeResult) {
    switch errand {
    case .setup(let request): setupWasWritten(request, outcome)
    case .automatic(let key, let identifier): automaticWasWritten(key, identifier, outcome)
    case .confirm(let identifier, let call):
      if case .done = outcome {
        wasConfirmed(identifier)
      } else if ledger.registry.accessory(identifier)?.state == .awaitingAuthorization {
        // It may be tried again.
        awaiting[identifier] = now.advanced(milliseconds: Self.confirmMilliseconds)
      }
      answer(call, outcome, about: identifier)
    case .network(let identifier, let call): answer(call, outcome, about: identifier)
    case .takeBack(let identifier, let failure, let call):
      wasTakenBack(identifier, failure, call, outcome)
    case .rename(let request, let call), .authorize(let request, let call):
      questionWasWritten(request, call, outcome)
    case .call(let call, let kind): answer(call, outcome, kind)
    case .address: break
    }
    // What the disk did not take is tried again.
    for case (let identifier, nil) in awaiting where !ledger.isSettling(identifier) {
      awaiting[identifier] = now.advanced(milliseconds: Self.takeBackMilliseconds)
    }
  }

  // MARK: - Answers

  /// Tells a call of an app what became of it.
  mutating func answer(_ call: CallID, _ outcome: ChangeResult, about identifier: RandomIdentifier) {
    guard let failure = outcome.setupFailure else {
      guard let accessory = view(identifier) else {
        return act(.answer(call, .failure(.failure(.noSuchAccessory))))
      }
      return act(.answer(call, .success(.accessory(accessory))))
    }
    act(.answer(call, .failure(.failure(failure))))
  }

  /// Tells an operator's call.
  mutating func answer(_ call: CallID, _ outcome: ChangeResult) { answer(call, outcome, .operator) }

  private mutating func answer(_ call: CallID, _ outcome: ChangeResult, _ kind: ChangePurpose.CallKind) {
    if case .app = kind, let failure = outcome.setupFailure {
      return act(.answer(call, .failure(.failure(failure))))
    }
    switch outcome {
    case .done:
      switch kind {
      case .app, .operator: act(.answer(call, .success(.done)))
      case .account(let count), .importing(let count): act(.answer(call, .success(.count(count))))
      }
    case .reset(let kept): act(.answer(call, .success(.reset(kept: kept))))
    case .failed(let sentence): act(.answer(call, .failure(.registry(sentence))))
    case .refused(let error): act(.answer(call, .failure(error.refusal)))
    }
  }
}

extension AccessoryRegistry {
  /// Whether an accessory of another state of the registry is not the same here, or its device is not.
  fileprivate func hasChanged(_ accessory: RegistryAccessory, since other: AccessoryRegistry) -> Bool {
    guard let row = row(.accessory, number: accessory.number), row == .accessory(accessory) else {
      return true
    }
    return device(of: accessory) != other.device(of: accessory)
      // Whose the app is decides whether the app sees it.
      || account(ofApp: accessory.app) != other.account(ofApp: accessory.app)
  }
}

extension ChangeResult {
  /// What an app is told; nil when it went well.
  var setupFailure: SetupFailure? {
    switch self {
    case .done, .reset: nil
    case .refused(let error): error.setupFailure
    case .failed(let sentence):
      SetupFailure(.unknown, sentence, cure: SetupFailure.registryCure)
    }
  }
}

extension RegistryError {
  /// In an app's words.
  var setupFailure: SetupFailure {
    switch self {
    case .unknownAccessory, .unknownApp, .notRemoved: .noSuchAccessory
    case .alreadyAdded:
      SetupFailure(.invalidRequest, "the device is the app's accessory already", cure: "use the accessory")
    case .removedBefore:
      SetupFailure(
        .userRestricted, "the device was removed before", cure: "an operator allows it: accessoryctl allow")
    case .accountChanged:
      SetupFailure(
        .userRestricted, "the app's accessories are another account's",
        cure: "an operator confirms the account: accessoryctl authorize")
    case .itemFull(let most):
      SetupFailure(
        .userRestricted, "the item has all the accessories that it may, \(most)",
        cure: "remove one, or raise the item's max-accessories")
    case .full:
      SetupFailure(
        .userRestricted, "the registry has \(RegistryLimits.accessoriesMax) accessories, as many as it holds",
        cure: "remove some")
    case .identifierTaken:
      SetupFailure(.unknown, "a random identifier was drawn twice", cure: "try again")
    case .identityTaken:
      SetupFailure(
        .invalidRequest, "another device is known by that address or network", cure: "remove that one")
    case .invalid(let field):
      SetupFailure(
        .invalidRequest, field: field.rawValue, "it cannot be stored", cure: "shorten it, or leave it out")
    }
  }

  /// In an operator's.
  var refusal: OperatorError {
    switch self {
    case .unknownAccessory: .notFound(.accessory, name: "")
    case .unknownApp: .notFound(.app, name: "")
    case .notRemoved: .notFound(.device, name: "")
    case .invalid(let field): .invalid(field: field.rawValue, reason: "it cannot be stored")
    case .alreadyAdded, .removedBefore, .accountChanged, .itemFull, .full, .identifierTaken, .identityTaken:
      .setupFailed(setupFailure)
    }
  }
}

extension RegistryOpenError {
  /// What is wrong and what helps, for people.
  public var sentence: String { "the registry's file \(reason); \(cure)" }
}

extension RegistryStoreError {
  /// What is wrong and what helps, for people.
  public var sentence: String { "\(reason); \(cure)" }
}
