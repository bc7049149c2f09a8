// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import Registry

// Pickers as their apps see them: `showPicker` and what follows it.

extension SetupCore {
  /// Opens a picker for a session. Without `items` it looks for all of the app's in the manifest.
  public mutating func showPicker(
    _ session: Session, items: [PickerItem]?, leftOut: [SetupError] = [], settings: PickerSettings
  ) throws(SetupError) -> (RandomIdentifier, [SetupEffect]) {
    try requireRegistry()
    if let open = flows.picker(ofApp: session.app) { throw .alreadyOpen(open, for: session) }
    guard let items = items ?? manifestItems(ofApp: session.app), !items.isEmpty else {
      throw .noItems(of: session.app, cure: "or supply items in the call")
    }
    if let failure = accountFailure(ofApp: session.app) { throw failure }
    if let failure = fullItemsFailure(items, ofApp: session.app) { throw failure }
    try paces[session.app]?.openPicker(at: now)
    if let first = leftOut.first {
      log(.migrationLeftOut(app: session.app, reason: first.reason, count: leftOut.count))
    }
    let searches = items.filter { $0.migration == nil }
    let isTouch = !searches.isEmpty && searches.allSatisfy { $0.item.selection == .touch }
    let picker = PickerRequest(
      items, settings: settings, choice: isTouch ? .touch : .person,
      isTouchable: searches.contains { $0.item.selection == .touch }, limits: configuration.limits, at: now)
    return (open(picker, app: session.app, .session(session.token)), takeEffects())
  }

  private func manifestItems(ofApp app: String) -> [PickerItem]? {
    configuration.apps[app]?.items.filter { $0.selection != .observe }.map { PickerItem($0) }
  }

  /// Returns why no item of a picker can have a further accessory; nil when one can.
  private func fullItemsFailure(_ items: [PickerItem], ofApp app: String) -> SetupError? {
    let mostOfFull = items.compactMap { item in
      let isFull =
        !item.isAppSupplied && item.migration == nil
        && accessoryCount(ofApp: app, item: item.item.id) >= Int(item.item.maxAccessories)
      return isFull ? item.item.maxAccessories : nil
    }
    guard let most = mostOfFull.first, mostOfFull.count == items.count else { return nil }
    return RegistryError.itemFull(maxAccessories: most).setupFailure
  }

  /// Returns why nothing can be set up for an app whose accessories belong to another account; nil when they do not.
  func accountFailure(ofApp app: String) -> SetupError? {
    guard let account = registry.account(ofApp: app), account != configuration.accounts[app] else {
      return nil
    }
    return .accountIsAnother(app: app)
  }

  /// The apps of the manifest whose accessories belong to another account.
  public var suspendedApps: [String] { appNames.filter { accountFailure(ofApp: $0) != nil } }

  func requireRegistry() throws(SetupError) {
    guard let sentence = degradation else { return }
    throw SetupError(.unknown, sentence, cure: SetupError.registryCure)
  }

  /// Counts a call of an app that asks the operators, also one that is refused.
  public mutating func paceCall(ofApp app: String) throws(SetupError) {
    let failuresPerMinute = Int(configuration.limits.requestsPerMinute)
    try paces[app, default: RequestPace(failuresPerMinute: failuresPerMinute)].call(at: now)
  }

  /// Opens a picker. Which devices are there already is learned from the first candidate refresh.
  mutating func open(
    _ picker: PickerRequest, app: String, _ origin: SetupFlow.Origin
  ) -> RandomIdentifier {
    let id = random.draw()
    counters.requestsOpened += 1
    flows.append(SetupFlow(id, app: app, origin, picker, at: now))
    change(id) { $0.present() }
    announce(id)
    return id
  }

  // MARK: - While it is open

  private func picker(of session: Session) throws(SetupError) -> SetupFlow {
    guard let flow = flows.flows.first(where: { $0.session == session.token && $0.picker != nil }) else {
      throw .invalid("session", "it has no open picker", cure: "call ShowPicker first")
    }
    return flow
  }

  private func filteredPicker(of session: Session) throws(SetupError) -> SetupFlow {
    let flow = try picker(of: session)
    guard flow.picker?.isFiltered == true else {
      throw .invalid(
        "session", "its picker is not filtered", cure: "open it with the option filterDiscoveryResults 1")
    }
    return flow
  }

  /// Shows what the app of a filtered picker wants shown. A refused call has effects too, because operators see the
  /// request.
  public mutating func updatePicker(
    _ session: Session, showing items: [ShownCandidate]
  ) throws(SetupError) -> (failure: SetupError?, effects: [SetupEffect]) {
    let flow = try filteredPicker(of: session)
    let now = now
    var unknown: Int?
    change(flow.id) { flow in
      let shown = flow.show(items, at: now)
      unknown = shown.unknown
      return shown.effects
    }
    return (unknown.map { .unknownNumber(items[$0].number, at: $0) }, takeEffects())
  }

  public mutating func finishPickerDiscovery(_ session: Session) throws(SetupError) -> [SetupEffect] {
    change(try filteredPicker(of: session).id) { $0.finishDiscovery() }
    return takeEffects()
  }

  /// Closes the picker of an app's session.
  public mutating func cancelPicker(_ session: Session) throws(SetupError) -> [SetupEffect] {
    let flow = try picker(of: session)
    if let failure = flow.reasonItStaysOpen { throw failure }
    change(flow.id) { flow in
      flow.isEndedByApp = true
      return flow.finish(.userCancelled(reason: "the app closed the picker"))
    }
    return takeEffects()
  }

  /// Ends the pickers of apps, and every setup that has a pairing to undo, before the agent ends, unless an accessory is
  /// being set up: its flow ends once the disk has written it, or the next run takes the accessory back.
  public mutating func endPickers() -> [SetupEffect] {
    for flow in flows.flows
    where (flow.session != nil && flow.picker != nil || flow.pairing != nil) && flow.canBeClosed {
      change(flow.id) { $0.finish(.agentEnds) }
    }
    return takeEffects()
  }
}

extension SetupFlow {
  /// Whether nothing was added that would have to be taken back.
  var canBeClosed: Bool { reasonItStaysOpen == nil }

  /// Why the app cannot close it now; nil when it can.
  fileprivate var reasonItStaysOpen: SetupError? {
    switch state {
    case .created, .discovering, .choosing, .pairing, .naming, .asking, .finished: nil
    case .writing where question?.isPairing ?? false:
      SetupError.invalid("session", "a bond is being written", cure: "wait for the end of the call")
    case .writing where picker == nil: nil
    case .writing:
      SetupError.invalid(
        "session", "accessories are being migrated",
        cure: "wait for migrationComplete or pickerFinished; RemoveAccessory removes what was added")
    case .adding:
      SetupError.invalid(
        "session", "an accessory is being set up",
        cure: "wait for accessoryAdded or pickerFinished; RemoveAccessory removes what was added")
    case .confirming, .settling:
      SetupError.invalid(
        "session", "an accessory awaits the app's confirmation",
        cure: "give it back with FailAuthorization, which ends the picker too")
    case .takingBack:
      SetupError.invalid(
        "session", "an accessory is being taken back", cure: "wait for pickerFinished, which comes by itself")
    }
  }
}

extension SetupError {
  /// Status names every problem of the registry, even a single change that the disk did not write.
  static let registryCure = "ask the gateway's operator to see accessoryctl status"

  /// Returns the error for an app without items. `cure` continues the sentence about the manifest.
  static func noItems(of app: String, cure: String) -> Self {
    Self(
      .extensionNotFound, "the manifest has no items for \(app) that can be chosen",
      cure: "add [[app.\(app).item]] to the manifest, \(cure)")
  }

  fileprivate static let agentEnds = Self(
    .connectionFailed, "the agent is being stopped", cure: "call Activate, then ShowPicker again")

  fileprivate static func unknownNumber(_ number: UInt32, at index: Int) -> Self {
    invalid(
      "items[\(index)].discovered", "the picker has reported no device with the number \(number)",
      cure: "use the numbers of this picker's accessoryDiscovered events")
  }

  static func accountIsAnother(app: String) -> Self {
    Self(
      .userRestricted, "the accessories of \(app) belong to another account",
      cure: "an operator confirms its account: accessoryctl authorize \(app)")
  }

  /// Returns the error for a second request of an app. The cure is what this session can do about the first one.
  fileprivate static func alreadyOpen(_ open: SetupFlow, for session: Session) -> Self {
    let isClosable = open.canBeClosed
    if case .confirming = open.state {
      return Self(
        .pickerAlreadyActive, "an accessory that the app has set up awaits its authorization",
        cure: "call FinishAuthorization or FailAuthorization for the accessory")
    }
    switch open.session {
    case session.token:
      return Self(
        .pickerAlreadyActive, "the session has an open picker",
        cure: "wait for pickerFinished" + (isClosable ? ", or call CancelPicker" : ""))
    case .some:
      return Self(
        .pickerAlreadyActive, "another session of the app has an open picker",
        cure: "wait until that session has received pickerFinished"
          + (isClosable ? ", or call CancelPicker with its token" : ""))
    case nil:
      return Self(
        .pickerAlreadyActive, "an operator has a request open for the app",
        cure: "call ShowPicker again when the operator has finished")
    }
  }
}
