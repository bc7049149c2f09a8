// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Interfaces
import Manifest
import Registry
import Setup
import DeviceLines
import Varlink
import Wireless

/// `Watch`: the open requests with their candidates, and how they end.
enum WatchRequestsMethod: OperatorMethod {
  static let name = OperatorMethodName.watch
  static let lastsUntilClosed = true
  static let bridgeRight = BridgeRight.with(.pick)

  static func start(_ call: MethodCall) throws(OperatorError) -> CallOutcome {
    let (capabilities, rights) = (try PersonCapabilities(call.parameters), call.client.rights)
    return .stream(
      RequestStream(
        capabilities: rights.isOperator ? capabilities : [], visibleApps: rights.visibleApps))
  }
}

/// What has changed since the last reply, one request or candidate a reply.
///
/// It keeps no backlog: a client that reads slowly gets what is true when it reads.
struct RequestStream: ReplyStream {
  /// Levels and ages are sent again after this long.
  private static let candidateMilliseconds: Int64 = 250
  /// Other changes are sent after this long.
  private static let pauseMilliseconds: Int64 = 50
  /// Devices that cannot become candidates are counted again after this long while there are no candidates.
  private static let hindranceMilliseconds: Int64 = 1000
  /// A candidate that was heard again is sent once in this long, even if nothing else has changed.
  private static let ageMicroseconds: Int64 = 1_000_000

  private struct Sent {
    var request: RequestLine
    var candidates: [UInt32: (line: CandidateLine, lastHeard: Int64)] = [:]
  }

  /// What the client's person can do while a device is paired; nothing for a bridge, which may not call AnswerPairing.
  let capabilities: PersonCapabilities
  /// The apps whose requests it has; nil for all.
  private let visibleApps: Set<String>?
  private var sent: [RandomIdentifier: Sent] = [:]
  /// Found in one comparison, and not yet sent; bounded by what can be open.
  private var changes: [PickerReply] = []
  private var isSynced = false
  private var comparedAt: Instant?
  /// Requests have changed since the last comparison.
  fileprivate var hasNews = false

  init(capabilities: PersonCapabilities, visibleApps: Set<String>?) {
    (self.capabilities, self.visibleApps) = (capabilities, visibleApps)
  }

  mutating func nextReply(_ agent: AgentCore) -> StreamStep {
    if changes.isEmpty, let due = nextComparison(agent), due <= agent.now {
      comparedAt = agent.now
      hasNews = false
      collectChanges(agent)
    }
    guard changes.isEmpty else { return reply(changes.removeFirst()) }
    guard !isSynced else { return .wait }
    isSynced = true
    return reply(.synced)
  }

  private func reply(_ reply: PickerReply) -> StreamStep {
    .reply(Message.line(reply))
  }

  func deadline(_ agent: AgentCore) -> Instant? { changes.isEmpty ? nextComparison(agent) : nil }

  /// When the requests are compared with what was sent; nil while nothing changes.
  private func nextComparison(_ agent: AgentCore) -> Instant? {
    guard let comparedAt else { return agent.now }
    if hasNews {
      return comparedAt.advanced(milliseconds: Self.pauseMilliseconds)
    }
    let pickers = agent.setupCore.requests.filter { $0.picker != nil }
    guard !pickers.isEmpty else { return nil }
    return comparedAt.advanced(
      milliseconds: pickers.contains(where: \.hasCandidates)
        ? Self.candidateMilliseconds : Self.hindranceMilliseconds)
  }

  private mutating func collectChanges(_ agent: AgentCore) {
    for id in sent.keys.sorted(by: { $0.text < $1.text }) where agent.setupCore.request(id) == nil {
      sent[id] = nil
      changes.append(.closed(id.text, RequestEnding(agent.setupCore.outcome(of: id))))
    }
    for request in agent.setupCore.requests where visibleApps.includes(request.app) {
      collectChanges(of: request, agent)
    }
  }

  private mutating func collectChanges(of request: SetupFlow, _ agent: AgentCore) {
    var line = RequestLine(request, namePrefix: agent.networkPrefix(ofNameOf: request))
    if let reason = agent.setupCore.reasonNetworksAreDown { line.noteNetworksDown(reason) }
    line.noteEvents(of: request, on: agent.configuration.board)
    agent.countHindrances(of: request, in: &line)
    line.question = request.pairing?.question.map { PairingQuestionLine($0) }
    if request.pairsDevices {
      line.pairingNote = agent.pairingNote(ofInputDevices: request.pairsOnlyInputDevices)
    }
    var known = sent[request.id] ?? Sent(request: line)
    if sent[request.id]?.request != line { changes.append(.request(line)) }
    known.request = line
    let present = agent.candidates(of: request, visibleApps)
    for number in known.candidates.keys.sorted()
    where !present.contains(where: { $0.line.candidate == number }) {
      known.candidates[number] = nil
      changes.append(.gone(number, of: request.id.text))
    }
    for (line, lastHeard) in present {
      if let before = known.candidates[line.candidate], line.isLike(before.line),
        lastHeard - before.lastHeard < Self.ageMicroseconds
      {
        continue
      }
      known.candidates[line.candidate] = (line, lastHeard)
      changes.append(.candidate(line, of: request.id.text))
    }
    sent[request.id] = known
  }
}

extension AgentCore {
  /// Tells every watch that requests have changed.
  func noteRequestsChanged() {
    for client in clients.connected {
      guard var stream = client.stream as? RequestStream else { continue }
      stream.hasNews = true
      client.stream = stream
    }
  }

  /// A candidate is shared when one of `apps` has it.
  fileprivate func candidates(
    of request: SetupFlow, _ apps: Set<String>?
  ) -> [(line: CandidateLine, lastHeard: Int64)] {
    guard let picker = request.picker else { return [] }
    return picker.candidates.shown.compactMap { candidate in
      let item = picker.items[candidate.item].item
      let grants = setupCore.grants.grants(of: candidate.device.settled)
      let isSeen = apps == nil || grants.contains { apps.includes($0.app) }
      let shared = isSeen ? setupCore.registry.device(candidate.device.settled) : nil
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
          rhythmMilliseconds: rhythm, isIdentityDurable: address.isIdentityDurable, isShared: shared != nil)
        return (line, view.device.lastSeen.microseconds)
      case .network(let ssid):
        guard let network = networkInSight(ssid) else { return nil }
        let line = CandidateLine(
          candidate: candidate.number, itemIndex: candidate.item, name: name, productImage: image,
          ssid: AirText(ssid), security: network.security, rssi: network.signal,
          silence: Seconds(microseconds: max(0, now.microseconds &- network.lastSeen.microseconds)),
          isIdentityDurable: true, isShared: shared != nil)
        return (line, network.lastSeen.microseconds)
      }
    }
  }

  /// Counts the devices that match an item of a picker and cannot become candidates.
  fileprivate func countHindrances(of request: SetupFlow, in line: inout RequestLine) {
    guard let picker = request.picker else { return }
    let paths = Set(
      picker.items.filter { $0.migration == nil }.map { ManifestItem(app: request.app, item: $0.item).path })
    let isWanted = dataPath.items.map { paths.contains($0.path) }
    for row in dataPath.liveRows {
      guard let device = dataPath.pipeline.device(at: row) else { continue }
      let full = dataPath.pipeline.itemsThatTurnedAway(row: row)
      if (0..<full.count).contains(where: { isWanted[Int(full[$0])] }) { line.turnedAway += 1 }
      let isSlow = (0..<Int(device.matchCount)).contains { slot in
        let match = dataPath.pipeline.match(slot, at: row)
        let item = Int(match.item)
        return isWanted[item] && !match.isFound && dataPath.pipeline.isTooSlow(row: row, item: item)
      }
      if isSlow { line.tooSlow += 1 }
    }
  }
}

extension SetupFlow {
  fileprivate var hasCandidates: Bool { picker.map { !$0.candidates.candidates.isEmpty } ?? false }
}

extension CandidateLine {
  /// Whether a person would see the same.
  fileprivate func isLike(_ other: CandidateLine) -> Bool {
    var same = other
    same.silence = silence
    same.rssi = rssi
    same.intervalMilliseconds = intervalMilliseconds
    return same == self
  }
}

extension RequestEnding {
  fileprivate init(_ outcome: RequestOutcome?) {
    self.init(
      accessory: outcome?.accessory?.text, displayName: outcome?.displayName,
      failure: outcome?.failure?.code.name, reason: outcome?.failure?.reason)
    pairing = outcome?.pairing
    isBondAuthenticated = outcome?.isBondAuthenticated
  }
}

extension AgentCore {
  /// How the name that a request waits for must begin, because it is also the name of the network.
  fileprivate func networkPrefix(ofNameOf request: SetupFlow) -> String? {
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
  init(_ request: SetupFlow, namePrefix: String?) {
    self.init(
      request: request.id.text, kind: request.kind, app: request.app,
      since: Seconds(microseconds: request.openedAt.microseconds),
      end: request.end.map { Seconds(microseconds: $0.microseconds) }, phase: request.phase)
    if kind != .migrate { (accessory, displayName) = (request.accessory?.text, request.displayName) }
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
