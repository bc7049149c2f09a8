// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Setup

/// What was heard in the last ten minutes: how every device that an item had found was heard, one level and one silence each
/// 5 s; when it was found and lost; and how many reports came.
///
/// It costs a report nothing, and wakes the machine for nothing: a turn takes the samples that are due since the one before.
/// Capacity: ``tracksMax`` devices of items and ``edgesMax`` events.
struct RecentHistory {
  static let sampleMilliseconds: Int64 = 5_000
  static let sampleCount = 120
  static let tracksMax = 256
  static let edgesMax = 512

  struct Sample: BitwiseCopyable {
    /// dBm; 127 without a reading.
    var level: Int8 = 127
    /// Tenths of a second since the last report; -1 while the item had not found the device.
    var silence: Int16 = -1
  }

  /// How a device was heard that an item had found.
  struct Track {
    let address: DeviceAddress
    let app: String
    let item: String
    /// By the number of the sample, modulo ``sampleCount``.
    fileprivate var samples = [Sample](repeating: Sample(), count: sampleCount)
    /// The number of the last sample in which it was found.
    fileprivate var lastFound: Int64
  }

  /// A device was found by an item, or lost.
  struct Edge {
    let app: String
    let item: String
    let sighting: Sighting
    /// How long it had been silent when it was lost; nil where it is no longer known.
    let silenceMilliseconds: Int64?
  }

  private struct Key: Hashable {
    let address: DeviceAddress
    let item: Int32
  }

  private var tracks: [Key: Track] = [:]
  private(set) var edges = Ring<Edge>(capacity: edgesMax)
  private var cursor: EventCursor
  /// The number of the last sample; -1 before the first.
  private var last: Int64 = -1
  private var reportCount: UInt64 = 0
  private var reportCounts = [UInt32](repeating: 0, count: sampleCount)
  /// When each item last had a device that matches, and each app a session; to within a sample.
  private(set) var lastMatched: [Int32: Instant] = [:]
  private(set) var lastSeen: [String: Instant] = [:]

  init(_ epoch: Block128) { cursor = EventCursor(epoch: epoch, sequence: 0) }

  /// When the last sample was due.
  var end: Instant { Self.time(of: max(last, 0)) }

  /// The reports a sample, the oldest first.
  var reports: [Int] { numbers.map { Int(reportCounts[Self.place($0)]) } }

  /// Those of the devices that are wanted, in an order that stays.
  func tracks(where isWanted: (DeviceAddress) -> Bool) -> [Track] {
    tracks.values.filter { isWanted($0.address) }.sorted {
      ($0.app, $0.item, $0.address.bits) < ($1.app, $1.item, $1.address.bits)
    }
  }

  /// The samples of a track, the oldest first.
  func samples(of track: Track) -> [Sample] { numbers.map { track.samples[Self.place($0)] } }

  private var numbers: ClosedRange<Int64> { max(0, last - Int64(Self.sampleCount) + 1)...max(0, last) }
  private static func place(_ number: Int64) -> Int { Int(number % Int64(sampleCount)) }
  private static func number(at time: Instant) -> Int64 { time.microseconds / (sampleMilliseconds * 1000) }
  private static func time(of number: Int64) -> Instant {
    Instant(microseconds: number * sampleMilliseconds * 1000)
  }

  // MARK: - Inputs

  /// The manifest's items have other numbers.
  mutating func renumber(_ items: [ManifestItem]) {
    let known = tracks.values
    tracks = [:]
    lastMatched = [:]
    for track in known {
      guard let item = items.firstIndex(where: { $0.app == track.app && $0.item.id == track.item }) else {
        continue
      }
      tracks[Key(address: track.address, item: Int32(item))] = track
    }
  }

  /// Whether ``advance(_:_:to:)`` takes a sample at this time.
  func isSampleDue(at now: Instant) -> Bool { Self.number(at: now) > last }

  mutating func advance(
    _ dataPath: borrowing ManifestDataPath, _ setup: borrowing SetupCore, to now: Instant
  ) {
    readEvents(dataPath)
    let due = Self.number(at: now)
    guard due > last else { return }
    // A sample older than all that are kept says nothing.
    for number in max(last + 1, due - Int64(Self.sampleCount) + 1)...due { clear(number) }
    let total = dataPath.path.pipeline.counters.reports
    reportCounts[Self.place(due)] = UInt32(clamping: total &- reportCount)
    reportCount = total
    let first = max(last + 1, due - Int64(Self.sampleCount) + 1)
    dataPath.path.pipeline.forEachMatch { device, match in
      sample(device, match, dataPath.items, from: first, to: due)
    }
    setup.forEachConnectedApp { lastSeen[$0] = now }
    last = due
    // Seldom, so that a turn makes no new dictionary.
    if tracks.contains(where: { due - $0.value.lastFound >= Int64(Self.sampleCount) }) {
      tracks = tracks.filter { due - $0.value.lastFound < Int64(Self.sampleCount) }
    }
  }

  private mutating func clear(_ number: Int64) {
    let place = Self.place(number)
    reportCounts[place] = 0
    for index in tracks.values.indices { tracks.values[index].samples[place] = Sample() }
  }

  private mutating func sample(
    _ device: Device, _ match: Match, _ items: [ManifestItem], from first: Int64, to due: Int64
  ) {
    lastMatched[match.item] = max(lastMatched[match.item] ?? device.lastSeen, device.lastSeen)
    guard match.isFound else { return }
    let key = Key(address: device.address, item: match.item)
    if tracks[key] == nil { tracks[key] = newTrack(key, items[Int(match.item)], at: due) }
    guard let track = tracks.index(forKey: key) else { return }
    for number in first...due {
      let silence = Self.time(of: number).milliseconds(since: device.lastSeen)
      // What it was like before its last report is not known.
      guard silence >= 0 || number == due else { continue }
      tracks.values[track].samples[Self.place(number)] = Sample(
        level: device.signal.filteredRSSI ?? 127, silence: Int16(clamping: max(0, silence) / 100))
    }
    tracks.values[track].lastFound = due
  }

  /// nil when all places are of devices that are found now.
  private mutating func newTrack(_ key: Key, _ entry: ManifestItem, at due: Int64) -> Track? {
    if tracks.count >= Self.tracksMax {
      guard let oldest = tracks.min(by: { $0.value.lastFound < $1.value.lastFound }),
        oldest.value.lastFound < due - 1
      else { return nil }
      tracks[oldest.key] = nil
    }
    return Track(address: key.address, app: entry.app, item: entry.item.id, lastFound: due)
  }

  private mutating func readEvents(_ dataPath: borrowing ManifestDataPath) {
    while dataPath.path.pipeline.events.produced != cursor.sequence {
      switch dataPath.path.pipeline.events.read(&cursor) {
      case .end, .reset: return
      case .missed: continue
      case .event(_, let sighting, _):
        guard sighting.event != .changed else { continue }
        let entry = dataPath.item(of: sighting)
        let seen = dataPath.row(at: sighting.address).flatMap {
          dataPath.path.pipeline.device(at: $0)?.lastSeen
        }
        edges.append(
          Edge(
            app: entry.app, item: entry.item.id, sighting: sighting,
            silenceMilliseconds: sighting.event == .lost
              ? seen.map { max(0, sighting.time.milliseconds(since: $0)) } : nil))
      }
    }
  }
}
