// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
public import Manifest
public import Registry

// Time, and what lasts from one manifest to the next.

extension SetupCore {
  /// When ``advance(to:)`` is due.
  public var deadline: Instant? {
    var soonest = sessions.nextEnd
    for request in requests { soonest = .earliest(soonest, request.deadline) }
    for case let end? in awaiting.values { soonest = .earliest(soonest, end) }
    return soonest
  }

  /// Lets time pass, up to the calls and the looks that come at that time.
  public mutating func advance(to time: Instant) {
    now = max(now, time)
    guard let deadline, deadline <= now else { return }
    expireSessions()
    for id in requests.map(\.id) { advance(id) }
    decideTouches()
    guard awaiting.values.contains(where: { $0.map { $0 <= now } ?? false }) else { return }
    for accessory in ledger.registry.accessories.map(\.identifier) {
      if case .some(let end?) = awaiting[accessory], end <= now { takeBack(accessory, .notConfirmed) }
    }
  }

  private mutating func advance(_ id: RandomIdentifier) {
    guard let index = index(of: id) else { return }
    let isOver = requests[index].end.map { $0 <= now } ?? false
    switch requests[index].kind {
    case .rename, .authorize:
      if isOver { close(id, .userCancelled(reason: "no operator answered in a minute")) }
    case .setup(let setup):
      switch setup.step {
      case .none:
        let (now, isRadioDown) = (now, isRadioDown)
        tell(withSetupQuietly(index) { $0.picker.advance(to: now, isRadioDown: isRadioDown) }, of: id)
      case .naming: if isOver { add(index, name: nil) }
      case .adding, .confirming, .takingBack: break
      }
    }
  }

  /// Goes on with another manifest.
  public mutating func configure(_ new: SetupConfiguration) {
    let before = configuration
    configuration = new
    if new.limits.requestsPerMinute != before.limits.requestsPerMinute { paces = [:] }
    endSessions { session in
      new.apps[session.app] == nil || new.accounts[session.app] != before.accounts[session.app]
    }
    for request in requests where !isStillMeant(request) {
      let failure = SetupFailure.userCancelled(reason: "the gateway's manifest was changed")
      if request.setup?.canBeClosed ?? false { failSetup(request.id, failure) }
      if request.setup == nil { close(request.id, failure) }
    }
    if !before.standsLike(new) { tellDifferences(from: ledger.registry, before) }
    refreshGrants()
    openRegistryAgain()
  }

  /// Whether the manifest still says of the request's items what it said.
  private func isStillMeant(_ request: DeskRequest) -> Bool {
    guard let app = configuration.apps[request.app] else { return false }
    return request.setup?.items.allSatisfy { item in item.isAppSupplied || app.items.contains(item.item) }
      ?? true
  }

  // MARK: - Second identities

  /// Whether some accessory has a second identity and no second address yet.
  public var hasSecondIdentities: Bool {
    ledger.registry.accessories.contains { accessory in
      let item = accessory.item.flatMap { configuration.item($0, ofApp: accessory.app) }
      return (accessory.alternate ?? item?.alternate) != nil
        && ledger.registry.device(of: accessory).secondAddress == nil
    }
  }

  /// An accessory advertises from there too.
  public mutating func learn(_ address: DeviceAddress, of accessory: RandomIdentifier) {
    guard ledger.pending == nil, ledger.waiting.isEmpty, ledger.state == .open else { return }
    change(.apply(.addAddress(accessory, address.settled)), .address)
  }

  // MARK: - Items of no manifest

  /// What has to be recognised beside the manifest's items: those that apps brought, for their pickers and for the
  /// accessories that came of them, and what operators let apps add.
  public var appSuppliedItems: [ManifestItem] {
    var items: [ManifestItem] = []
    for request in requests {
      for item in request.setup?.items ?? [] where item.isAppSupplied {
        items.append(ManifestItem(app: request.app, item: item.item))
      }
    }
    for accessory in ledger.registry.accessories where accessory.item == nil || accessory.alternate != nil {
      guard standing(of: accessory) == .active else { continue }
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

extension DeskRequest {
  /// When it has something to do by itself. What awaits its app has its accessory's time, and the disk takes its own.
  fileprivate var deadline: Instant? {
    guard let setup else { return end }
    return switch setup.step {
    case .none: .earliest(setup.picker.deadline, setup.touch?.deadline)
    case .naming(let until): until
    case .adding, .confirming, .takingBack: nil
    }
  }
}

extension RegistryAccessory {
  /// Whether an item is what an operator let the app add.
  public func isRecognised(byAlternate id: String) -> Bool { id == AppSuppliedItem.id(ofAlternate: number) }

  fileprivate func recognised(by descriptor: DiscoveryDescriptor, _ id: String) -> ManifestItem {
    var item = DisplayItem(id: id, name: id)
    item.selection = .observe
    item.descriptor = descriptor
    item.gate.isImmediate = descriptor.range == .immediate
    return ManifestItem(app: app, item: item)
  }
}

extension Instant {
  /// The earlier of two times that may not be set.
  public static func earliest(_ one: Instant?, _ other: Instant?) -> Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
