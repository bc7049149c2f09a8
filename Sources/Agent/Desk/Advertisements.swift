// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import JSON
import Manifest
import Registry
import Setup
import ToolText
import Varlink

/// What an accessory says on the air, for its app.
struct Advertisement: Sendable {
  let accessory: RandomIdentifier
  let event: SightingEvent
  /// By the radio's clock.
  let time: Instant
  let rssi: Int8?
  let filteredRSSI: Int8?
  let payload: [UInt8]

  func writeMembers(sequence: UInt64, now: Instant, to json: inout JSONWriter) {
    json.member("sequence", sequence)
    json.member("identifier", accessory.text)
    json.member("event", event.text)
    json.member("time", Seconds(microseconds: time.microseconds))
    json.member("age", Seconds(microseconds: max(0, now.microseconds &- time.microseconds)))
    json.member("rssi", rssi)
    json.member("filteredRSSI", filteredRSSI)
    json.member("data", Hex(payload))
  }
}

/// The advertisements of apps' accessories, each app's in a numbering of its own.
///
/// Capacity: ``capacity`` of each app that has ever watched; a reader that is too late is told how many it missed.
struct AdvertisementFeeds: Sendable {
  static let capacity = 256

  var rings: [String: Ring<Advertisement>] = [:]
  /// How far the sightings were taken.
  var cursor: EventCursor
  /// The accessories, each at an address, that were authorized when the feeds were last told.
  var authorized: Set<AuthorizedPlace> = []
  var grantsRevision: UInt64?
  /// Grows when sightings were lost before they could be taken, so that nobody knows whose they were.
  var breaks: UInt64 = 0

  init(_ epoch: Block128) { cursor = EventCursor(epoch: epoch, sequence: 0) }
}

/// An accessory that is its app's, at one of its addresses.
struct AuthorizedPlace: Hashable, Sendable {
  let accessory: RandomIdentifier
  let address: DeviceAddress
}

/// A call of WatchAdvertisements.
struct AdvertisementStream: Sendable {
  enum Phase: Sendable {
    case greeting(isReset: Bool, lists: Bool)
    case listing(row: Int)
    case live
  }

  let session: Session
  var phase: Phase
  var sequence: UInt64
  var breaks: UInt64
}

extension AgentCore {
  func advertisements(
    _ session: Session, _ parameters: Parameters
  ) throws(SetupFailure) -> AdvertisementStream {
    if feeds.rings.isEmpty { feeds.cursor.sequence = dataPath.pipeline.events.produced }
    let ring = feeds.rings[session.app] ?? Ring(capacity: AdvertisementFeeds.capacity)
    feeds.rings[session.app] = ring
    greetNewAccessories()
    let produced = ring.produced
    let sequence = parameters.numberIfAny("sequence")
    let cursorEpoch = parameters.wordIfAny("epoch")?.lowercased()
    let isUseful = cursorEpoch == epoch.text && sequence.map { $0 <= produced } ?? false
    let isReset = !isUseful && (sequence != nil || cursorEpoch != nil)
    return AdvertisementStream(
      session: session, phase: .greeting(isReset: isReset, lists: !isUseful),
      sequence: isUseful ? sequence ?? produced : produced, breaks: feeds.breaks)
  }

  /// Takes what was sighted since the last time; nothing while no app has ever watched.
  func feedAdvertisements() {
    guard !feeds.rings.isEmpty else { return }
    while true {
      switch dataPath.pipeline.events.read(&feeds.cursor) {
      case .end: return
      case .reset: feeds.cursor.sequence = dataPath.pipeline.events.produced
      case .missed: feeds.breaks &+= 1
      case .event(let sequence, let sighting, let byteCount):
        feed(sequence, sighting, byteCount)
      }
    }
  }

  /// What was in sight before it was an accessory, or before that address was known for its, is found now.
  func greetNewAccessories() {
    guard !feeds.rings.isEmpty, feeds.grantsRevision != setupCore.grantsRevision else { return }
    let isFirst = feeds.grantsRevision == nil
    feeds.grantsRevision = setupCore.grantsRevision
    var authorized: Set<AuthorizedPlace> = []
    var new: [(Grants.Grant, DeviceAddress)] = []
    setupCore.grants.forEachAuthorized { grant, address in
      let place = AuthorizedPlace(accessory: grant.identifier, address: address)
      authorized.insert(place)
      if !isFirst, !feeds.authorized.contains(place) { new.append((grant, address)) }
    }
    feeds.authorized = authorized
    for (grant, address) in new.sorted(by: { $0.0.number < $1.0.number }) { greet(grant, at: address) }
  }

  private func greet(_ grant: Grants.Grant, at address: DeviceAddress) {
    guard feeds.rings[grant.app] != nil, let row = row(at: address),
      let device = dataPath.pipeline.device(at: row),
      dataPath.isFound(at: row, by: { $0.app == grant.app && grant.isRecognised(by: $0.item.id) })
    else { return }
    feeds.rings[grant.app]?.append(
      Advertisement(
        accessory: grant.identifier, event: .found, time: device.lastSeen, rssi: device.rssi.asReading,
        filteredRSSI: device.signal.filteredRSSI, payload: dataPath.payload(at: row)))
  }

  private func feed(_ sequence: UInt64, _ sighting: Sighting, _ byteCount: Int) {
    let grants = setupCore.grants.grants(at: sighting.address)
    guard !grants.isEmpty else { return }
    let item = dataPath.item(of: sighting)
    for grant in grants
    where grant.isAuthorized && grant.app == item.app && grant.isRecognised(by: item.item.id) {
      guard feeds.rings[grant.app] != nil else { continue }
      feeds.rings[grant.app]?.append(
        Advertisement(
          accessory: grant.identifier, event: sighting.event, time: sighting.time, rssi: sighting.rssi,
          filteredRSSI: sighting.filteredRSSI, payload: dataPath.payload(of: sequence, byteCount: byteCount)))
    }
  }

  func step(_ stream: inout AdvertisementStream) -> Step {
    guard setupCore.isOpen(stream.session.token) else { return .end(Message.reply()) }
    if stream.breaks != feeds.breaks {
      stream.breaks = feeds.breaks
      stream.sequence = feeds.rings[stream.session.app]?.produced ?? 0
      stream.phase = .greeting(isReset: true, lists: true)
    }
    switch stream.phase {
    case .greeting(let isReset, let lists):
      stream.phase = lists ? .listing(row: 0) : .live
      return .say(
        Message.reply(continues: true) { json in
          json.member("epoch", epoch.text)
          json.member("sequence", stream.sequence)
          if isReset { json.member("reset", true) }
        })
    case .listing(let row):
      guard let (row, advertisement) = present(from: row, ofApp: stream.session.app) else {
        stream.phase = .live
        return step(&stream)
      }
      stream.phase = .listing(row: row + 1)
      return say(advertisement, stream.sequence)
    case .live: return live(&stream)
    }
  }

  private func live(_ stream: inout AdvertisementStream) -> Step {
    switch feeds.rings[stream.session.app]?.read(&stream.sequence) {
    case nil, .end: return .wait
    case .reset: preconditionFailure("a stream stands in its app's feed")
    case .missed(let count):
      tally.appEventsMissed &+= count
      return .say(Message.reply(continues: true) { $0.member("missed", count) })
    case .element(let sequence, let advertisement):
      tally.appEventsDelivered &+= 1
      return say(advertisement, sequence)
    }
  }

  private func say(_ advertisement: Advertisement, _ sequence: UInt64) -> Step {
    .say(
      Message.reply(continues: true) { json in
        json.object("advertisement") { json in
          advertisement.writeMembers(sequence: sequence, now: radioTime, to: &json)
        }
      })
  }

  /// The next accessory of the app that is in sight.
  private func present(from start: Int, ofApp app: String) -> (row: Int, Advertisement)? {
    for row in start..<max(start, dataPath.pipeline.rowCount) {
      guard let device = dataPath.pipeline.device(at: row) else { continue }
      let grants = setupCore.grants.grants(at: dataPath.pipeline.address(at: row))
      guard let grant = grants.first(where: { $0.app == app && $0.isAuthorized }),
        dataPath.isFound(at: row, by: { $0.app == app && grant.isRecognised(by: $0.item.id) })
      else { continue }
      return (
        row,
        Advertisement(
          accessory: grant.identifier, event: .found, time: device.lastSeen, rssi: device.rssi.asReading,
          filteredRSSI: device.signal.filteredRSSI, payload: dataPath.payload(at: row))
      )
    }
    return nil
  }
}

extension Int8 {
  /// dBm; nil for what is no reading.
  var asReading: Int8? { self >= -127 && self <= 20 ? self : nil }
}

extension DataPath {
  /// Whether an item that is meant has found the device in a row.
  func isFound(at row: Int, by isMeant: (ManifestItem) -> Bool) -> Bool {
    guard let device = pipeline.device(at: row) else { return false }
    for place in 0..<Int(device.matchCount) {
      let match = pipeline.match(place, at: row)
      if match.isFound, isMeant(items[Int(match.item)]) { return true }
    }
    return false
  }

  /// The bytes of an event that is still in the ring.
  func payload(of sequence: UInt64, byteCount: Int) -> [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(byteCount)
    for index in 0..<byteCount { payload.append(pipeline.events.payloadByte(of: sequence, at: index)) }
    return payload
  }

  /// Latest advertising data, then latest scan response, of the set heard last.
  func payload(at row: Int) -> [UInt8] {
    guard pipeline.setCount(at: row) > 0 else { return [] }
    return pipeline.data(ofSet: 0, at: row).copied + pipeline.response(ofSet: 0, at: row).copied
  }
}
