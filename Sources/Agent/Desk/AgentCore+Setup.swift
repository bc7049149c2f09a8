// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
import Manifest
public import Registry
import Setup
import ToolText
import Varlink

// Connects the setup core to the radio, the clients and the disk.

extension AgentCore {
  /// Devices are looked at again after so long when something was found or lost, and after so long when not.
  private static let newsMilliseconds: Int64 = 20
  private static let requestMilliseconds: Int64 = 250
  private static let automaticMilliseconds: Int64 = 5000

  /// Lets time pass for sessions and requests, and shows them what is in sight.
  func advanceSetup() {
    setupCore.advance(to: now)
    setupCore.radioIs(down: radio.state != .on)
    refreshCandidates()
    lookForSecondIdentities()
    followSetup()
  }

  /// What came of the one request to the registry's file that is under way.
  public func registryAnswered(_ reply: RegistryReply, at time: Instant) {
    turn.advance(to: time)
    setupCore.advance(to: now)
    setupCore.registryAnswered(reply)
    followSetup()
    if !setupCore.isOpening { startDeferredCalls() }
    followSetup()
  }

  /// Performs the effects of the setup core.
  func followSetup() {
    while let action = setupCore.nextAction() {
      switch action {
      case .registry(let request): perform(.registry(request))
      case .answer(let call, let result):
        complete(call, result)
        turn.isBusy = true
      case .signal(let signal):
        if configuration.manifest.gateway.onTouch != nil { perform(.signalTouch(signal)) }
      case .log(let notice): perform(.log(.setup(notice)))
      }
    }
    guard setupRevision != setupCore.revision else { return }
    setupRevision = setupCore.revision
    markAccessories()
    recogniseAppSuppliedItems()
    feeds.advertisements.greetNewAccessories(dataPath, setupCore.grants)
    hasSecondIdentities = setupCore.hasSecondIdentities
    let counts = setupCore.requestCounts
    if counts != requests { setRequests(counts, at: now) }
  }

  // MARK: - What is in sight

  private func refreshCandidates() {
    guard setupCore.looksForDevices, let due = nextLook, due <= now else { return }
    lookedAt = now
    lookedAtEvent = dataPath.pipeline.events.produced
    setupCore.look(at: sighted())
  }

  /// Now and then, while there are accessories.
  private func lookForSecondIdentities() {
    guard hasSecondIdentities, secondLook <= now else { return }
    secondLook = now.advanced(milliseconds: Self.automaticMilliseconds)
    learnSecondIdentities()
  }

  /// When what is in sight is looked at next.
  var nextLook: Instant? {
    guard setupCore.looksForDevices else { return nil }
    guard let lookedAt else { return now }
    if lookedAtEvent != dataPath.pipeline.events.produced {
      return lookedAt.advanced(milliseconds: Self.newsMilliseconds)
    }
    let hasRequest = setupCore.requests.contains { $0.setup != nil }
    return lookedAt.advanced(milliseconds: hasRequest ? Self.requestMilliseconds : Self.automaticMilliseconds)
  }

  /// Devices that an item has found for which somebody waits.
  private func sighted() -> [MatchedDevice] {
    let interest = setupCore.interest
    let wanted = dataPath.items.map { interest[$0.path] }
    guard wanted.contains(where: { $0 != nil }) else { return [] }
    var sighted: [MatchedDevice] = []
    for row in 0..<dataPath.pipeline.rowCount {
      guard let device = dataPath.pipeline.device(at: row) else { continue }
      for place in 0..<Int(device.matchCount) {
        let match = dataPath.pipeline.match(place, at: row)
        guard match.isFound, let isTold = wanted[Int(match.item)] else { continue }
        let item = dataPath.items[Int(match.item)]
        sighted.append(
          MatchedDevice(
            dataPath.pipeline.address(at: row), app: item.app, item: item.item.id,
            level: device.signal.readingCount == 0 ? nil : device.signal.level, rssi: device.rssi.asReading,
            hasResponded: dataPath.hasResponded(row), payload: isTold ? dataPath.payload(at: row) : []))
      }
    }
    return sighted
  }

  // MARK: - Accessories and their items

  /// Devices of accessories never give way in the device table.
  private func markAccessories() {
    let addresses = setupCore.grants.addresses
    guard addresses != markedAccessories else { return }
    for address in markedAccessories.subtracting(addresses) {
      _ = dataPath.pipeline.setAccessory(address, false)
    }
    for address in addresses.subtracting(markedAccessories).sorted(by: { $0.word < $1.word })
    where !dataPath.pipeline.setAccessory(address, true) {
      counters.accessoriesUnmarked &+= 1
    }
    markedAccessories = addresses
  }

  private func recogniseAppSuppliedItems() {
    let items = setupCore.appSuppliedItems
    guard items != appSuppliedItems else { return }
    appSuppliedItems = items
    dataPath.reload(
      effectiveManifest, identities: configuration.identities,
      adapterOffset: configuration.board.rssiOffset ?? 0, at: radioTime)
    radio.follow(scanPlan, at: now)
    performRadioOutput()
  }

  /// The manifest with what apps brought.
  var effectiveManifest: GatewayManifest {
    guard !appSuppliedItems.isEmpty else { return configuration.manifest }
    var brought = configuration.manifest
    for index in brought.apps.indices {
      brought.apps[index].items = appSuppliedItems.filter { $0.app == brought.apps[index].name }.map(\.item)
    }
    // The manifest's own items have been paced already.
    brought = brought.paced(by: configuration.board)
    var manifest = configuration.manifest
    for index in manifest.apps.indices { manifest.apps[index].items += brought.apps[index].items }
    return manifest
  }

  /// When sessions, requests, and what is in sight want to be asked again.
  var setupDeadline: Instant? {
    let earliest = Instant.earliest(setupCore.deadline, nextLook)
    return hasSecondIdentities ? .earliest(earliest, secondLook) : earliest
  }
}

extension DataPath {
  /// Whether some scan response of the device in a row is known.
  fileprivate func hasResponded(_ row: Int) -> Bool {
    for set in 0..<pipeline.setCount(at: row) where !pipeline.response(ofSet: set, at: row).isEmpty {
      return true
    }
    return false
  }
}
