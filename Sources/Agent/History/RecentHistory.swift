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

  /// A device that an item had found.
  struct Track {
    let app: String
    let item: String
    fileprivate var key: Key
    fileprivate let slot: Int
    /// The number of the last sample in which it was found.
    fileprivate var lastFound: Int64

    var address: DeviceAddress { key.address }
  }

  /// A device was found by an item, or lost.
  struct Edge {
    let app: String
    let item: String
    let sighting: Sighting
    /// How long it had been silent when it was lost; nil where it is no longer known.
    let silenceMilliseconds: Int64?
  }

  fileprivate struct Key: Hashable {
    let address: DeviceAddress
    let item: Int32
  }

  /// Those of the last ten minutes, and older ones whose slots are free.
  private var tracks: [Track] = []
  private var slots: [Key: Int] = [:]
  /// ``sampleCount`` for each track, by the number of the sample modulo that.
  private var samples: [Sample] = []
  private(set) var edges = Ring<Edge>(capacity: edgesMax)
  private var cursor: EventCursor
  /// The number of the last sample; -1 before the first.
  private var last: Int64 = -1
  private var reportCount: UInt64 = 0
  private var reportCounts = [UInt32](repeating: 0, count: sampleCount)
  /// When each item last had a device that matches, and each app a session; to within a sample.
  private(set) var lastMatched: [Instant?] = []
  private(set) var lastSeen: [String: Instant] = [:]

  init(_ epoch: Block128, itemCount: Int) {
    cursor = EventCursor(epoch: epoch, sequence: 0)
    lastMatched = Array(repeating: nil, count: itemCount)
    slots.reserveCapacity(Self.tracksMax)
    tracks.reserveCapacity(Self.tracksMax)
    samples.reserveCapacity(Self.tracksMax * Self.sampleCount)
  }

  /// When the last sample was due.
  var end: Instant { Self.time(of: max(last, 0)) }

  /// The reports a sample, the oldest first.
  var reports: [Int] { numbers.map { Int(reportCounts[Self.place($0)]) } }

  /// Those of the devices that are wanted, in an order that stays.
  func tracks(where isWanted: (DeviceAddress) -> Bool) -> [Track] {
    tracks.filter { !isOver($0, at: last) && isWanted($0.address) }.sorted {
      ($0.app, $0.item, $0.address.bits) < ($1.app, $1.item, $1.address.bits)
    }
  }

  /// The samples of a track, the oldest first.
  func samples(of track: Track) -> [Sample] {
    // Its slot may have become another's.
    guard tracks[track.slot].key == track.key else { return numbers.map { _ in Sample() } }
    return numbers.map { samples[Self.place($0, of: track.slot)] }
  }

  private var numbers: ClosedRange<Int64> { max(0, last - Int64(Self.sampleCount) + 1)...max(0, last) }
  private static func place(_ number: Int64, of slot: Int = 0) -> Int {
    slot * sampleCount + Int(number % Int64(sampleCount))
  }
  private func isOver(_ track: Track, at number: Int64) -> Bool {
    number - track.lastFound >= Int64(Self.sampleCount)
  }
  private static func number(at time: Instant) -> Int64 { time.microseconds / (sampleMilliseconds * 1000) }
  private static func time(of number: Int64) -> Instant {
    Instant(microseconds: number * sampleMilliseconds * 1000)
  }

  // MARK: - Inputs

  /// The manifest's items have other numbers.
  mutating func renumber(_ items: [ManifestItem]) {
    slots.removeAll(keepingCapacity: true)
    lastMatched = Array(repeating: nil, count: items.count)
    for slot in tracks.indices {
      let track = tracks[slot]
      if let item = items.firstIndex(where: { $0.app == track.app && $0.item.id == track.item }) {
        tracks[slot].key = Key(address: track.address, item: Int32(item))
        slots[tracks[slot].key] = slot
      } else {
        tracks[slot].lastFound = -Int64(Self.sampleCount)
      }
    }
  }

  mutating func advance(
    _ dataPath: borrowing ManifestDataPath, to now: Instant,
    forEachConnectedApp: ((String) -> Void) -> Void
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
    dataPath.path.pipeline.forEachMatch { _, _, device, match in
      sample(device, match, dataPath.items, from: first, to: due)
    }
    forEachConnectedApp { lastSeen[$0] = now }
    last = due
  }

  private mutating func clear(_ number: Int64) {
    reportCounts[Self.place(number)] = 0
    for slot in tracks.indices { samples[Self.place(number, of: slot)] = Sample() }
  }

  private mutating func sample(
    _ device: Device, _ match: Match, _ items: [ManifestItem], from first: Int64, to due: Int64
  ) {
    let item = Int(match.item)
    lastMatched[item] = max(lastMatched[item] ?? device.lastSeen, device.lastSeen)
    guard match.isFound else { return }
    let key = Key(address: device.address, item: match.item)
    guard let slot = slots[key] ?? newSlot(for: key, items[item], at: due) else { return }
    for number in first...due {
      let silence = Self.time(of: number).milliseconds(since: device.lastSeen)
      // What it was like before its last report is not known.
      guard silence >= 0 || number == due else { continue }
      samples[Self.place(number, of: slot)] = Sample(
        level: device.signal.filteredRSSI ?? 127, silence: Int16(clamping: max(0, silence) / 100))
    }
    tracks[slot].lastFound = due
  }

  /// nil when all slots are of devices that are found now.
  private mutating func newSlot(for key: Key, _ entry: ManifestItem, at due: Int64) -> Int? {
    var slot = tracks.count
    if let oldest = tracks.indices.min(by: { tracks[$0].lastFound < tracks[$1].lastFound }),
      slot == Self.tracksMax || isOver(tracks[oldest], at: due)
    {
      slot = oldest
    }
    let track = Track(app: entry.app, item: entry.item.id, key: key, slot: slot, lastFound: due)
    if slot == tracks.count {
      tracks.append(track)
      samples.append(contentsOf: repeatElement(Sample(), count: Self.sampleCount))
    } else {
      guard tracks[slot].lastFound < due - 1 else { return nil }
      if slots[tracks[slot].key] == slot { slots[tracks[slot].key] = nil }
      tracks[slot] = track
      for place in 0..<Self.sampleCount { samples[slot * Self.sampleCount + place] = Sample() }
    }
    slots[key] = slot
    return slot
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
