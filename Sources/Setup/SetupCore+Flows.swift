// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Pairing
import Registry

// The setup core performs the effects of its flows.

extension SetupCore {
  /// Changes a flow, performs its effects, and lets the operators see the change.
  mutating func change(_ id: RandomIdentifier, _ body: (inout SetupFlow) -> [SetupFlow.Effect]) {
    note(.requests)
    changeQuietly(id, body)
  }

  /// Changes a flow and performs its effects; operators see the change with the next one.
  mutating func changeQuietly(_ id: RandomIdentifier, _ body: (inout SetupFlow) -> [SetupFlow.Effect]) {
    guard let index = flows.index(of: id) else { return }
    for effect in flows.change(index, body) {
      guard let flow = flows.flow(id) else { return }
      performFlowEffect(effect, of: flow)
    }
  }

  private mutating func performFlowEffect(_ effect: SetupFlow.Effect, of flow: SetupFlow) {
    switch effect {
    case .log(let old, let new):
      log(.transition(flow: flow.id, app: flow.app, from: old.name, to: new.name))
      // The session that asked may use the accessory from now on, or no longer.
      if old.has(.awaitsApp) != new.has(.awaitsApp) { note(.grants) }
    case .emit(let kind):
      note(.requests)
      count(kind, of: flow)
      emit(kind, of: flow)
    case .pair(let request):
      flows.countPairing()
      add(.pairing(.pair(request)))
    case .cancelPairing(let id): add(.pairing(.cancel(id)))
    case .unpair(let device): undoPairing(with: device)
    case .add(let identifier): add(flow, as: identifier)
    case .takeBack(let accessory, let failure, let call):
      enqueue(.apply(.remove(accessory, leavesTombstone: false)), .takeBack(accessory, failure, call))
    case .reply(let call, let result): reply(call, result)
    case .signal(let signal): add(.signal(signal))
    case .end: end(flow)
    }
  }

  private mutating func count(_ kind: AppEvent.Kind, of flow: SetupFlow) {
    switch kind {
    case .pickerSetupFailed: counters.setupsFailed += 1
    case .accessoryDiscovered:
      counters.disclosed += 1
      log(.disclosed(app: flow.app))
    case .activated, .invalidated, .migrationComplete, .accessoryAdded, .accessoryRemoved, .accessoryChanged,
      .pickerDidPresent, .pickerDidDismiss, .pickerSetupBridging, .pickerSetupPairing, .pickerSetupRename,
      .pickerFinished:
      break
    }
  }

  /// Sends a picker event to the session that opened the picker; a flow that an operator opened has none.
  private mutating func emit(_ kind: AppEvent.Kind, of flow: SetupFlow) {
    guard let session = flow.session else { return }
    emit(kind, toApp: flow.app, audience: session, picker: flow.id)
  }

  private mutating func add(_ flow: SetupFlow, as identifier: RandomIdentifier) {
    if case .automatic(let key) = flow.origin { return addAutomatically(flow, key, as: identifier) }
    if flow.choice?.replaced != nil { return replaceDevice(of: identifier, flow) }
    guard let item = flow.chosenItem, let choice = flow.choice,
      var addition = addition(
        app: flow.app, item, choice.candidate.device, identifier,
        name: choice.name ?? choice.candidate.appName ?? item.item.name,
        network: (item.item.renamesNetwork ? choice.name.map { Array($0.utf8) } : nil) ?? choice.network)
    else { return change(flow.id) { $0.finish(.accountIsUnknown) } }
    addition.naming =
      choice.name != nil ? .byOperator : choice.candidate.appName != nil ? .byApp : .numbered
    addition.isHandsFree = choice.chooser == .touch
    addition.takeBond(of: flow)
    enqueue(.apply(.add(addition)), .setup(flow: flow.id))
  }

  private mutating func addAutomatically(
    _ flow: SetupFlow, _ key: AutomaticKey, as identifier: RandomIdentifier
  ) {
    guard let item = configuration.item(key.item, ofApp: key.app),
      var addition = addition(
        app: key.app, PickerItem(item), key.device, identifier, name: item.name, network: nil)
    else {
      changeQuietly(flow.id) { $0.finish(.accountIsUnknown) }
      return failAutomatic(key, .accountIsUnknown)
    }
    // The key has the address without the mark of a resolved one; only durable devices are set up automatically.
    addition.isIdentityDurable = true
    addition.isHandsFree = true
    addition.takeBond(of: flow)
    enqueue(.apply(.add(addition)), .setup(flow: flow.id))
  }

  /// Removes a flow that is over, and replies to the calls that wait for it.
  private mutating func end(_ flow: SetupFlow) {
    guard case .finished(let failure) = flow.state else { preconditionFailure("the flow has finished") }
    flows.remove(flow.id)
    guard flow.isRequest else { return }
    if failure != nil, flow.session != nil, flow.picker != nil, flow.completed.isEmpty, !flow.isEndedByApp {
      paces[flow.app]?.pickerFailed(at: now)
    }
    if let question = flow.question { replyToQuestion(question, failure) }
    let setup = flow.completed.last
    let accessory = flow.question == nil ? setup?.accessory : flow.accessory
    let displayName = flow.question == nil ? setup?.displayName : flow.displayName
    let isNamed = failure == nil || flow.question != nil
    var outcome = RequestOutcome(
      request: flow.id, accessory: failure == nil ? accessory : nil,
      displayName: isNamed ? displayName : nil, failure: failure, completed: flow.completed)
    if failure == nil {
      outcome.pairing = setup?.pairing ?? flow.pairing?.device?.method
      outcome.isBondAuthenticated =
        setup?.isBondAuthenticated ?? flow.pairing?.device?.record.isAuthenticated
    }
    flows.remember(outcome)
    note(.requests)
  }

  private mutating func replyToQuestion(_ question: SetupQuestion, _ failure: SetupError?) {
    guard let call = question.call else { return }
    if failure == nil, let accessory = view(question.accessory) {
      let event = sessions.causedEvent(about: question.accessory)
      reply(call, .success(.accessory(accessory, event: event)))
    } else {
      reply(call, .failure(.failure(failure ?? .noSuchAccessory)))
    }
  }
}

/// The setup flows that are under way, and how the last requests ended.
///
/// Capacity: one flow with a picker for each app, one question for each accessory, and one flow for each accessory that
/// awaits its app; ``outcomesMax`` outcomes, of which the oldest gives way.
package struct FlowTable: Sendable {
  package static let outcomesMax = 64

  package private(set) var flows: [SetupFlow] = []
  package private(set) var outcomes: [RequestOutcome] = []
  /// How many pairings were begun.
  private(set) var pairingCount: UInt64 = 0

  func index(of id: RandomIdentifier) -> Int? { flows.firstIndex { $0.id == id } }

  func flow(_ id: RandomIdentifier) -> SetupFlow? { flows.first { $0.id == id } }

  /// Returns the flow of an accessory that is in the registry and awaits its app.
  func flow(awaitingAppWith accessory: RandomIdentifier) -> SetupFlow? {
    flows.first { $0.awaitsApp(with: accessory) }
  }

  /// Returns the flow that waits for this pairing to end.
  func flow(pairing id: PairingID) -> SetupFlow? {
    flows.first { $0.isPairing && $0.pairing?.request.id == id }
  }

  mutating func countPairing() { pairingCount += 1 }

  /// Returns the app's flow with a picker.
  func picker(ofApp app: String) -> SetupFlow? { flows.first { $0.app == app && $0.picker != nil } }

  mutating func append(_ flow: SetupFlow) { flows.append(flow) }

  /// Changes a flow in place.
  mutating func change<Value>(_ index: Int, _ body: (inout SetupFlow) -> Value) -> Value {
    body(&flows[index])
  }

  mutating func remove(_ id: RandomIdentifier) { flows.removeAll { $0.id == id } }

  // MARK: - Outcomes

  mutating func remember(_ outcome: RequestOutcome) {
    if outcomes.count == Self.outcomesMax { outcomes.removeFirst() }
    outcomes.append(outcome)
  }

  func outcome(of request: RandomIdentifier) -> RequestOutcome? { outcomes.last { $0.request == request } }
}
