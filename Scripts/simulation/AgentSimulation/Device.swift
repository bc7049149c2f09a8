// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Everything that one advertiser ever sent.
struct Device {
  /// A set's latest advertising data and scan response.
  struct View: Equatable {
    var set: UInt8
    var lastSeen: Int64
    var data: [UInt8] = []
    var response: [UInt8] = []

    var payload: [UInt8] { data + response }
    var parsed: ParsedPayload { ParsedPayload(data, response) }
  }

  /// The device's state after one report.
  struct Moment {
    var time: Int64
    var rssi: Int?
    /// The filtered level in sixteenths of a decibel; nil before the first reading.
    var level: Int?
    /// Readings in the filter.
    var samples: Int
    /// Whether this report has a new reading.
    var isReading: Bool
    /// Whether this report is a new sample, with or without a reading; false for a scan response.
    var isSample: Bool
    /// The transmit power it claims, if it is plausible.
    var claim: Int?
    /// The most recently received set first.
    var views: [View]
  }

  let address: DeviceAddress
  private(set) var moments: [Moment] = []
  /// Every payload it ever sent, and the empty one.
  private var sent: (data: Set<[UInt8]>, responses: Set<[UInt8]>) = ([[]], [[]])
  private var recent: [Int] = []
  private var level: Int?
  private var samples = 0
  private(set) var lastReading: Int64?
  /// Whether the report that a scan response would belong to had no reading; nil when there is no such report.
  private var answerable: Bool?
  private var sampleTimes: [Int64] = []

  init(address: DeviceAddress) { self.address = address }

  var last: Moment? { moments.last }

  // MARK: Receiving

  mutating func add(_ report: Report, offset: Int, at time: Int64) {
    let header = report.header
    if header.hasReading, let lastReading, samples > 0,
      time >= lastReading + 1000 * patience(5000, 3, 30_000)
    {
      forgetLevel()
    }
    let (isSample, isReading) = count(header, at: time)
    if isReading { filter(max(-127, min(20, Int(header.rssi) + offset)), at: time) }
    if header.properties.contains(.scanResponse) {
      sent.responses.insert(report.data)
    } else {
      sent.data.insert(report.data)
    }
    var views = last?.views ?? []
    let changed = Self.moveToFront(header.advertisingSID, in: &views, at: time)
    views[0] = changed.storing(report)
    moments.append(
      Moment(
        time: time, rssi: header.hasReading ? Int(header.rssi) : nil, level: level, samples: samples,
        isReading: isReading, isSample: isSample,
        claim: Self.claim(Int(header.txPower), views[0].parsed.txPower), views: views))
  }

  /// Resets the filter: after a silence, and when the radio is lost.
  mutating func forgetLevel() {
    (recent, level, samples, answerable) = ([], nil, 0, nil)
  }

  /// A report and its scan response are one sample, whose reading is the first of the two.
  private mutating func count(_ header: ReportHeader, at time: Int64) -> (isSample: Bool, isReading: Bool) {
    guard header.properties.contains(.scanResponse), let wantsReading = answerable else {
      answerable = header.properties.contains(.scanResponse) ? nil : !header.hasReading
      sampleTimes.append(time)
      return (true, header.hasReading)
    }
    answerable = nil
    return (false, wantsReading && header.hasReading)
  }

  private mutating func filter(_ reading: Int, at time: Int64) {
    recent = (recent + [reading]).suffix(5)
    samples += 1
    lastReading = time
    let median = recent.sorted()[(recent.count - 1) / 2] * 16
    level = level.map { $0 + (median - $0) >> 2 } ?? median
  }

  /// Moves the set that a report belongs to to the front, and returns it.
  private static func moveToFront(_ set: UInt8, in views: inout [View], at time: Int64) -> View {
    if let known = views.firstIndex(where: { $0.set == set }) {
      views.insert(views.remove(at: known), at: 0)
    } else if set == ReportHeader.noAdvertisingSID, !views.isEmpty {
      // A report without an Advertising SID belongs to the most recently received set.
    } else if let newest = views.first, newest.set == ReportHeader.noAdvertisingSID {
      views[0].set = set
    } else {
      views.insert(View(set: set, lastSeen: time), at: 0)
    }
    views[0].lastSeen = time
    return views[0]
  }

  private static func claim(_ inHeader: Int, _ inPayload: Int?) -> Int? {
    [inHeader, inPayload].compactMap { $0 }.filter { (-40...20).contains($0) }.max()
  }

  // MARK: Lookups

  /// The states at a time: after the last earlier report, and after each report of this very time.
  func moments(at time: Int64) -> [Moment] {
    let end = moments.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    let count = moments[..<end].reversed().prefix { $0.time == time }.count
    return Array(moments[..<end].suffix(count + 1))
  }

  /// The combinations of advertising data and scan response, ever sent, that give this payload. When the agent's tables
  /// are small, it may have forgotten either or hold an old one.
  func readings(of payload: [UInt8]) -> [ParsedPayload] {
    let heads = sent.data.filter { payload.starts(with: $0) }
    return heads.compactMap { head in
      let tail = Array(payload.dropFirst(head.count))
      return sent.responses.contains(tail) ? ParsedPayload(head, tail) : nil
    }
  }

  /// The states from one time to another, both included.
  func moments(from start: Int64, to end: Int64) -> [Moment] {
    moments.reversed().drop { $0.time > end }.prefix { $0.time >= start }.reversed()
  }

  /// max(floor, factor × learned interval), at most the ceiling; milliseconds.
  func patience(_ floor: Int32, _ factor: Int, _ ceiling: Int32, at time: Int64 = .max) -> Int64 {
    Int64(min(max(Int(floor), factor * learned(at: time)), Int(ceiling)))
  }

  /// The longest silence after which an item of the default range loses the device, in milliseconds: its rhythm may make it
  /// longer than its interval does.
  func lostPatience(_ floor: Int32, _ factor: Int, _ ceiling: Int32, at time: Int64 = .max) -> Int64 {
    let times = sampleTimes.prefix { $0 <= time }
    let gaps = zip(times.dropFirst(), times).map { (length: ($0 - $1) / 1000, end: $0 / 1000) }
    let pauses = gaps.filter { $0.length >= 1000 }
    let last = (times.last ?? 0) / 1000
    // Lengths are rounded up.
    let longest = pauses.filter { last - $0.end < 17 * $0.length }.map(\.length).max() ?? 0
    var patience = max(patience(floor, factor, ceiling, at: time), 4 * longest * 1001 / 1000 + Int64(floor))
    if last - (times.first ?? 0) / 1000 < 30_000 { patience = max(patience, 300_000) }
    return min(patience, Int64(ceiling))
  }

  /// The median of the last eight gaps between samples, of two the longer one, without gaps over five minutes.
  private func learned(at time: Int64) -> Int {
    let times = sampleTimes.reversed().drop { $0 > time }.prefix(9).map { Int($0 / 1000) }
    let gaps = zip(times, times.dropFirst()).map { $0 - $1 }.filter { $0 <= 300_000 }.sorted()
    return gaps.isEmpty ? 0 : gaps[gaps.count / 2]
  }
}

extension Device.View {
  /// A directed report without data changes nothing, and neither does a truncated payload with which the known one
  /// begins.
  func storing(_ report: Report) -> Self {
    var view = self
    let header = report.header
    if header.properties.contains(.directed), report.data.isEmpty { return self }
    let isResponse = header.properties.contains(.scanResponse)
    let known = isResponse ? response : data
    if header.dataStatus == .truncated, known.starts(with: report.data) { return self }
    if isResponse { view.response = report.data } else { view.data = report.data }
    return view
  }
}
