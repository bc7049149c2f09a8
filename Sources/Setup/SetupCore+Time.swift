// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import Manifest
public import Registry

// Time, and reloads of the manifest.

extension SetupCore {
  /// When ``advance(to:)`` has to be called. It changes nothing, but sessions and requests that are only borrowed would be
  /// copied; so would they for what else is asked before each turn.
  public var deadline: Instant? {
    mutating get {
      var deadline = Instant.earliest(sessions.nextEnd, queue.retryTime)
      for flow in flows.flows { deadline = .earliest(deadline, flow.deadline) }
      for pace in paces.values { deadline = .earliest(deadline, pace.signalTime) }
      return deadline
    }
  }

  /// Lets time pass. Called before the calls and the candidate refreshes of that time.
  public mutating func advance(to time: Instant) -> [SetupEffect] {
    now = max(now, time)
    guard let deadline, deadline <= now else { return [] }
    if let retryTime = queue.retryTime, retryTime <= now { openRegistryAgain() }
    expireSessions()
    for id in flows.flows.map(\.id) { advance(id) }
    decideTouches()
    takeBackUnconfirmed()
    signalWaiting()
    return takeEffects()
  }

  /// Records whether the radio scans.
  public mutating func setRadio(isDown: Bool) { radio.set(isDown: isDown, at: now) }

  /// Records why no networks are looked for where they are needed, as a sentence with its cure; nil while they are.
  public mutating func setNetworks(reasonDown: String?) { radio.reasonNetworksAreDown = reasonDown }

  private mutating func advance(_ id: RandomIdentifier) {
    guard let flow = flows.flow(id) else { return }
    let (now, isRadioDown, networksDown) = (now, radio.isDown, radio.reasonNetworksAreDown)
    let isOver = flow.end.map { $0 <= now } ?? false
    switch flow.state {
    case .discovering, .choosing:
      changeQuietly(id) {
        $0.advance(to: now, isRadioDown: isRadioDown, reasonNetworksAreDown: networksDown)
      }
    case .pairing: if let due = flow.deadline, due <= now { giveUpPairing(of: flow) }
    case .naming: if isOver { add(id, name: nil) }
    case .asking:
      guard isOver else { break }
      let time = PickerRequest.spoken(flow.picker?.idleMilliseconds ?? SetupFlow.answerMilliseconds)
      change(id) { $0.close(.userCancelled(reason: "no operator answered in \(time)")) }
    case .created, .adding, .confirming, .settling, .takingBack, .writing, .finished: break
    }
  }

  /// Takes back the accessories that their apps did not confirm in time, in the order they were added.
  private mutating func takeBackUnconfirmed() {
    let overdue = flows.flows.filter { flow in
      if case .confirming(let end) = flow.state { end <= now } else { false }
    }
    let identifiers = Set(overdue.compactMap(\.accessory))
    guard !identifiers.isEmpty else { return }
    for accessory in registry.accessories.map(\.identifier) where identifiers.contains(accessory) {
      takeBack(accessory, .notConfirmed)
    }
  }

  // MARK: - Reload

  /// Continues with another manifest.
  public mutating func configure(_ new: SetupConfiguration) -> [SetupEffect] {
    let before = configuration
    configuration = new
    if new.limits.requestsPerMinute != before.limits.requestsPerMinute { paces = [:] }
    endSessions { session in
      guard let app = new.apps[session.app], new.accounts[app.name] == before.accounts[app.name] else {
        return .accountHasChanged
      }
      return session.owner == .socket(app: app.name) && !app.hasOwnSocket ? .socketWasTakenOut : nil
    }
    for flow in flows.flows where (flow.isRequest || flow.isPairing) && !isStillValid(flow, before) {
      let failure = SetupError.userCancelled(reason: "the gateway's manifest was changed")
      if flow.question?.isPairing == false {
        change(flow.id) { $0.close(failure) }
      } else if flow.canBeClosed {
        change(flow.id) { $0.finish(failure) }
      }
    }
    if !before.hasSameStatuses(as: new) { reportDifferences(from: registry, before) }
    refreshGrants()
    openRegistryAgain()
    return takeEffects()
  }

  /// Whether the manifest still has the items of a request, or of an automatic setup, as they were.
  private func isStillValid(_ flow: SetupFlow, _ before: SetupConfiguration) -> Bool {
    guard let app = configuration.apps[flow.app] else { return false }
    if case .automatic(let key) = flow.origin {
      return configuration.item(key.item, ofApp: key.app) == before.item(key.item, ofApp: key.app)
    }
    return flow.picker?.items.allSatisfy { item in item.isAppSupplied || app.items.contains(item.item) }
      ?? true
  }

  // MARK: - Second identities

  /// Whether an accessory has a second identity and no second address yet.
  public var hasSecondIdentities: Bool {
    registry.accessories.contains { accessory in
      let item = accessory.item.flatMap { configuration.item($0, ofApp: accessory.app) }
      return (accessory.alternate ?? item?.alternate) != nil
        && registry.device(of: accessory).secondAddress == nil
    }
  }

  /// Adds an address from which an accessory advertises as its second identity.
  public mutating func addSecondAddress(
    _ address: DeviceAddress, of accessory: RandomIdentifier
  ) -> [SetupEffect] {
    if queue.isIdle, queue.state == .open {
      enqueue(.apply(.addAddress(accessory, address.settled)), .address)
    }
    return takeEffects()
  }

  // MARK: - Items that are in no manifest

  /// The items that are matched in addition to the manifest's: those that apps supplied, for their pickers and for the
  /// accessories that were set up with them, and second identities that operators let apps add.
  public var appSuppliedItems: [ManifestItem] {
    var items: [ManifestItem] = []
    for flow in flows.flows {
      for item in flow.picker?.searches ?? [] where item.isAppSupplied {
        items.append(ManifestItem(app: flow.app, item: item.item))
      }
    }
    for accessory in registry.accessories where accessory.item == nil || accessory.alternate != nil {
      guard status(of: accessory) == .active else { continue }
      if accessory.item == nil, accessory.descriptor.hasBluetoothClause {
        items.append(
          accessory.recognised(by: accessory.descriptor, AppSuppliedItem.id(ofAccessory: accessory.number)))
      }
      if let alternate = accessory.alternate {
        items.append(accessory.recognised(by: alternate, AppSuppliedItem.id(ofAlternate: accessory.number)))
      }
    }
    return items
  }
}

extension RegistryAccessory {
  /// Whether an item is the second identity that an operator let the app add.
  public func isRecognised(byAlternate id: String) -> Bool { id == AppSuppliedItem.id(ofAlternate: number) }

  fileprivate func recognised(by descriptor: DiscoveryDescriptor, _ id: String) -> ManifestItem {
    var item = DisplayItem(id: id, name: id)
    item.selection = .observe
    item.descriptor = descriptor
    item.gate.isImmediate = descriptor.range == .immediate
    return ManifestItem(app: app, item: item)
  }
}

/// The ids of items that are in no manifest. Their colon cannot occur in a manifest.
public enum AppSuppliedItem {
  /// Returns the id of an item in a picker's call.
  public static func id(inCall number: UInt64) -> String { "call:\(number)" }

  /// Returns the id of the item that recognises an accessory whose app supplied the item.
  static func id(ofAccessory number: Int64) -> String { "accessory:\(number)" }

  /// Returns the id of a second identity that an operator let the app add.
  static func id(ofAlternate number: Int64) -> String { "alternate:\(number)" }
}
