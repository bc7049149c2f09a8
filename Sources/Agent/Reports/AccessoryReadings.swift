// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import HCI
import Interfaces
import Manifest
import Registry
import Setup

/// Every report of an accessory, for the apps that read each one: those that no advertisement with a number tells.
///
/// Capacity: ``capacity`` readings of each app, and as many of all apps from one turn to the next, whose memory is there
/// while an app reads. A reader that is too late misses the oldest; they are counted.
struct AccessoryReadings: ~Copyable {
  static let capacity = 256
  /// Room for as many payloads of twice 31 bytes.
  private static let bytesMax = 16_384

  private var rings: [String: (readers: Int, ring: Ring<Advertisement>)] = [:]
  /// The report that comes next.
  private var cursor = EventCursor(epoch: Block128(high: 0, low: 0), sequence: 0)
  private var memory: ArenaOwner<EventRing.Memory>?
  /// Reports that were overwritten before a turn came; whose accessories they were is not known.
  private(set) var missed: UInt64 = 0

  var isEmpty: Bool { rings.isEmpty }

  func reads(_ app: String) -> Bool { rings[app] != nil }

  /// Adds a reader of an app. Returns the number of its next reading.
  mutating func open(forApp app: String, _ pipeline: inout Pipeline) -> UInt64 {
    if rings.isEmpty {
      let memory = ArenaOwner {
        EventRing.Memory(events: Self.capacity, eventBytes: Self.bytesMax, in: &$0)
      }
      pipeline.readings = EventRing(memory.value, epoch: pipeline.events.epoch)
      cursor = EventCursor(epoch: pipeline.events.epoch, sequence: 0)
      self.memory = consume memory
    }
    rings[app, default: (0, Ring(capacity: Self.capacity))].readers += 1
    return rings[app]?.ring.produced ?? 0
  }

  /// Removes a reader of an app, and gives the memory back with the last one.
  mutating func close(forApp app: String, _ pipeline: inout Pipeline) {
    rings[app]?.readers -= 1
    if rings[app]?.readers == 0 { rings[app] = nil }
    guard rings.isEmpty else { return }
    pipeline.readings = EventRing(epoch: pipeline.events.epoch)
    memory = nil
  }

  func read(_ sequence: inout UInt64, ofApp app: String) -> Ring<Advertisement>.Reading? {
    rings[app]?.ring.read(&sequence)
  }

  /// Reads the reports that are new, but those that advertisements have told.
  mutating func readReports(
    _ dataPath: borrowing ManifestDataPath, _ grants: Grants, told: Set<ToldReport>,
    _ audience: (Grants.Grant) -> Audience
  ) {
    guard !rings.isEmpty else { return }
    while true {
      switch dataPath.path.pipeline.readings.read(&cursor) {
      case .end: return
      case .reset: cursor.sequence = dataPath.path.pipeline.readings.produced
      case .missed(let count): missed &+= count
      case .event(let sequence, let report, let byteCount):
        let payload = dataPath.path.pipeline.readings.payload(of: sequence, byteCount: byteCount)
        append(report, payload, dataPath, grants, told: told, audience)
      }
    }
  }

  private mutating func append(
    _ report: Sighting, _ payload: [UInt8], _ dataPath: borrowing ManifestDataPath, _ grants: Grants,
    told: Set<ToldReport>, _ audience: (Grants.Grant) -> Audience
  ) {
    guard let row = dataPath.row(at: report.address) else { return }
    for grant in grants.grants(at: report.address)
    where reads(grant.app) && !told.contains(ToldReport(grant, report)) {
      let audience = audience(grant)
      guard audience != .noSession,
        dataPath.isFound(at: row, by: { $0.app == grant.app && grant.isRecognised(by: $0.item.id) })
      else { continue }
      rings[grant.app]?.ring.append(
        Advertisement(
          accessory: grant.identifier, event: .reading,
          isConnectable: dataPath.path.pipeline.isConnectable(at: row),
          time: report.time, rssi: report.rssi, filteredRSSI: report.filteredRSSI, audience: audience,
          payload: payload))
    }
  }
}
