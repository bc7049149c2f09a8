// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import SensorFormats

/// What the program has sampled itself while a page was open: reports a second, and what accessories say and how strongly.
/// A history that the agent keeps takes its place where there is one.
///
/// Capacity: ten minutes; ``accessoriesMax`` accessories, of more none is kept.
struct SampleBook {
  static let reportsMax = 600
  static let levelsMax = 120
  static let accessoriesMax = 512

  /// An accessory's address at a moment.
  private struct Track {
    /// A level each five seconds in dBm; nil for a silence.
    var levels: [Int8?] = []
    var values: String?
    var silence: Seconds?
    var intervalMilliseconds: UInt32?
    var rhythmMilliseconds: UInt32?
  }

  private var reports: [Int?] = []
  private var last: (epoch: String, reports: Int, time: Seconds)?
  private var tracks: [String: Track] = [:]

  /// Takes a status, a second after the one before. Returns the message for the browsers.
  mutating func add(_ status: StatusLine) -> [UInt8] {
    let total = status.reports ?? 0
    var rate: Int?
    if let last, last.epoch == status.epoch, last.time.microseconds < status.time.microseconds {
      let span = status.time.microseconds - last.time.microseconds
      rate = max(0, total - last.reports) * 1_000_000 / Int(span)
    }
    last = (status.epoch, total, status.time)
    reports.append(rate)
    if reports.count > Self.reportsMax { reports.removeFirst() }
    return StreamMessage.event("rate") { $0.member("rate", rate) }
  }

  /// Takes the devices in sight. Returns the message for the browsers.
  mutating func add(_ devices: [DeviceLine]) -> [UInt8] {
    var heard = Set<String>()
    for device in devices {
      guard let address = device.address.text else { continue }
      guard tracks[address] != nil || tracks.count < Self.accessoriesMax else { continue }
      heard.insert(address)
      var track = tracks[address] ?? Track()
      let isSilent = device.silence.microseconds > 10_000_000
      track.levels.append(isSilent ? nil : device.filteredRSSI)
      track.values = SensorValue.text(of: SensorPayload(device.data).values) ?? track.values
      track.silence = device.silence
      (track.intervalMilliseconds, track.rhythmMilliseconds) = (
        device.intervalMilliseconds, device.rhythmMilliseconds
      )
      tracks[address] = track
    }
    for address in tracks.keys where !heard.contains(address) {
      tracks[address]?.levels.append(nil)
      tracks[address]?.silence = nil
    }
    for address in tracks.keys {
      let excess = (tracks[address]?.levels.count ?? 0) - Self.levelsMax
      if excess > 0 { tracks[address]?.levels.removeFirst(excess) }
      if tracks[address]?.levels.contains(where: { $0 != nil }) != true { tracks[address] = nil }
    }
    return tracksMessage
  }

  /// Everything, for a browser that has just come.
  var messages: [[UInt8]] {
    [
      StreamMessage.event("rates") { json in
        json.object("sampled") { $0.member("seconds", 1) }
        json.member("rates", reports.map { $0 ?? -1 })
      },
      tracksMessage,
    ]
  }

  private var tracksMessage: [UInt8] {
    let sorted = tracks.sorted { $0.key < $1.key }
    return StreamMessage.event("tracks") { json in
      json.objects("tracks", sorted) { json, entry in
        json.member("address", entry.key)
        // 0 stands for a silence.
        json.member("levels", entry.value.levels.map { Int($0 ?? 0) })
        json.member("values", entry.value.values)
        json.member("silence", entry.value.silence)
        json.member("intervalMilliseconds", entry.value.intervalMilliseconds)
        json.member("rhythmMilliseconds", entry.value.rhythmMilliseconds)
      }
    }
  }
}
