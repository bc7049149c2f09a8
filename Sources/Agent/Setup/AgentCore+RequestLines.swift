// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Interfaces
import Manifest
import Registry
import Setup
import Wireless

// What operators see of requests and their candidates.

/// How many silent accessories of an item are named.
private let silentMax = 8

/// How long an accessory has to be silent for another device to be offered in its place.
private let silenceMicroseconds: Int64 = 60_000_000

extension AgentCore {
  /// A candidate is shared when one of `apps` has it.
  func candidates(
    of request: SetupFlow, _ apps: Set<String>?
  ) -> [(line: CandidateLine, lastHeard: Int64)] {
    guard let picker = request.picker else { return [] }
    return picker.candidates.shown.compactMap { candidate in
      let item = picker.items[candidate.item].item
      let grants = setupCore.grants.grants(of: candidate.device.settled)
      let isSeen = apps == nil || grants.contains { apps.includes($0.app) }
      let shared = isSeen ? setupCore.registry.device(candidate.device.settled) : nil
      let holders = Set(grants.map(\.app).filter(apps.includes)).sorted()
      let name = shared?.displayName ?? candidate.appName ?? item.name
      let image = candidate.appImage ?? item.productImage
      switch candidate.device {
      case .bluetooth(let address):
        guard let row = dataPath.row(at: address), let view = dataPath.device(atRow: row) else { return nil }
        let rhythm = view.device.rhythmMilliseconds
        let line = CandidateLine(
          candidate: candidate.number, itemIndex: candidate.item, name: name, productImage: image,
          deviceName: view.name?.text, address: address, rssi: view.device.rssi.asReading,
          filteredRSSI: view.device.signal.filteredRSSI, silence: view.silence,
          intervalMilliseconds: rhythm == nil ? nil : view.device.signal.learnedMilliseconds,
          rhythmMilliseconds: rhythm, isIdentityDurable: address.isIdentityDurable, isShared: shared != nil,
          apps: holders)
        return (line, view.device.lastSeen.microseconds)
      case .network(let ssid):
        guard let network = networkInSight(ssid) else { return nil }
        let line = CandidateLine(
          candidate: candidate.number, itemIndex: candidate.item, name: name, productImage: image,
          ssid: AirText(ssid), security: network.security, rssi: network.signal,
          silence: Seconds(microseconds: max(0, now.microseconds &- network.lastSeen.microseconds)),
          isIdentityDurable: true, isShared: shared != nil, apps: holders)
        return (line, network.lastSeen.microseconds)
      }
    }
  }

  /// Counts the devices that match an item of a picker and cannot become candidates.
  private func countHindrances(of request: SetupFlow, in line: inout RequestLine) {
    guard let picker = request.picker else { return }
    (line.turnedAway, line.tooSlow) = dataPath.path.pipeline.countHindrances {
      let items = Set(picker.items.lazy.filter { $0.migration == nil }.map(\.item.id))
      return dataPath.items.map { $0.app == request.app && items.contains($0.item.id) }
    }
  }

  /// What operators see of a request.
  func line(of request: SetupFlow) -> RequestLine {
    var line = RequestLine(request, namePrefix: networkPrefix(ofNameOf: request))
    if let reason = setupCore.reasonNetworksAreDown { line.noteNetworksDown(reason) }
    line.noteEvents(of: request, on: configuration.board)
    for index in line.items.indices { describe(request, index, in: &line.items[index]) }
    countHindrances(of: request, in: &line)
    line.question = request.pairing?.question.map { PairingQuestionLine($0) }
    if request.pairsDevices { line.pairingNote = pairingNote(ofInputDevices: request.pairsOnlyInputDevices) }
    return line
  }

  /// Says at which levels an item's gate opens and closes, and which of its accessories are not heard.
  private func describe(_ request: SetupFlow, _ index: Int, in line: inout RequestItemLine) {
    guard let item = request.picker?.items[index], item.migration == nil else { return }
    if let number = dataPath.items.firstIndex(where: { $0.app == request.app && $0.item.id == item.item.id })
    {
      (line.enterRSSI, line.leaveRSSI) = dataPath.gateLevels(ofItem: number)
    }
    guard request.replaced == nil, let id = line.item else { return }
    let silent = setupCore.registry.accessories.lazy.filter { accessory in
      accessory.app == request.app && accessory.item == id && accessory.state == .authorized
        && self.isSilent(accessory)
    }
    line.silent = silent.prefix(silentMax).map { accessory in
      SilentAccessoryLine(
        accessory: accessory.identifier.text,
        displayName: setupCore.registry.device(of: accessory).displayName)
    }
  }

  private func isSilent(_ accessory: RegistryAccessory) -> Bool {
    let device = setupCore.registry.device(of: accessory)
    let silence = dataPath.row(of: device).flatMap { dataPath.device(atRow: $0) }?.silence
    return silence.map { $0.microseconds >= silenceMicroseconds } ?? true
      && device.identity.ssid.flatMap { networkInSight($0) } == nil
  }

  /// How the name that a request waits for must begin, because it is also the name of the network.
  private func networkPrefix(ofNameOf request: SetupFlow) -> String? {
    let prefix: [UInt8]?
    if case .rename(renamesNetwork: true)? = request.question?.change {
      prefix = request.accessory.flatMap(setupCore.registry.accessory).flatMap(setupCore.networkPrefix)
    } else if case .naming = request.state, let item = request.chosenItem?.item, item.renamesNetwork {
      prefix = item.descriptor.ssidPrefix
    } else {
      prefix = nil
    }
    return prefix.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension RequestLine {
  fileprivate init(_ request: SetupFlow, namePrefix: String?) {
    self.init(
      request: request.id.text, kind: request.kind, app: request.app,
      since: Seconds(microseconds: request.openedAt.microseconds),
      end: request.end.map { Seconds(microseconds: $0.microseconds) }, phase: request.phase)
    if kind != .migrate { (accessory, displayName) = (request.accessory?.text, request.displayName) }
    replaces = request.replaced?.text
    switch request.question?.change {
    case nil where request.asksForMigration: adds = request.picker?.migrations.map(\.sentence)
    case nil:
      (isOnBehalf, detail, self.namePrefix) = (request.isOnBehalf, request.detail, namePrefix)
      items = request.picker?.items.map(RequestItemLine.init) ?? []
      if let picker = request.picker { describe(picker) }
    case .rename(let renamesNetwork): (renamesSSID, self.namePrefix) = (renamesNetwork, namePrefix)
    case .pair: isOnBehalf = request.isOnBehalf
    case .extend(let additions): adds = additions.sentences
    }
  }

  /// Says of each item that is found by its network why it has no candidates now.
  fileprivate mutating func noteNetworksDown(_ reason: String) {
    for index in items.indices where items[index].isFoundByNetwork {
      items[index].reasonNothingIsFound = "finds nothing now: \(reason)"
    }
  }

  /// Says of each item whose devices send only on an event what the board misses.
  fileprivate mutating func noteEvents(of request: SetupFlow, on board: BoardProfile) {
    for (index, item) in (request.picker?.items ?? []).enumerated()
    where items.indices.contains(index) && item.migration == nil {
      items[index].note = board.costOfEvents(of: item.item)
    }
  }

  /// How a request of setup looks for candidates, and how far it is.
  fileprivate mutating func describe(_ picker: PickerRequest) {
    (usesTouch, isFiltered) = (picker.isTouchable, picker.isFiltered)
    (disclosed, remaining) = (picker.candidates.discoveredCount, picker.remaining)
    hidden = picker.candidates.hidden.count
  }
}

extension PickerItem {
  /// The device that is migrated, as a sentence for operators.
  fileprivate var sentence: String {
    guard let migration else { return item.name }
    let network = migration.network.map { ", with the network \(String(decoding: $0, as: UTF8.self))" } ?? ""
    if let name = migration.ssid {
      return "\(item.name) with the network \(String(decoding: name, as: UTF8.self)), which the app names"
    }
    let address = AddressText.text(of: migration.bits ?? 0)
    return migration.identity == nil
      ? "\(item.name) at \(address), if BlueZ knows it\(network)"
      : "\(item.name) at \(address), which the app had before\(network)"
  }
}

extension SetupFlow {
  fileprivate var phase: RequestLine.Phase {
    switch state {
    case .created, .discovering: .looking
    case .choosing: .choosing
    case .pairing: .pairing
    case .naming: .naming
    case .confirming, .settling: .confirming
    case .asking: .answering
    case .adding, .takingBack, .writing, .finished: .settingUp
    }
  }
}

extension RequestItemLine {
  fileprivate init(_ item: PickerItem) {
    self.init(
      item: item.isAppSupplied ? nil : item.item.id, name: item.item.name,
      productImage: item.item.productImage,
      asksForName: item.item.setupOptions.contains(.rename),
      confirmsAuthorization: item.item.setupOptions.contains(.confirmAuthorization),
      finishesInApp: item.item.setupOptions.contains(.finishInApp),
      isImmediate: item.item.descriptor.range == .immediate,
      ssidPrefix: item.item.descriptor.isFoundByNetwork
        ? nil : item.item.descriptor.ssidPrefix.map { String(decoding: $0, as: UTF8.self) },
      namePrefix: item.item.renamesNetwork
        ? item.item.descriptor.ssidPrefix.map { String(decoding: $0, as: UTF8.self) } : nil,
      isMigration: item.migration != nil)
    isFoundByNetwork = item.migration == nil && item.item.descriptor.isFoundByNetwork
    if item.migration == nil, item.item.descriptor.hasOnlyWiFiAware {
      reasonNothingIsFound = WiFiAwareService.reasonNothingIsFound
    }
    pairing = item.migration == nil ? item.item.pairingDemandName : nil
  }
}

extension RegistryExtension {
  /// The additions, as sentences for operators.
  fileprivate var sentences: [String] {
    var sentences: [String] = []
    if let ssid { sentences.append("its network \(AirText(ssid).escaped())") }
    if let ssidPrefix {
      sentences.append("a network that begins with \(String(decoding: ssidPrefix, as: UTF8.self))")
    }
    if let wifiAware {
      sentences.append("its Wi-Fi Aware service \(String(decoding: wifiAware.serviceName, as: UTF8.self))")
    }
    if let alternate { sentences.append("a second identity: \(alternate.words)") }
    return sentences
  }
}

extension DiscoveryDescriptor {
  /// Its clauses, in a few words.
  fileprivate var words: String {
    var words: [String] = []
    if let companyIdentifier {
      words.append("company 0x\(Hex.digits(UInt64(companyIdentifier), count: 4))")
    }
    if manufacturerData != nil { words.append("manufacturer data") }
    if let serviceUUID { words.append("service \(IdentifierText.text(of: serviceUUID))") }
    if serviceData != nil { words.append("service data") }
    if let nameSubstring { words.append("name \(String(decoding: nameSubstring, as: UTF8.self))") }
    return words.joined(separator: ", ")
  }
}

extension AgentCore {
  /// What operators see of an accessory.
  func line(of accessory: RegistryAccessory) -> AccessoryLine {
    let device = setupCore.registry.device(of: accessory)
    let heard = dataPath.row(of: device)
    let row = heard.flatMap { row in dataPath.isFound(at: row) ? row : nil }
    let network = device.identity.ssid.flatMap { networkInSight($0) }
    let status = setupCore.status(of: accessory)
    var line = AccessoryLine(
      identifier: accessory.identifier.text, app: accessory.app, item: accessory.item,
      displayName: device.displayName,
      state: status == .orphaned ? .unauthorized : AccessoryLine.State(accessory.state),
      status: status,
      address: device.identity.address, ssid: accessory.ssid.map { AirText($0) },
      bond: BondState(device.bond),
      isIdentityDurable: device.isIdentityDurable,
      isInSight: row != nil || network != nil,
      isHeard: heard != nil && row == nil && network == nil ? true : nil,
      filteredRSSI: row.flatMap { dataPath.pipeline.device(at: $0)?.signal.filteredRSSI } ?? network?.signal,
      addedAt: accessory.addedAt)
    if let view = heard.flatMap({ dataPath.device(atRow: $0) }) {
      line.silence = view.silence
      line.intervalMilliseconds = view.device.signal.learnedMilliseconds
      line.rhythmMilliseconds = view.device.rhythmMilliseconds
      line.values = view.values
    }
    let link = links.link(of: accessory.identifier)
    line.connection = link.map { $0.isConnecting ? .connecting : .connected }
    line.connectedSince = link?.start.map { Seconds(microseconds: $0.microseconds) }
    line.bondOwner = device.bond.record?.owner
    line.isBondAuthenticated = device.bond.record?.isAuthenticated
    if setupCore.lacksAuthenticatedBond(device) { line.lacksAuthenticatedBond = true }
    if case .lost = device.bond {
      line.pairingNote = pairingNote(ofInputDevices: setupCore.isInputDevice(device))
    }
    return line
  }
}

extension AccessoryLine.State {
  fileprivate init(_ state: AccessoryState) {
    switch state {
    case .unauthorized: self = .unauthorized
    case .awaitingAuthorization: self = .awaitingAuthorization
    case .authorized: self = .authorized
    }
  }
}

extension Pipeline {
  /// Most gateways hear no such device, so the items that are looked for are asked for when one is found.
  fileprivate func countHindrances(items: () -> [Bool]) -> (turnedAway: Int, tooSlow: Int) {
    lazy var isWanted = items()
    var (turnedAway, tooSlow) = (0, 0)
    forEachDevice { row, device in
      let full = itemsThatTurnedAway(row: row)
      if (0..<full.count).contains(where: { isWanted[Int(full[$0])] }) { turnedAway += 1 }
      let isSlow = (0..<Int(device.matchCount)).contains { slot in
        let match = match(slot, at: row)
        return !match.isFound && isTooSlow(row: row, item: Int(match.item)) && isWanted[Int(match.item)]
      }
      if isSlow { tooSlow += 1 }
    }
    return (turnedAway, tooSlow)
  }
}
