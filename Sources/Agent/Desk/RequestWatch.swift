// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Registry
import Setup
import ToolText
import Varlink

/// A call of Watch: what an operator was told about requests and candidates, so that only what is new is told.
///
/// It keeps no backlog: whoever reads slowly gets what is true then.
struct RequestWatch: Sendable {
  /// Levels and ages are told again after so long.
  static let lookMilliseconds: Int64 = 250
  /// What else has changed, after so long.
  static let pauseMilliseconds: Int64 = 50
  /// A candidate that was heard again is told of once in so long, even if nothing else has changed.
  static let ageMicroseconds: Int64 = 1_000_000

  struct Told: Sendable {
    var request: RequestLine
    var candidates: [UInt32: (line: CandidateLine, lastHeard: Int64)] = [:]
  }

  var told: [RandomIdentifier: Told] = [:]
  /// Found in one look, and not yet told; bounded by what can be open.
  var news: [PickerReply] = []
  var isSynced = false
  var lookedAt: Instant?
  var revision: UInt64 = 0
}

extension AgentCore {
  func step(_ watch: inout RequestWatch) -> Step {
    if watch.news.isEmpty, isDue(watch) {
      watch.lookedAt = now
      watch.revision = setupCore.revision
      look(&watch)
    }
    guard watch.news.isEmpty else {
      let news = watch.news.removeFirst()
      return .say(Message.reply(continues: true) { news.writeMembers(to: &$0) })
    }
    guard !watch.isSynced else { return .wait }
    watch.isSynced = true
    return .say(Message.reply(continues: true) { PickerReply.synced.writeMembers(to: &$0) })
  }

  private func isDue(_ watch: RequestWatch) -> Bool {
    guard let due = nextLook(of: watch) else { return false }
    return due <= now
  }

  /// When the watch has something to look at again; nil while nothing changes.
  func nextLook(of watch: RequestWatch) -> Instant? {
    guard let lookedAt = watch.lookedAt else { return now }
    if watch.revision != setupCore.revision {
      return lookedAt.advanced(milliseconds: RequestWatch.pauseMilliseconds)
    }
    guard setupCore.requests.contains(where: { $0.hasCandidates }) else { return nil }
    return lookedAt.advanced(milliseconds: RequestWatch.lookMilliseconds)
  }

  private func look(_ watch: inout RequestWatch) {
    for id in watch.told.keys.sorted(by: { $0.text < $1.text }) where setupCore.request(id) == nil {
      watch.told[id] = nil
      watch.news.append(.closed(id.text, RequestEnding(setupCore.outcome(of: id))))
    }
    for request in setupCore.requests { look(at: request, &watch) }
  }

  private func look(at request: DeskRequest, _ watch: inout RequestWatch) {
    let line = RequestLine(request)
    var told = watch.told[request.id] ?? RequestWatch.Told(request: line)
    if watch.told[request.id]?.request != line { watch.news.append(.request(line)) }
    told.request = line
    let present = candidates(of: request)
    for number in told.candidates.keys.sorted()
    where !present.contains(where: { $0.line.candidate == number }) {
      told.candidates[number] = nil
      watch.news.append(.gone(number, of: request.id.text))
    }
    for (line, lastHeard) in present {
      if let before = told.candidates[line.candidate], line.isLike(before.line),
        lastHeard - before.lastHeard < RequestWatch.ageMicroseconds
      {
        continue
      }
      told.candidates[line.candidate] = (line, lastHeard)
      watch.news.append(.candidate(line, of: request.id.text))
    }
    watch.told[request.id] = told
  }

  private func candidates(of request: DeskRequest) -> [(line: CandidateLine, lastHeard: Int64)] {
    guard let setup = request.setup else { return [] }
    return setup.picker.candidates.filter(\.isShown).compactMap { candidate in
      guard let row = row(at: candidate.device), let view = dataPath.device(atRow: row) else { return nil }
      let item = setup.items[candidate.item].item
      let shared = setupCore.registry.device(.bluetooth(candidate.device.settled))
      let line = CandidateLine(
        candidate: candidate.number, itemIndex: candidate.item,
        name: shared?.displayName ?? candidate.appName ?? item.name,
        productImage: candidate.appImage ?? item.productImage, deviceName: view.name?.text,
        address: candidate.device, rssi: view.device.rssi.asReading,
        filteredRSSI: view.device.signal.filteredRSSI, silence: view.silence,
        identityDurable: candidate.device.isIdentityDurable, isShared: shared != nil)
      return (line, view.device.lastSeen.microseconds)
    }
  }
}

extension DeskRequest {
  fileprivate var hasCandidates: Bool { setup.map { !$0.picker.candidates.isEmpty } ?? false }
}

extension CandidateLine {
  /// Whether a person would see the same.
  fileprivate func isLike(_ other: CandidateLine) -> Bool {
    var same = other
    same.silence = silence
    same.rssi = rssi
    return same == self
  }
}

extension RequestEnding {
  fileprivate init(_ outcome: RequestOutcome?) {
    self.init(
      accessory: outcome?.accessory?.text, displayName: outcome?.displayName,
      failure: outcome?.failure?.code.name, reason: outcome?.failure?.reason)
  }
}

extension RequestLine {
  init(_ request: DeskRequest) {
    let since = Seconds(microseconds: request.openedAt.microseconds)
    let end = request.end.map { Seconds(microseconds: $0.microseconds) }
    switch request.kind {
    case .setup(let setup):
      self.init(
        request: request.id.text, kind: .setup, app: request.app, onBehalf: request.isOnBehalf, since: since,
        end: end, phase: setup.phase, items: setup.items.map(RequestItemLine.init), touch: setup.isTouch,
        filtered: setup.picker.isFiltered, disclosed: setup.disclosed, remaining: setup.picker.remaining,
        hidden: setup.picker.hidden.count, detail: setup.detail, accessory: setup.accessory?.text,
        displayName: setup.displayName)
    case .rename(let rename):
      self.init(
        request: request.id.text, kind: .rename, app: request.app, since: since, end: end,
        phase: rename.isUnderWay ? .settingUp : .answering, accessory: rename.accessory.text,
        displayName: rename.displayName, renameSSID: rename.renamesNetwork)
    case .authorize(let authorize):
      self.init(
        request: request.id.text, kind: .authorize, app: request.app, since: since, end: end,
        phase: authorize.isUnderWay ? .settingUp : .answering, accessory: authorize.accessory.text,
        displayName: authorize.displayName, adds: authorize.adds.sentences)
    }
  }
}

extension SetupRequest {
  fileprivate var phase: RequestLine.Phase {
    switch step {
    case .naming: .naming
    case .adding, .takingBack: .settingUp
    case .confirming: .confirming
    case .none:
      switch picker.phase {
      case .discovering: .looking
      case .choosing: .choosing
      case .settingUp, .confirming, .finished: .settingUp
      }
    }
  }
}

extension RequestItemLine {
  fileprivate init(_ item: PickerItem) {
    self.init(
      item: item.isAppSupplied ? nil : item.item.id, name: item.item.name,
      productImage: item.item.productImage,
      rename: item.item.setupOptions.contains(.rename),
      confirmAuthorization: item.item.setupOptions.contains(.confirmAuthorization),
      finishInApp: item.item.setupOptions.contains(.finishInApp),
      immediate: item.item.descriptor.range == .immediate,
      ssidPrefix: item.item.descriptor.ssidPrefix.map { String(decoding: $0, as: UTF8.self) })
  }
}

extension RegistryExtension {
  /// What is added, for people.
  fileprivate var sentences: [String] {
    var sentences: [String] = []
    if let ssid { sentences.append("its network \(String(decoding: ssid, as: UTF8.self))") }
    if let ssidPrefix {
      sentences.append("a network that begins with \(String(decoding: ssidPrefix, as: UTF8.self))")
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
      words.append("company 0x\(HexText.digits(UInt64(companyIdentifier), count: 4))")
    }
    if manufacturerData != nil { words.append("manufacturer data") }
    if let serviceUUID { words.append("service \(IdentifierText.text(of: serviceUUID))") }
    if serviceData != nil { words.append("service data") }
    if let nameSubstring { words.append("name \(String(decoding: nameSubstring, as: UTF8.self))") }
    return words.joined(separator: ", ")
  }
}
