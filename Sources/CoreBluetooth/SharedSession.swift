// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
import Dispatch
import Foundation

/// The session of all central managers of this process with one agent, and what they scan for together. So a program may
/// have any number of managers, although the agent limits the sessions of an app and the connections of an account.
///
/// It begins with the first manager and ends with the last one. A manager that comes later learns at once what was
/// reported before.
final class SharedSession: @unchecked Sendable {
  /// A manager.
  struct Member: Sendable {
    let queue: DispatchQueue
    let receive: @Sendable (SourceEvent) -> Void

    func send(_ event: SourceEvent) { queue.async { [receive] in receive(event) } }
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    /// The accessories that the app may use; nil until the agent has listed them.
    var accessories: [UUID: ASAccessory]?
    var radio: CBManagerState?
  }

  private static let sessions = Locked<[ASGateway: SharedSession]>([:])

  private let gateway: ASGateway
  private let session: ASAccessorySession
  private let queue = DispatchQueue(label: "CoreBluetooth.session")
  private let state = Locked(State())

  // On the queue.
  private var isRadioKnown = false
  private var modes: [ObjectIdentifier: ScanMode] = [:]
  /// What the accessories in sight advertised last, for a manager that begins to scan.
  private var inSight: [UUID: SourceAdvertisement] = [:]
  private var wantsReadings = false
  private var scan: Task<Void, Never>?
  /// The same by way of the sessions that asked for accessories which await authorization.
  private var awaitedScans: [ObjectIdentifier: Task<Void, Never>] = [:]

  private init(_ gateway: ASGateway) {
    self.gateway = gateway
    session = ASAccessorySession(gateway: gateway)
  }

  // MARK: Managers

  /// Adds a manager to the session with an agent.
  static func join(_ gateway: ASGateway, _ id: ObjectIdentifier, _ member: Member) -> SharedSession {
    let (shared, isNew) = sessions.withLock { sessions in
      let present = sessions[gateway]
      let shared = present ?? SharedSession(gateway)
      sessions[gateway] = shared
      shared.state.withLock { $0.members[id] = member }
      return (shared, present == nil)
    }
    shared.queue.async { isNew ? shared.start() : shared.repeatReports(to: member) }
    return shared
  }

  /// Removes a manager.
  func leave(_ id: ObjectIdentifier) {
    let isLast = Self.sessions.withLock { sessions in
      let isLast = state.withLock { state in
        state.members[id] = nil
        return state.members.isEmpty
      }
      if isLast, sessions[gateway] === self { sessions[gateway] = nil }
      return isLast
    }
    queue.async { [self] in
      setScanning(.off, for: id)
      guard isLast else { return }
      AwaitedAccessories.forget(self)
      session.invalidate()
    }
  }

  private func repeatReports(to member: Member) {
    let (radio, accessories) = state.withLock { ($0.radio, $0.accessories) }
    if let radio { member.send(.radio(radio)) }
    if let accessories { member.send(Self.report(accessories)) }
  }

  private func send(_ event: SourceEvent) {
    for member in state.withLock({ $0.members.values }) { member.send(event) }
  }

  // MARK: Events

  private func start() {
    session.radioStateHandler = { [weak self] _ in self?.reportRadio() }
    session.engine.setSilenceHandler { [weak self] in
      // A manager that has had no state yet would wait without a word.
      if let self, !isActivated { report(.resetting) }
    }
    AwaitedAccessories.observe(by: self) { [weak self] in
      self?.queue.async { [weak self] in
        guard let self, isActivated else { return }
        reportAccessories(session.accessories)
      }
    }
    session.activate(on: queue) { [weak self] event in self?.receive(event) }
  }

  private func receive(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      reportAccessories(session.accessories)
      reportRadio()
    case .accessoryAdded, .accessoryChanged, .accessoryRemoved: reportAccessories(session.accessories)
    case .invalidated:
      // The next manager begins a session of its own.
      Self.sessions.withLock { if $0[gateway] === self { $0[gateway] = nil } }
      report(.unauthorized)
      reportAccessories([])
    default: break
    }
  }

  private func reportAccessories(_ all: [ASAccessory]) {
    // The app that asked for an accessory may ask it for what it needs to finish the authorization.
    let usable = all.filter { $0.state == .authorized || AwaitedAccessories.mayUse($0) }
      .compactMap { accessory in accessory.bluetoothIdentifier.map { ($0, accessory) } }
    let accessories = Dictionary(usable) { first, _ in first }
    state.withLock { $0.accessories = accessories }
    send(Self.report(accessories))
    scanAwaited()
  }

  private static func report(_ accessories: [UUID: ASAccessory]) -> SourceEvent {
    .accessories(accessories.mapValues(\.displayName))
  }

  /// An agent that never says how its radio is counts as one whose radio is on.
  private func reportRadio() {
    let radio = session.radioState
    if radio != .unknown { isRadioKnown = true }
    guard isActivated else { return }
    let state: CBManagerState =
      switch radio {
      case .on: .poweredOn
      case .off: .poweredOff
      case .recovering: .resetting
      case .absent: .unsupported
      case .unknown: isRadioKnown ? .resetting : .poweredOn
      @unknown default: .unknown
      }
    report(state)
  }

  private func report(_ radio: CBManagerState) {
    state.withLock { $0.radio = radio }
    send(.radio(radio))
  }

  // MARK: Accessories

  /// Whether the agent has listed the accessories.
  var isActivated: Bool { state.withLock { $0.accessories != nil } }

  /// An accessory that the app may use, and the session that may use it.
  func usable(_ identifier: UUID) -> (session: ASAccessorySession, accessory: ASAccessory)? {
    guard let accessory = state.withLock({ $0.accessories?[identifier] }) else { return nil }
    return (AwaitedAccessories.session(of: accessory) ?? session, accessory)
  }

  // MARK: Scanning

  /// Seconds between two readings of one accessory.
  private static let readingInterval = 0.5

  func beginScanning(_ mode: ScanMode, for id: ObjectIdentifier) {
    queue.async { [self] in setScanning(mode, for: id) }
  }

  private func setScanning(_ mode: ScanMode, for id: ObjectIdentifier) {
    modes[id] = mode == .off ? nil : mode
    let member = state.withLock { $0.members[id] }
    if mode != .off { for advertisement in inSight.values { member?.send(.advertisement(advertisement)) } }
    let wanted = modes.values.contains(.readings)
    guard modes.isEmpty || scan == nil || wanted != wantsReadings else { return }
    wantsReadings = wanted
    inSight = [:]
    scan?.cancel()
    scan = modes.isEmpty ? nil : scan(by: session) { _ in true }
    for scan in awaitedScans.values { scan.cancel() }
    awaitedScans = [:]
    scanAwaited()
  }

  /// Scans by way of the sessions that alone may use some of the accessories.
  private func scanAwaited() {
    let accessories = state.withLock { $0.accessories ?? [:] }.values
    let owners = modes.isEmpty ? [] : accessories.compactMap { AwaitedAccessories.session(of: $0) }
    for (owner, scan) in awaitedScans where !owners.contains(where: { ObjectIdentifier($0) == owner }) {
      scan.cancel()
      awaitedScans[owner] = nil
    }
    for owner in owners where awaitedScans[ObjectIdentifier(owner)] == nil {
      awaitedScans[ObjectIdentifier(owner)] = scan(by: owner) { AwaitedAccessories.session(of: $0) != nil }
    }
  }

  private func scan(
    by session: ASAccessorySession, of isWanted: @escaping @Sendable (ASAccessory) -> Bool
  ) -> Task<Void, Never> {
    let advertisements = session.advertisements(readings: wantsReadings ? Self.readingInterval : nil)
    return Task { [weak self] in
      do {
        for try await advertisement in advertisements where isWanted(advertisement.accessory) {
          self?.report(advertisement)
        }
      } catch {
        // The session ended, which its own event reports.
      }
    }
  }

  private func report(_ advertisement: ASAdvertisement) {
    guard let event = SourceAdvertisement(advertisement) else { return }
    queue.async { [self] in
      guard !modes.isEmpty else { return }
      guard advertisement.event != .lost else { return inSight[event.identifier] = nil }
      inSight[event.identifier] = event
      let members = state.withLock { $0.members }
      for (id, mode) in modes where mode == .readings || advertisement.event != .reading {
        members[id]?.send(.advertisement(event))
      }
    }
  }
}

extension SourceAdvertisement {
  /// nil for an accessory without Bluetooth.
  fileprivate init?(_ advertisement: ASAdvertisement) {
    guard let identifier = advertisement.accessory.bluetoothIdentifier else { return nil }
    let values = advertisement.bluetoothAdvertisementData
    self.init(
      identifier: identifier, services: values[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [],
      solicitedServices: values[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] ?? [],
      rssi: advertisement.rssi ?? 127, name: values[CBAdvertisementDataLocalNameKey] as? String
    ) {
      let pairs = advertisement.bluetoothAdvertisementData.compactMap { key, value in
        (key as? String).map { ($0, value) }
      }
      return Dictionary(pairs) { first, _ in first }
    }
  }
}
