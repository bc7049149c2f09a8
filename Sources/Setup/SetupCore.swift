// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
public import Manifest
public import Registry

/// Decides which app may set up which device. It holds the sessions of apps, the setup flows, and the queue of changes
/// to the registry.
///
/// Pure: calls, devices that match, the disk's replies, and the time go in; each input returns its effects. Capacity:
/// that of ``SessionStore`` and ``RegistryQueue``; each app has one flow with a picker. Questions to the operators come
/// from calls, whose number is bounded.
public struct SetupCore: Sendable {
  package var configuration: SetupConfiguration
  var random: RandomSource
  package var sessions = SessionStore()
  package var flows = FlowTable()
  package var queue = RegistryQueue()
  var paces: [String: RequestPace] = [:]
  public internal(set) var grants = Grants()
  var automatic = AutomaticSetups()
  public internal(set) var counters = SetupCounters()
  var radio = RadioPresence()
  public internal(set) var now: Instant
  /// Seconds since 1970; nil while the machine does not know the time.
  public var wallSeconds: Int64?
  /// The apps that the operator or bridge whose call is carried out may see; nil for all. Requests and accessories of
  /// others are not found by their identifiers.
  public var visibleApps: Set<String>?
  /// How many numbers were given to items that apps supply in calls.
  private var appSuppliedCount: UInt64 = 0
  /// The effects of the input that is being handled; empty between inputs.
  package private(set) var effects: [SetupEffect] = []
  package private(set) var changes: SetupChanges = []

  /// Creates a core without a registry. `secret` seeds identifiers and tokens; only this process may know it.
  public init(_ configuration: SetupConfiguration, secret: Block128, at now: Instant) {
    self.configuration = configuration
    random = RandomSource(key: secret)
    self.now = now
  }

  /// Reads the registry's file; the first input.
  public mutating func start() -> [SetupEffect] {
    performQueueEffects(queue.open())
    return takeEffects()
  }

  // MARK: - Effects

  mutating func add(_ effect: SetupEffect) { effects.append(effect) }

  mutating func log(_ notice: SetupNotice) { add(.log(notice)) }

  mutating func reply(_ call: CallID, _ result: Result<CallResult, OperatorError>) {
    add(.reply(call, result))
  }

  mutating func note(_ change: SetupChanges) { changes.formUnion(change) }

  /// Returns the effects of an input at its end.
  mutating func takeEffects() -> [SetupEffect] {
    defer {
      (effects, changes) = ([], [])
      sessions.forgetCausedEvents()
    }
    return changes.isEmpty ? effects : effects + [.changed(changes)]
  }

  mutating func emit(
    _ kind: AppEvent.Kind, toApp app: String, audience: RandomIdentifier? = nil,
    picker: RandomIdentifier? = nil
  ) {
    sessions.append(AppEvent(kind, picker: picker, at: now), toApp: app, audience: audience)
    note(.events)
  }

  /// Puts an event before all others of the app: the end of something that began in the run before.
  mutating func emitOpening(_ kind: AppEvent.Kind, toApp app: String) {
    sessions.appendOpening(AppEvent(kind, at: now), toApp: app)
  }

  // MARK: - Accessories as apps see them

  /// Returns an accessory as its app sees it; nil while it is hidden from the app.
  func view(
    _ accessory: RegistryAccessory, in registry: AccessoryRegistry, _ configuration: SetupConfiguration
  ) -> AppAccessory? {
    let status = configuration.status(of: accessory, boundTo: registry.account(ofApp: accessory.app))
    guard status != .suspended else { return nil }
    return AppAccessory(accessory, registry.device(of: accessory), isInert: status == .orphaned)
  }

  func view(_ identifier: RandomIdentifier) -> AppAccessory? {
    registry.accessory(identifier).flatMap { view($0, in: registry, configuration) }
  }

  /// Returns the first of `count` numbers for items that an app supplies in a call.
  public mutating func reserveItemNumbers(_ count: Int) -> UInt64 {
    appSuppliedCount += UInt64(count)
    return appSuppliedCount - UInt64(count)
  }

  public var sessionCount: Int { sessions.sessions.count }
  public var registry: AccessoryRegistry { queue.registry }

  /// The requests that wait for an operator, in the order of opening.
  public var requests: [SetupFlow] { flows.flows.filter(\.isRequest) }
  public var hasRequests: Bool { mutating get { flows.flows.contains(where: \.isRequest) } }

  public func request(_ id: RandomIdentifier) -> SetupFlow? {
    flows.flow(id).flatMap { $0.isRequest ? $0 : nil }
  }

  /// Returns how the request ended; nil while it is open, and when it ended long ago.
  public func outcome(of request: RandomIdentifier) -> RequestOutcome? { flows.outcome(of: request) }

  /// Whether calls have to wait because the registry is being read, or because accessories that awaited their apps when
  /// the run before ended are being taken back.
  public var isOpening: Bool {
    switch queue.state {
    case .opening: true
    case .open: flows.flows.contains { $0.origin == .previousRun }
    case .degraded: false
    }
  }

  /// Why the registry cannot be changed; nil when it can, or is being read.
  public var degradation: String? {
    if case .degraded(let sentence) = queue.state { sentence } else { nil }
  }

  /// Whether no change of the registry is on its way to the disk.
  public var hasWrittenChanges: Bool { queue.isIdle }

  /// Why the disk did not write the last change of the registry; nil when it did.
  public var lastWriteFailure: String? { queue.failure }

  /// Whether candidates have to be refreshed.
  public var looksForDevices: Bool { mutating get { hasOpenPicker || configuration.hasAutomaticItems } }

  public var hasOpenPicker: Bool { flows.flows.contains { $0.picker != nil } }

  /// Whether an open picker lets a network be chosen.
  public var hasNetworkPicker: Bool { flows.flows.contains { $0.picker?.awaitsNetworks ?? false } }

  /// Why no networks are looked for, as a sentence with its cure; nil while they are.
  public var reasonNetworksAreDown: String? { radio.reasonNetworksAreDown }

  /// Whether some network would be set up automatically if it were found.
  public var awaitsAutomaticNetworks: Bool { automatic.awaitsNetworks }

  public func app(_ name: String) -> App? { configuration.apps[name] }

  public var appNames: [String] { configuration.apps.keys.sorted() }

  public func status(of accessory: RegistryAccessory) -> AccessoryStatus {
    configuration.status(of: accessory, boundTo: registry.account(ofApp: accessory.app))
  }

  /// Returns the app's next accessory after a number in the registry.
  public func accessory(ofApp app: String, after last: Int64) -> (number: Int64, accessory: AppAccessory)? {
    var last = last
    while let next = registry.accessory(after: last, where: { $0.app == app }) {
      if let view = view(next, in: registry, configuration) { return (next.number, view) }
      last = next.number
    }
    return nil
  }

  /// Throws when the registry was never read. Otherwise an app would seem to have no accessories.
  public func requireSoundRegistry() throws(SetupError) {
    if degradation != nil, !queue.wasRead { try requireRegistry() }
  }

  /// The addresses of devices that open pickers wait for by name, in 48 bits.
  public var awaitedAddresses: [UInt64] {
    flows.flows.compactMap { flow in
      guard flow.isLooking, case .device(let bits)? = flow.picker?.choice else { return nil }
      return bits
    }
  }

  /// The items that a flow looks for, by their paths; true where the app receives what devices send.
  public var interest: [String: Bool] {
    var interest: [String: Bool] = [:]
    for flow in flows.flows {
      guard let picker = flow.picker else { continue }
      for item in picker.searches { interest["\(flow.app)/\(item.item.id)"] = picker.isFiltered }
    }
    guard configuration.hasAutomaticItems else { return interest }
    for app in configuration.apps.values {
      for item in app.items where item.selection == .automatic {
        interest["\(app.name)/\(item.id)"] = interest["\(app.name)/\(item.id)"] ?? false
      }
    }
    return interest
  }

  /// The flows for which the radio looks for devices.
  public var requestCounts: RequestCounts {
    let pickers = flows.flows.compactMap(\.picker).filter(\.searchesDevices)
    return RequestCounts(
      open: pickers.count, immediate: pickers.count(where: \.isImmediate))
  }
}

/// Whether the radio scans, and since when; and whether networks are looked for.
struct RadioPresence: Sendable {
  /// A device that appears this soon after the radio came back was there before.
  static let settleMilliseconds: Int64 = 3000

  private(set) var isDown = true
  private var settledAt: Instant?
  /// Why no networks are looked for; nil while they are.
  var reasonNetworksAreDown: String?

  mutating func set(isDown: Bool, at now: Instant) {
    guard isDown != self.isDown else { return }
    self.isDown = isDown
    settledAt = isDown ? nil : now.advanced(milliseconds: Self.settleMilliseconds)
  }

  /// Whether devices appear and disappear because they are carried, not because of the radio.
  func isSettled(at now: Instant) -> Bool { !isDown && settledAt.map { $0 <= now } ?? true }
}

/// How many requests look for devices, which is what the radio is needed for.
public struct RequestCounts: Equatable, Sendable {
  public var open: Int
  /// Those for which a device has to be held at the gateway.
  public var immediate: Int

  public init(open: Int = 0, immediate: Int = 0) { (self.open, self.immediate) = (open, immediate) }
}

/// Random identifiers that no one can guess: a counter encrypted with AES-128 under a key that only this process knows
/// (NIST SP 800-90A calls this a CTR generator). The key is drawn from the kernel once, so that everything else stays
/// pure.
public struct RandomSource: Sendable {
  private let key: Block128
  private var drawn: UInt64 = 0

  public init(key: Block128) { self.key = key }

  public mutating func draw() -> RandomIdentifier {
    drawn += 1
    return RandomIdentifier(AES128.encrypt(Block128(high: 0, low: drawn), key: key))
  }
}

/// What the setup core did and refused since the start.
public struct SetupCounters: Equatable, Sendable {
  public var sessionsOpened: UInt64 = 0
  public var sessionsExpired: UInt64 = 0
  public var requestsOpened: UInt64 = 0
  /// Identifiers and tokens that do not belong to the caller.
  public var unknownIdentifiersRefused: UInt64 = 0
  /// Devices that were reported to an app before an operator chose them.
  public var disclosed: UInt64 = 0
  public var resolved: UInt64 = 0
  public var added: UInt64 = 0
  public var removed: UInt64 = 0
  public var setupsFailed: UInt64 = 0
  /// Touches that chose nothing: several devices, several requests, or a device that may not be chosen by touch.
  public var touchesRefused: UInt64 = 0
  public var automaticFailed: UInt64 = 0
  /// Devices whose retry was forgotten because there were too many.
  public var automaticForgotten: UInt64 = 0
  public var commitsFailed: UInt64 = 0
}
