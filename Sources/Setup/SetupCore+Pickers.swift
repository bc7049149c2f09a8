// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
public import Registry

// Pickers as their apps see them: `showPicker` and what follows it.

extension SetupCore {
  /// Opens a picker for a session. Without `items` it looks for all of the app's in the manifest.
  public mutating func showPicker(
    _ session: Session, items: [PickerItem]?, settings: PickerSettings
  ) throws(SetupFailure) -> RandomIdentifier {
    try requireRegistry()
    if let open = openPicker(ofApp: session.app) { throw .alreadyOpen(open, for: session) }
    guard let items = items ?? manifestItems(ofApp: session.app), !items.isEmpty else {
      throw .noItems(of: session.app, cure: "or bring items in the call")
    }
    if let failure = accountFailure(ofApp: session.app) { throw failure }
    try paceRequest(ofApp: session.app)
    let isTouch = items.allSatisfy { $0.item.selection == .touch }
    return open(
      app: session.app, session: session.token, items, settings, isTouch ? .touch : .person,
      touches: items.contains { $0.item.selection == .touch })
  }

  private func manifestItems(ofApp app: String) -> [PickerItem]? {
    configuration.apps[app]?.items.filter { $0.selection != .observe }.map { PickerItem($0) }
  }

  /// Nothing can be set up for an app whose accessories are another account's.
  func accountFailure(ofApp app: String) -> SetupFailure? {
    guard let account = ledger.registry.account(ofApp: app), account != configuration.accounts[app] else {
      return nil
    }
    return .accountIsAnother(app: app)
  }

  /// Apps of the manifest whose accessories are another account's.
  public var suspendedApps: [String] { appNames.filter { accountFailure(ofApp: $0) != nil } }

  func openPicker(ofApp app: String) -> DeskRequest? {
    requests.first { $0.app == app && $0.setup != nil }
  }

  func requireRegistry() throws(SetupFailure) {
    guard let sentence = degradation else { return }
    throw SetupFailure(.unknown, sentence, cure: SetupFailure.registryCure)
  }

  mutating func paceRequest(ofApp app: String) throws(SetupFailure) {
    try paces[app, default: RequestPace(perMinute: Int(configuration.limits.requestsPerMinute))].ask(at: now)
  }

  mutating func open(
    app: String, session: RandomIdentifier?, _ items: [PickerItem], _ settings: PickerSettings,
    _ choice: PickerRequest.Choice, touches: Bool, count: Int = 1, isAttended: Bool = true
  ) -> RandomIdentifier {
    let id = random.draw()
    var setup = SetupRequest(
      picker: PickerRequest(
        id, app: app, itemCount: items.count, settings: settings, choice: choice, count: count,
        isAttended: isAttended, limits: configuration.limits, at: now), items: items)
    // What is there already is learned from the first look, in ``look(at:)``.
    setup.isTouchable = touches
    tally.requestsOpened += 1
    requests.append(
      DeskRequest(id: id, app: app, session: session, openedAt: now, kind: .setup(setup)))
    revision += 1
    tell(withSetup(requests.count - 1) { $0.picker.present() }, of: id)
    return id
  }

  // MARK: - While it is open

  private func picker(of session: Session) throws(SetupFailure) -> Int {
    guard let index = requests.firstIndex(where: { $0.session == session.token && $0.setup != nil }) else {
      throw SetupFailure(
        .invalidRequest, field: "session", "it has no open picker", cure: "call ShowPicker first")
    }
    return index
  }

  private func filteredPicker(of session: Session) throws(SetupFailure) -> Int {
    let index = try picker(of: session)
    guard requests[index].setup?.picker.isFiltered == true else {
      throw SetupFailure(
        .invalidRequest, field: "session", "its picker is not filtered",
        cure: "open it with the option filterDiscoveryResults 1")
    }
    return index
  }

  /// The app of a filtered picker says what is shown.
  public mutating func updatePicker(
    _ session: Session, showing items: [(number: UInt32, name: String?, image: String?)]
  ) throws(SetupFailure) {
    let index = try filteredPicker(of: session)
    let now = now
    guard withSetup(index, { $0.picker.update(showing: items, at: now) }) else {
      throw SetupFailure(
        .invalidRequest, field: "items", "the picker has not told of one of these devices",
        cure: "use the numbers of this picker's accessoryDiscovered events")
    }
  }

  public mutating func finishPickerDiscovery(_ session: Session) throws(SetupFailure) {
    let index = try filteredPicker(of: session)
    tell(withSetup(index) { $0.picker.finishDiscovery() }, of: requests[index].id)
  }

  /// The app closes its picker.
  public mutating func cancelPicker(_ session: Session) throws(SetupFailure) {
    let index = try picker(of: session)
    if let failure = requests[index].setup?.whyItStaysOpen { throw failure }
    paces[session.app]?.close(by: .app, at: now)
    failSetup(requests[index].id, .userCancelled(reason: "the app closed the picker"))
  }

  // MARK: - Events

  /// Tells the session what its picker says, and ends the request with it.
  mutating func tell(_ events: [PickerRequest.Event], of id: RandomIdentifier) {
    for event in events {
      guard let index = index(of: id) else { return }
      let request = requests[index]
      revision += 1
      switch event {
      case .didPresent: emit(.pickerDidPresent, of: request)
      case .discovered(let number): discover(number, index)
      case .setupFailed(let failure):
        tally.setupsFailed += 1
        emit(.pickerSetupFailed(failure), of: request)
      case .didDismiss: emit(.pickerDidDismiss, of: request)
      case .finished(let failure):
        emit(.pickerFinished(failure), of: request)
        finish(index, failure)
      }
    }
  }

  private mutating func discover(_ number: UInt32, _ index: Int) {
    guard let setup = requests[index].setup, let candidate = setup.picker.candidate(number) else { return }
    let heard = setup.payloads[number]
    let item = setup.items[candidate.item]
    let discovered = DiscoveredAccessory(
      number: number, itemIndex: candidate.item, item: item.isAppSupplied ? nil : item.item.id,
      payload: heard?.payload ?? [], rssi: heard?.rssi)
    revision += 1
    tally.disclosed += 1
    act(.log(.disclosed(app: requests[index].app)))
    emit(.accessoryDiscovered(discovered), of: requests[index])
  }

  /// The request is over; whoever waits for it is told.
  private mutating func finish(_ index: Int, _ failure: SetupFailure?) {
    let request = requests.remove(at: index)
    guard let setup = request.setup else { preconditionFailure("a picker belongs to a setup") }
    if let failure, case .operator(let call) = setup.chooser {
      act(.answer(call, .failure(.setupFailed(failure))))
    }
    remember(
      RequestOutcome(
        request: request.id, accessory: failure == nil ? setup.made.last?.accessory : nil,
        displayName: failure == nil ? setup.made.last?.displayName : nil, failure: failure, made: setup.made))
  }

  mutating func remember(_ outcome: RequestOutcome) {
    if outcomes.count == Self.outcomesMax { outcomes.removeFirst() }
    outcomes.append(outcome)
    revision += 1
  }

  /// A setup that comes to nothing, while nothing was added yet: at the step of naming a choice was made.
  mutating func failSetup(_ id: RandomIdentifier, _ failure: SetupFailure) {
    guard let index = index(of: id) else { return }
    tell(withSetup(index) { $0.picker.fail(failure) }, of: id)
  }
}

extension SetupRequest {
  /// Nothing was added that would have to be taken back.
  var canBeClosed: Bool { whyItStaysOpen == nil }

  /// Why the app cannot close it now; nil when it can.
  fileprivate var whyItStaysOpen: SetupFailure? {
    switch step {
    case .none, .naming: nil
    case .adding:
      SetupFailure(
        .invalidRequest, field: "session", "an accessory is being set up",
        cure: "wait for accessoryAdded or pickerFinished; RemoveAccessory takes what was added away")
    case .confirming:
      SetupFailure(
        .invalidRequest, field: "session", "an accessory awaits the app's word",
        cure: "give it back with FailAuthorization, which ends the picker too")
    case .takingBack:
      SetupFailure(
        .invalidRequest, field: "session", "an accessory is being taken back",
        cure: "wait for pickerFinished, which comes by itself")
    }
  }
}

extension SetupFailure {
  /// Status has whatever is wrong with the registry, be it one change that the disk did not take.
  static let registryCure = "ask the gateway's operator to see accessoryctl status"

  /// `cure` goes on behind what the manifest lacks.
  static func noItems(of app: String, cure: String) -> Self {
    Self(
      .extensionNotFound, "the manifest has no items for \(app) that can be chosen",
      cure: "add [[app.\(app).item]] to the manifest, \(cure)")
  }

  static func accountIsAnother(app: String) -> Self {
    Self(
      .userRestricted, "the accessories of \(app) are another account's",
      cure: "an operator confirms its account: accessoryctl authorize \(app)")
  }

  /// The cure is what the session itself can do about the app's open request.
  fileprivate static func alreadyOpen(_ open: DeskRequest, for session: Session) -> Self {
    let isClosable = open.setup?.canBeClosed ?? false
    switch open.session {
    case session.token:
      return Self(
        .pickerAlreadyActive, "the session has an open picker",
        cure: "wait for pickerFinished" + (isClosable ? ", or call CancelPicker" : ""))
    case .some:
      return Self(
        .pickerAlreadyActive, "another session of the app has an open picker",
        cure: "wait until that session was told pickerFinished"
          + (isClosable ? ", or call CancelPicker with its token" : ""))
    case nil:
      return Self(
        .pickerAlreadyActive, "an operator has a request open for the app",
        cure: "call ShowPicker again when the operator has finished")
    }
  }
}
