// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import Manifest
import Pairing
public import Registry
import Setup
import DeviceLines

// Connects the setup core to the radio, the clients and the disk.

/// What the agent passes between the setup core and the rest: effects that wait, and what was passed on last.
struct SetupLink {
  /// Effects that are performed once the clients of a turn were served.
  var effects: [SetupEffect] = []
  /// The time and the event sequence of the last candidate refresh.
  fileprivate(set) var refreshedAt: Instant?
  fileprivate var refreshedAtEvent: UInt64 = 0
  /// The items of the data path that are not in the manifest.
  var appSuppliedItems: [ManifestItem] = []
  /// ``AgentCore/wantedItems``; nil after the requests or the items changed.
  var wantedItems: [Bool?]?
  /// The devices that the data path keeps because they are accessories.
  fileprivate var markedAccessories: Set<DeviceAddress> = []
  /// Some accessory may come back with its second identity; when that is looked for next.
  fileprivate(set) var hasSecondIdentities = false
  fileprivate var nextSecondIdentitySearch = Instant(microseconds: 0)
  /// When the rhythms of accessories are looked at next; no turn comes for that alone.
  fileprivate var nextRhythmNote = Instant(microseconds: 0)
  /// The requests that the scan plan already considers.
  var requests = RequestCounts()
  /// Performs what the setups ask of pairings in place of this agent; for tests.
  var pairingScript: ((PairingCommand) -> Void)?
  /// The devices that BlueZ knows, for migrations.
  var knownDevices = KnownDevicesRecord()

  /// Refreshes the candidates at once: a new request takes in the devices that were at the gateway before.
  mutating func refreshAtOnce() { refreshedAt = nil }
}

extension AgentCore {
  /// How long after the last candidate refresh the next one comes: when a device was found or lost, while a request is
  /// open, and while only automatic items look for devices.
  private static let newsMilliseconds: Int64 = 20
  private static let requestMilliseconds: Int64 = 250
  private static let automaticMilliseconds: Int64 = 5000
  private static let rhythmMilliseconds: Int64 = 60_000

  /// Lets time pass for sessions and requests, and refreshes their candidates.
  func advanceSetup() {
    follow(setupCore.advance(to: now))
    setupCore.setRadio(isDown: radio.state != .on)
    followNetworks()
    refreshCandidates()
    lookForSecondIdentities()
    noteRhythms()
    performSetupEffects()
  }

  /// The disk has replied to the one request that was under way.
  public func registryAnswered(_ reply: RegistryReply, at time: Instant) {
    turn.advance(to: time)
    follow(setupCore.advance(to: now))
    follow(setupCore.receive(reply))
    performSetupEffects()
    if !setupCore.isOpening { startDeferredCalls() }
    performSetupEffects()
  }

  /// Ends the open pickers of apps and the setups that pair, before the agent ends. The next turn sends this to the apps,
  /// and has the bonds removed.
  public func endPickers(at time: Instant) {
    turn.advance(to: time)
    follow(setupCore.advance(to: now))
    follow(setupCore.endPickers())
  }

  /// Whether nothing of the setups that were ended has yet to be removed or written.
  public var hasEndedSetups: Bool {
    setupLink.effects.isEmpty && setupCore.hasWrittenChanges && !pairing.isBusy(at: now)
  }

  // MARK: - Effects

  /// Keeps the effects of an input until ``performSetupEffects()``, so that no reply comes before its call waits for it.
  func follow(_ effects: [SetupEffect]) {
    turn.outlook.isOld = true
    guard !effects.isEmpty else { return }
    setupLink.effects += effects
    for case .changed(let changes) in effects where changes.contains(.requests) { noteRequestsChanged() }
  }

  /// Lets every watch compare the requests with what it has sent.
  private func noteRequestsChanged() {
    for client in clients.connected {
      guard var stream = client.stream as? RequestStream else { continue }
      stream.hasNews = true
      client.stream = stream
    }
  }

  /// Performs the effects, then passes on what has changed.
  func performSetupEffects() {
    guard !setupLink.effects.isEmpty else { return }
    var changes: SetupChanges = []
    // A pairing may end at once, which has effects of its own.
    while !setupLink.effects.isEmpty {
      let effects = setupLink.effects
      setupLink.effects = []
      performSetupEffects(effects, &changes)
    }
    passOn(changes)
  }

  private func performSetupEffects(_ effects: [SetupEffect], _ changes: inout SetupChanges) {
    for effect in effects {
      switch effect {
      case .registry(let request): enqueue(.registry(request))
      case .reply(let call, let result):
        complete(call, result)
        turn.isBusy = true
      case .signal(let signal):
        if configuration.manifest.gateway.programs[signal.program] != nil { enqueue(.signal(signal)) }
      case .pairing(let command):
        if let script = setupLink.pairingScript {
          script(command)
        } else {
          updatePairing { $0.performCommand(command, at: now) }
        }
      case .log(let notice): enqueue(.log(.setup(notice)))
      case .changed(let change): changes.formUnion(change)
      }
    }
  }

  private func passOn(_ changes: SetupChanges) {
    if !changes.isDisjoint(with: [.grants, .bonds, .requests]) { followIdentities() }
    if changes.contains(.grants) {
      markAccessories()
      followReportWants()
      followNetworkInterest()
    }
    if changes.contains(.requests) {
      setupLink.wantedItems = nil
      recogniseAppSuppliedItems()
      followBroadPickers()
    }
    if changes.contains(.grants) {
      feeds.advertisements.greetNewAccessories(dataPath, setupCore.grants) { setupCore.audience(of: $0) }
      setupLink.hasSecondIdentities = setupCore.hasSecondIdentities
    }
    if !changes.isDisjoint(with: [.grants, .events]) { endLinksWithoutGrant() }
    if changes.contains(.bonds) { updatePairing { $0.setBonds(setupCore.bonds, at: now) } }
    guard changes.contains(.requests) else { return }
    let counts = setupCore.requestCounts
    if counts.open > setupLink.requests.open { dataPath.pipeline.chooseStrongest() }
    if counts != setupLink.requests { setRequests(counts, at: now) }
  }

  // MARK: - Candidates

  private func refreshCandidates() {
    guard setupCore.looksForDevices, let due = nextRefresh, due <= now else { return }
    for address in setupCore.awaitedAddresses {
      for type in [AddressType.public, .random] {
        dataPath.pipeline.giveWay(to: DeviceAddress(bits: address, type: type))
      }
    }
    setupLink.refreshedAt = now
    setupLink.refreshedAtEvent = dataPath.path.pipeline.events.produced
    let capability = setupCore.hasOpenPicker ? operatorCapability : .none
    follow(setupCore.refreshCandidates(with: matchedDevices(), capability: capability))
  }

  private func lookForSecondIdentities() {
    guard setupLink.hasSecondIdentities, setupLink.nextSecondIdentitySearch <= now else { return }
    setupLink.nextSecondIdentitySearch = now.advanced(milliseconds: Self.automaticMilliseconds)
    learnSecondIdentities()
  }

  /// When the next candidate refresh is due; nil also when the agent ends, which sets nothing up any more.
  private var nextRefresh: Instant? {
    guard setupCore.looksForDevices, !turn.isEnding else { return nil }
    guard let refreshedAt = setupLink.refreshedAt else { return now }
    if setupLink.refreshedAtEvent != dataPath.path.pipeline.events.produced {
      return refreshedAt.advanced(milliseconds: Self.newsMilliseconds)
    }
    return refreshedAt.advanced(
      milliseconds: setupCore.hasOpenPicker ? Self.requestMilliseconds : Self.automaticMilliseconds)
  }

  /// Which items are looked for by a request, or to set up what they find: true where the app receives what devices send.
  private var wantedItems: [Bool?] {
    if let known = setupLink.wantedItems { return known }
    let interest = setupCore.interest
    let wanted = dataPath.items.map { interest[$0.path] }
    setupLink.wantedItems = wanted
    return wanted
  }

  /// Returns the devices and networks that were found by such an item.
  private func matchedDevices() -> [MatchedDevice] {
    let wanted = wantedItems
    guard wanted.contains(where: { $0 != nil }) else { return [] }
    let heardSince = setupLink.appSuppliedItems.isEmpty ? nil : filter.openSince
    var devices: [MatchedDevice] = []
    dataPath.path.pipeline.forEachMatch { row, slot, device, match in
      guard match.isFound, let sendsPayload = wanted[Int(match.item)] else { return }
      let item = dataPath.items[Int(match.item)]
      var matched = MatchedDevice(
        .bluetooth(device.address), app: item.app, item: item.item.id,
        level: device.signal.readingCount == 0 ? nil : device.signal.level,
        hasResponded: dataPath.hasResponded(row),
        report: sendsPayload && dataPath.path.pipeline.isOnAir(slot, at: row)
          ? dataPath.report(at: row, of: device) : nil,
        approach: dataPath.approach(
          at: row, item: Int(match.item), now: radioTime, lead: turn.radioLead, heardSince: heardSince))
      matched.isSilent = dataPath.path.pipeline.isSilent(row: row, item: Int(match.item))
      devices.append(matched)
    }
    return devices + matchedNetworks(wanted)
  }

  // MARK: - Accessories and their items

  /// Devices of accessories never give way in the device table.
  private func markAccessories() {
    let addresses = setupCore.grants.addresses
    guard addresses != setupLink.markedAccessories else { return }
    for address in setupLink.markedAccessories.subtracting(addresses) {
      _ = dataPath.pipeline.setAccessory(address, false)
    }
    for address in addresses.subtracting(setupLink.markedAccessories).sorted(by: { $0.word < $1.word })
    where
      !dataPath.pipeline.setAccessory(address, true, rhythm: setupCore.grants.rhythm(at: address))
    {
      counters.accessoriesUnmarked &+= 1
    }
    setupLink.markedAccessories = addresses
  }

  /// Lets the registry keep the rhythms of accessories. Those of devices that no item matches now are not learned.
  private func noteRhythms() {
    guard setupLink.nextRhythmNote <= now, !setupLink.markedAccessories.isEmpty else { return }
    setupLink.nextRhythmNote = now.advanced(milliseconds: Self.rhythmMilliseconds)
    var rhythms: [DeviceAddress: UInt32?] = [:]
    dataPath.path.pipeline.forEachDevice { row, device in
      guard device.isAccessory, device.matchCount > 0, !device.signal.rhythm.isUnknown else { return }
      rhythms[dataPath.path.pipeline.address(at: row).settled] = .some(device.rhythmMilliseconds)
    }
    follow(setupCore.noteRhythms(rhythms))
  }

  private func recogniseAppSuppliedItems() {
    let items = setupCore.appSuppliedItems
    guard items != setupLink.appSuppliedItems else { return }
    setupLink.appSuppliedItems = items
    followItems()
    followScanPlan()
  }

  /// Looks for the items that there are now, with the adapter's present profile.
  func followItems() {
    dataPath.reload(
      effectiveManifest, identities: identities,
      adapterOffset: configuration.board.rssiOffset ?? 0, at: radioTime)
    filter.itemsChanged(at: now)
    networkItemsChanged()
    followReportWants()
    history.renumber(dataPath.items)
    setupLink.wantedItems = nil
  }

  /// The manifest with the items that apps supplied.
  var effectiveManifest: GatewayManifest {
    guard !setupLink.appSuppliedItems.isEmpty else { return configuration.manifest }
    var supplied = configuration.manifest
    for index in supplied.apps.indices {
      supplied.apps[index].items = setupLink.appSuppliedItems.filter { $0.app == supplied.apps[index].name }
        .map(\.item)
    }
    // The manifest's own items have been paced already.
    supplied = supplied.paced(by: configuration.board)
    var manifest = configuration.manifest
    for index in manifest.apps.indices { manifest.apps[index].items += supplied.apps[index].items }
    return manifest
  }

  /// When sessions, requests and their candidates need the time.
  var setupDeadline: Instant? {
    let earliest = Instant.earliest(setupCore.deadline, nextRefresh)
    return setupLink.hasSecondIdentities
      ? .earliest(earliest, setupLink.nextSecondIdentitySearch) : earliest
  }
}

extension ManifestDataPath {
  /// How the device in a row came near an item with the immediate gate; nil for others. `now` is the radio's time,
  /// which is ahead of the clients' by `lead` microseconds. `heardSince` is when devices were heard for the first time that no
  /// item had looked for: one that appeared just then may have been there before.
  fileprivate func approach(
    at row: Int, item index: Int, now: Instant, lead: Int64, heardSince: Instant?
  ) -> HeldDevice? {
    guard path.pipeline.gate(ofItem: index).isImmediate, let device = path.pipeline.device(at: row) else {
      return nil
    }
    var appeared = Instant(microseconds: device.levels.appeared.microseconds &- lead)
    if let heardSince, appeared >= heardSince, appeared < heardSince.advanced(milliseconds: 3000) {
      appeared = appeared.advanced(milliseconds: -HeldDevice.newMilliseconds)
    }
    return HeldDevice(
      item: items[index].item.id, level: Int(device.signal.level),
      enterLevel: path.pipeline.enterLevel(at: row, item: index),
      levelBefore: device.levels.median(at: now),
      appeared: appeared)
  }

  /// What the device in a row sent last.
  fileprivate func report(at row: Int, of device: Device) -> DeviceReport {
    DeviceReport(
      payload: payload(at: row), rssi: device.rssi.asReading,
      isConnectable: path.pipeline.isConnectable(at: row),
      time: device.lastSeen)
  }

  /// Whether some scan response of the device in a row is known.
  fileprivate func hasResponded(_ row: Int) -> Bool {
    for set in 0..<path.pipeline.setCount(at: row) where !path.pipeline.response(ofSet: set, at: row).isEmpty
    {
      return true
    }
    return false
  }
}
