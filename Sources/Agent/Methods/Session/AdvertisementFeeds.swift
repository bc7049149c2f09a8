// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Interfaces
import Manifest
import Registry
import Setup

/// What an accessory advertises, for its app.
struct Advertisement: Sendable {
  let accessory: RandomIdentifier
  let event: AdvertisementLine.Event
  let isConnectable: Bool?
  /// By the radio's clock.
  let time: Instant
  let rssi: Int8?
  let filteredRSSI: Int8?
  let audience: Audience
  /// New frames that were left out since the last event of the accessory.
  var skipped: UInt32 = 0
  let payload: [UInt8]

  func line(sequence: UInt64, epoch: String, now: Instant) -> AdvertisementLine {
    AdvertisementLine(
      sequence: sequence, epoch: epoch, identifier: accessory.text, event: event,
      inSight: event != .lost, connectable: isConnectable,
      time: Seconds(microseconds: time.microseconds),
      age: Seconds(microseconds: max(0, now.microseconds &- time.microseconds)), rssi: rssi,
      filteredRSSI: filteredRSSI, skipped: skipped, data: payload)
  }
}

/// The advertisements of apps' accessories, each app's numbered separately.
///
/// Capacity: ``capacity`` advertisements of each app that has ever watched. A reader that is too late learns how many it
/// missed.
struct AdvertisementFeeds: Sendable {
  static let capacity = 256

  /// An accessory that may be used, at one of its addresses.
  private struct UsableAddress: Hashable, Sendable {
    let accessory: RandomIdentifier
    let address: DeviceAddress
    let audience: Audience
  }

  private var rings: [String: Ring<Advertisement>] = [:]
  /// The sighting event that comes next.
  private var cursor: EventCursor
  /// The accessories that could be used when the grants were last compared; nil before that.
  private var usable: Set<UsableAddress>?
  /// The reports that advertisements of this turn tell.
  private(set) var told: Set<ToldReport> = []
  /// Grows when sighting events were overwritten before they were read: their apps are not known.
  private(set) var gaps: UInt64 = 0

  init(_ epoch: Block128) { cursor = EventCursor(epoch: epoch, sequence: 0) }

  /// Starts the feed of an app, unless it runs already. Returns the number of its next advertisement.
  mutating func open(
    forApp app: String, _ dataPath: borrowing ManifestDataPath, _ grants: Grants,
    _ audience: (Grants.Grant) -> Audience
  ) -> UInt64 {
    if rings.isEmpty { cursor.sequence = dataPath.pipeline.events.produced }
    rings[app] = rings[app] ?? Ring(capacity: Self.capacity)
    greetNewAccessories(dataPath, grants, audience)
    return produced(forApp: app)
  }

  /// The number of the app's next advertisement.
  func produced(forApp app: String) -> UInt64 { rings[app]?.produced ?? 0 }

  /// Reads an app's next advertisement; nil when its feed was never opened.
  func read(_ sequence: inout UInt64, ofApp app: String) -> Ring<Advertisement>.Reading? {
    rings[app]?.read(&sequence)
  }

  /// Reads the sighting events that are new; nothing while no app has ever watched.
  mutating func readSightings(
    _ dataPath: borrowing ManifestDataPath, _ grants: Grants, _ audience: (Grants.Grant) -> Audience
  ) {
    guard !rings.isEmpty else { return }
    told.removeAll()
    while true {
      switch dataPath.pipeline.events.read(&cursor) {
      case .end: return
      case .reset: cursor.sequence = dataPath.pipeline.events.produced
      case .missed: gaps &+= 1
      case .event(let sequence, let sighting, let byteCount):
        append(sequence, sighting, byteCount, dataPath, grants, audience)
      }
    }
  }

  private mutating func append(
    _ sequence: UInt64, _ sighting: Sighting, _ byteCount: Int, _ dataPath: borrowing ManifestDataPath,
    _ grants: Grants, _ audience: (Grants.Grant) -> Audience
  ) {
    let grants = grants.grants(at: sighting.address)
    guard !grants.isEmpty else { return }
    let item = dataPath.item(of: sighting)
    let isConnectable = dataPath.row(at: sighting.address).map { dataPath.pipeline.isConnectable(at: $0) }
    for grant in grants where grant.app == item.app && grant.isRecognised(by: item.item.id) {
      let audience = audience(grant)
      guard audience != .noSession else { continue }
      told.insert(ToldReport(grant, sighting))
      rings[grant.app]?.append(
        Advertisement(
          accessory: grant.identifier, event: AdvertisementLine.Event(sighting.event),
          isConnectable: isConnectable, time: sighting.time, rssi: sighting.rssi,
          filteredRSSI: sighting.filteredRSSI, audience: audience, skipped: sighting.skipped,
          payload: dataPath.payload(of: sequence, byteCount: byteCount)))
    }
  }

  /// Reports devices as found that were in sight before they were accessories, or before that address was known.
  mutating func greetNewAccessories(
    _ dataPath: borrowing ManifestDataPath, _ grants: Grants, _ audience: (Grants.Grant) -> Audience
  ) {
    guard !rings.isEmpty else { return }
    var current: Set<UsableAddress> = []
    var new: [(grant: Grants.Grant, place: UsableAddress)] = []
    grants.forEach { grant, address in
      let place = UsableAddress(accessory: grant.identifier, address: address, audience: audience(grant))
      guard place.audience != .noSession else { return }
      current.insert(place)
      if let usable, !usable.contains(place) { new.append((grant, place)) }
    }
    usable = current
    for (grant, place) in new.sorted(by: { $0.grant.number < $1.grant.number }) {
      guard rings[grant.app] != nil, let row = dataPath.row(at: place.address),
        let advertisement = dataPath.advertisement(at: row, of: grant, for: place.audience)
      else { continue }
      rings[grant.app]?.append(advertisement)
    }
  }
}

/// A report that an advertisement of an accessory tells.
struct ToldReport: Hashable, Sendable {
  private let accessory: RandomIdentifier
  private let time: Instant
  private let report: UInt16

  init(_ grant: Grants.Grant, _ sighting: Sighting) {
    (accessory, time, report) = (grant.identifier, sighting.time, sighting.report)
  }
}

extension ManifestDataPath {
  /// What the device in a row advertises now, as the accessory of a grant; nil unless an item of its app has found it.
  func advertisement(at row: Int, of grant: Grants.Grant, for audience: Audience) -> Advertisement? {
    guard let device = pipeline.device(at: row),
      isFound(at: row, by: { $0.app == grant.app && grant.isRecognised(by: $0.item.id) })
    else { return nil }
    return Advertisement(
      accessory: grant.identifier, event: .found, isConnectable: pipeline.isConnectable(at: row),
      time: device.lastSeen, rssi: device.rssi.asReading, filteredRSSI: device.signal.filteredRSSI,
      audience: audience, payload: payload(at: row))
  }
}

extension AdvertisementLine.Event {
  fileprivate init(_ event: SightingEvent) {
    switch event {
    case .found: self = .found
    case .changed: self = .changed
    case .lost: self = .lost
    }
  }
}
