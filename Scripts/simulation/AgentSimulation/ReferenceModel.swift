// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest

/// A model that receives the same packets as the agent, forgets nothing, and checks every event of the agent.
///
/// It follows the specification and shares no code with the data path: it uses arrays and dictionaries without limits,
/// and computes everything again for each check. Where the agent's tables may overflow, it checks only what still
/// holds.
struct ReferenceModel {
  /// A subject that was found and not lost since, with its latest event.
  struct History {
    var last: SeenEvent
  }

  private(set) var devices: [String: Device] = [:]
  private(set) var histories: [Subject: History] = [:]
  private(set) var eventCount = 0
  private var nextSequence: UInt64 = 0
  /// The subjects that had an event since the last gap in the sequence; nil while there was no gap.
  private var certain: Set<Subject>?
  var items: [ManifestItem]
  private let identities: [IdentityKey]
  /// Added to every reading, in dB.
  let offset: Int
  /// Whether the agent's tables have room for every device of the scene.
  let isRoomy: Bool
  let changeMilliseconds: Int64
  private var chains = Chains()
  /// Devices received since the last check, in order.
  private(set) var receivedNow: [String] = []
  /// How many learned intervals a silence lasts.
  let factor: Int
  /// The times when the radio was lost, and when a manifest took effect.
  private(set) var radioLosses: [Int64] = []
  private(set) var reloads: [(time: Int64, before: [ManifestItem])] = []
  private var clock: Int64 = 0

  init(
    _ manifest: GatewayManifest, identities: [IdentityKey], offset: Int, patience: Int, isRoomy: Bool
  ) {
    factor = patience
    items = manifest.items
    self.identities = identities
    self.offset = offset
    self.isRoomy = isRoomy
    changeMilliseconds = Int64(manifest.gateway.changedIntervalMilliseconds)
  }

  // MARK: Receiving

  mutating func receivePacket(_ packet: [UInt8], at time: Int64) {
    for part in Report.all(in: packet) {
      guard let report = chains.join(part, at: time), report.header.address.type != .anonymous else {
        continue
      }
      let name = name(of: report.header.address)
      devices[name, default: Device(address: report.header.address)].add(report, offset: offset, at: time)
      if !receivedNow.contains(name) { receivedNow.append(name) }
    }
  }

  mutating func loseRadio(at time: Int64) {
    radioLosses.append(time)
    // The reports of this step are lost as well.
    receivedNow = []
    for name in devices.keys.sorted() { devices[name]?.forgetLevel() }
  }

  mutating func reload(_ manifest: GatewayManifest, at time: Int64) {
    reloads.append((time, items))
    items = manifest.items
  }

  /// The device's name in events: its identity where the agent knows the key.
  private func name(of address: DeviceAddress) -> String {
    let known = identities.first { $0.resolves(address) }?.identity
    let shown = known ?? address
    let type =
      switch (shown.type, known != nil) {
      case (.public, false): "public"
      case (.public, true): "publicIdentity"
      case (.random, true): "randomIdentity"
      case (.random, false): "random"
      case (.publicIdentity, _): "publicIdentity"
      case (.randomIdentity, _): "randomIdentity"
      case (.anonymous, _): "anonymous"
      }
    let digits = String(shown.bits, radix: 16, uppercase: true)
    let whole = Array(String(repeating: "0", count: 12 - digits.utf8.count) + digits)
    let pairs = stride(from: 0, to: 12, by: 2).map { String(whole[$0...($0 + 1)]) }
    return "\(pairs.joined(separator: ":")) \(type)"
  }

  // MARK: Events

  /// Checks an event; events must come in the order of their numbers.
  mutating func check(_ event: SeenEvent, now: Int64) throws(Breach) {
    eventCount += 1
    try expect(event.time <= now && event.time >= clock, event, "has a time out of order")
    clock = event.time
    let subject = event.subject
    guard let device = devices[event.address] else { throw unexplained(event, "is about an unknown device") }
    noteGap(before: event)
    let history = histories[subject]
    let isContinuing = (history == nil) == (event.kind == .found)
    try expect(
      isContinuing || certain?.contains(subject) == false, event, "does not follow the subject's last event")
    certain?.insert(subject)
    try checkReadings(event, device)
    switch event.kind {
    case .found: try checkFound(event, device)
    case .changed: if let history { try checkChanged(event, device, since: history.last.time) }
    case .lost: try checkLost(event, device)
    }
    histories[subject] = event.kind == .lost ? nil : History(last: event)
  }

  /// After a gap, where a small ring overwrote events, no history is certain.
  private mutating func noteGap(before event: SeenEvent) {
    if event.sequence != nextSequence { (histories, certain) = ([:], []) }
    nextSequence = event.sequence + 1
  }

  /// The item in the manifest that was in force at the event's time; for a loss by a reload, in the old manifest.
  func item(_ event: SeenEvent) -> DisplayItem? {
    let later = reloads.first { event.kind == .lost ? event.time <= $0.time : event.time < $0.time }
    return Self.item(event, in: later?.before ?? items)
  }

  static func item(_ event: SeenEvent, in items: [ManifestItem]) -> DisplayItem? {
    items.first { $0.app == event.app && $0.item.id == event.item }?.item
  }

  func expect(_ condition: Bool, _ event: SeenEvent, _ sentence: String) throws(Breach) {
    guard condition else { throw unexplained(event, sentence) }
  }

  func unexplained(_ event: SeenEvent, _ sentence: String) -> Breach {
    Breach(.unexplainedEvent, "\(event) \(sentence)")
  }

  // MARK: The end of a step

  /// Checks that every report of this step has had its effect.
  mutating func endStep(at now: Int64) throws(Breach) {
    defer { receivedNow = [] }
    guard isRoomy else { return }
    for name in receivedNow {
      guard let device = devices[name], let moment = device.last else { continue }
      let payload = moment.views[0].parsed
      let met = items.filter { $0.item.matches(payload) }
      guard met.count <= 8 else { continue }
      for entry in met where entry.item.descriptor.range == .default {
        let subject = Subject(app: entry.app, item: entry.item.id, address: name)
        guard histories[subject] == nil, !hasTooMany(device, at: now) else { continue }
        throw Breach(.missingEvent, "\(subject) matches and was not found")
      }
    }
  }

  /// A radio that scans a tenth of the time needs ten times as long to detect a silence.
  func stretched(_ milliseconds: Int32) -> Int32 { factor == 3 ? milliseconds : 10 * milliseconds }

  /// Checks that each device that was silent for too long is lost. Called when everything due has happened.
  func checkSilence(at now: Int64) throws(Breach) {
    for (subject, history) in histories {
      guard let device = devices[subject.address], let moment = device.last,
        let item = Self.item(history.last, in: items)
      else { continue }
      let gate = item.gate
      let patience = device.lostPatience(stretched(gate.lostMilliseconds), factor, gate.lostMillisecondsMax)
      let silence = device.patience(stretched(gate.silenceMilliseconds), factor, gate.silenceMillisecondsMax)
      let learned = item.descriptor.range == .immediate ? max(patience, silence) : patience
      // A row that was evicted has learned its interval again.
      let limit = isRoomy ? learned : Int64(item.gate.lostMillisecondsMax)
      guard now - moment.time <= 1000 * limit + 50_000 else {
        throw Breach(.missingEvent, "\(subject) is silent since \(moment.time) µs and was not lost")
      }
      guard isRoomy, !moment.views.contains(where: { item.matches($0.parsed) }) else { continue }
      guard device.matched(item, from: now - 1000 * limit - 50_000, to: now) else {
        throw Breach(.missingEvent, "\(subject) matches no longer and was not lost")
      }
    }
  }
}
