// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Manifest
public import Registry

/// Who may set up what: sessions of apps, requests that wait for operators, and the registry of accessories.
///
/// Pure: calls, what is in sight, the registry's answers, and the time go in; ``nextAction()``, ``read(_:)`` and the
/// values of requests come out. Capacity: ``SessionTable/countMax`` sessions, for each app ``AppFeed/capacity`` events
/// and one setup request; renames and authorizations wait in calls, whose number is bounded.
public struct SetupCore: Sendable {
  /// How the last so many requests ended is remembered for those who watch.
  static let outcomesMax = 64

  var configuration: SetupConfiguration
  var random: RandomSource
  var sessions = SessionTable()
  var feeds: [String: AppFeed] = [:]
  var paces: [String: RequestPace] = [:]
  public internal(set) var requests: [DeskRequest] = []
  var outcomes: [RequestOutcome] = []
  var ledger = Ledger()
  public internal(set) var grants = Grants() {
    didSet { grantsRevision &+= 1 }
  }
  /// Grows whenever ``grants`` is made anew.
  public private(set) var grantsRevision: UInt64 = 0
  /// Accessories that await their app until then; nil while their fate is being written.
  var awaiting: [RandomIdentifier: Instant?] = [:]
  /// What awaited its app when the run before ended, until it was taken back.
  var leftOver: Set<RandomIdentifier> = []
  var automatic = AutomaticSetups()
  var tally = SetupCounters()
  /// The radio does not scan, or came back so short a time ago that what it finds was there before.
  var isRadioDown = true
  var radioSettled: Instant?
  public internal(set) var now: Instant
  /// Seconds since 1970, as far as the machine knows.
  public var wallSeconds: Int64?
  /// Grows whenever something about requests changes that operators see.
  public internal(set) var revision: UInt64 = 0
  /// Grows whenever somebody may have something to read.
  public private(set) var activity: UInt64 = 0
  /// Numbers of items that apps bring in calls.
  private var appSuppliedCount: UInt64 = 0
  private var actions: [SetupEffect] = []

  /// `secret` seeds identifiers and tokens; nobody else may know it.
  public init(_ configuration: SetupConfiguration, secret: Block128, at now: Instant) {
    self.configuration = configuration
    random = RandomSource(key: secret)
    self.now = now
    act(.registry(.open))
  }

  // MARK: - Outputs

  mutating func act(_ action: SetupEffect) {
    actions.append(action)
    activity &+= 1
  }

  /// The next thing to do, in order; nil when all is done.
  public mutating func nextAction() -> SetupEffect? { actions.isEmpty ? nil : actions.removeFirst() }

  public var counters: SetupCounters { tally }
  public var sessionCount: Int { sessions.sessions.count }
  public var registry: AccessoryRegistry { ledger.registry }

  /// Whether calls have to wait because the registry is being read, or what the run before left half done is being
  /// taken back.
  public var isOpening: Bool { ledger.state == .opening || !leftOver.isEmpty }

  /// Why the registry cannot be used; nil when it can, or is being read.
  public var degradation: String? {
    if case .degraded(let sentence) = ledger.state { sentence } else { nil }
  }

  /// Why the disk did not take the last change of the registry; nil when it did.
  public var lastRefusalOfDisk: String? { ledger.refusal }

  /// How the request ended; nil when it is open, or was over long ago.
  public func outcome(of request: RandomIdentifier) -> RequestOutcome? {
    outcomes.last { $0.request == request }
  }

  public func request(_ id: RandomIdentifier) -> DeskRequest? { requests.first { $0.id == id } }

  /// Whether what is in sight has to be looked at.
  public var looksForDevices: Bool {
    requests.contains { $0.setup != nil } || configuration.hasAutomaticItems
  }

  /// The first of `count` numbers for items that an app brings.
  public mutating func bring(_ count: Int) -> UInt64 {
    appSuppliedCount += UInt64(count)
    return appSuppliedCount - UInt64(count)
  }

  // MARK: - What everything uses

  func index(of request: RandomIdentifier) -> Int? { requests.firstIndex { $0.id == request } }

  /// Changes a setup request that is there; operators will want to see it.
  mutating func withSetup<Value>(_ index: Int, _ body: (inout SetupRequest) -> Value) -> Value {
    revision += 1
    activity &+= 1
    return withSetupQuietly(index, body)
  }

  /// Changes what nobody sees.
  mutating func withSetupQuietly<Value>(_ index: Int, _ body: (inout SetupRequest) -> Value) -> Value {
    guard case .setup(var setup) = requests[index].kind else {
      preconditionFailure("the request sets something up")
    }
    let value = body(&setup)
    requests[index].kind = .setup(setup)
    return value
  }

  mutating func emit(
    _ kind: AppEvent.Kind, toApp app: String, audience: RandomIdentifier? = nil,
    picker: RandomIdentifier? = nil
  ) {
    feeds[app, default: AppFeed()].append(AppEvent(kind, picker: picker, at: now), to: audience)
    activity &+= 1
  }

  /// Begins the app's events with the end of something that the run before began.
  mutating func emitOpening(_ kind: AppEvent.Kind, toApp app: String) {
    feeds[app, default: AppFeed()].open(with: AppEvent(kind, at: now))
  }

  /// What a picker says goes to the session that asked; an operator's own request says it to nobody.
  mutating func emit(_ kind: AppEvent.Kind, of request: DeskRequest) {
    guard let session = request.session else { return }
    emit(kind, toApp: request.app, audience: session, picker: request.id)
  }

  /// An accessory as its app sees it; nil while it is hidden from it.
  func view(
    _ accessory: RegistryAccessory, in registry: AccessoryRegistry, _ configuration: SetupConfiguration
  )
    -> AppAccessory?
  {
    let standing = configuration.standing(of: accessory, boundTo: registry.account(ofApp: accessory.app))
    guard standing != .suspended else { return nil }
    return AppAccessory(accessory, registry.device(of: accessory), isInert: standing == .orphaned)
  }

  func view(_ identifier: RandomIdentifier) -> AppAccessory? {
    ledger.registry.accessory(identifier).flatMap { view($0, in: ledger.registry, configuration) }
  }

  /// The accessories that an app sees, in the order they were added.
  public func accessories(ofApp app: String) -> [AppAccessory] {
    ledger.registry.accessories(ofApp: app).compactMap { view($0, in: ledger.registry, configuration) }
  }

  public func standing(of accessory: RegistryAccessory) -> AccessoryStatus {
    configuration.standing(of: accessory, boundTo: ledger.registry.account(ofApp: accessory.app))
  }
}

// MARK: - Looking up

extension SetupCore {
  public func app(_ name: String) -> App? { configuration.apps[name] }

  public var appNames: [String] { configuration.apps.keys.sorted() }

  /// The app's next accessory behind a number in the registry.
  public func accessory(ofApp app: String, after last: Int64) -> (number: Int64, accessory: AppAccessory)? {
    var last = last
    while let next = ledger.registry.accessory(after: last, where: { $0.app == app }) {
      if let view = view(next, in: ledger.registry, configuration) { return (next.number, view) }
      last = next.number
    }
    return nil
  }

  /// An app is not told that it has no accessories because nobody can read which.
  public func requireSoundRegistry() throws(SetupFailure) {
    if degradation != nil, !ledger.wasOpened { try requireRegistry() }
  }

  /// The items somebody waits for, by their paths; true where their app is told what devices say.
  public var interest: [String: Bool] {
    var interest: [String: Bool] = [:]
    for request in requests {
      guard let setup = request.setup else { continue }
      for item in setup.items { interest["\(request.app)/\(item.item.id)"] = setup.picker.isFiltered }
    }
    guard configuration.hasAutomaticItems else { return interest }
    for app in configuration.apps.values {
      for item in app.items where item.selection == .automatic {
        interest["\(app.name)/\(item.id)"] = interest["\(app.name)/\(item.id)"] ?? false
      }
    }
    return interest
  }
}
