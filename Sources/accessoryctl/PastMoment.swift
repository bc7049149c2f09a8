// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText

/// A time of the last ten minutes, as `explain --at` takes it: `03:12` or `03:12:29`, by the clock of this machine.
struct PastTime: ExpressibleByArgument {
  private static let daySeconds: Int64 = 86_400

  private let secondOfDay: Int64
  /// With minutes alone, the whole minute is meant.
  let hasSeconds: Bool

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2 || parts.count == 3, !parts.contains(nil) else { return nil }
    let numbers = parts.compactMap(\.self) + (parts.count == 2 ? [0] : [])
    guard (0...23).contains(numbers[0]), (0...59).contains(numbers[1]), (0...59).contains(numbers[2]) else {
      return nil
    }
    secondOfDay = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    hasSeconds = parts.count == 3
  }

  /// How long ago that was, before `now`, which has a local time: less than a day.
  func secondsAgo(at now: WallTime) -> Int64? {
    let parts = (now.localTime ?? "").split(separator: ":").compactMap { Int64($0) }
    guard parts.count == 3 else { return nil }
    let present = parts[0] * 3600 + parts[1] * 60 + parts[2]
    return (present - secondOfDay + Self.daySeconds) % Self.daySeconds
  }
}

/// How the agent heard a device around a moment.
struct PastMoment {
  private let clock: AgentClock
  private let start: HistoryReply
  private let tracks: [TrackLine]
  private let edges: [EdgeLine]

  private enum Part {
    case start(HistoryReply)
    case track(TrackLine)
    case edge(EdgeLine)
  }

  init(of device: DeviceArgument, _ gateway: GatewayOptions) throws(ToolError) {
    let status = try gateway.status()
    clock = try AgentClock(saying: status.time)
    let parts = try gateway.callForList(
      GatewayMethodName.recentHistory, { $0.member("device", device.text) }
    ) { line throws(JSONMemberError) -> Part? in
      if let track: TrackLine = try line.lineIfPresent("track") { return .track(track) }
      if let edge: EdgeLine = try line.lineIfPresent("edge") { return .edge(edge) }
      let start = try HistoryReply(reading: line)
      return start.end == nil ? nil : .start(start)
    }
    var (start, tracks, edges) = (HistoryReply(), [TrackLine](), [EdgeLine]())
    for part in parts {
      switch part {
      case .start(let reply): start = reply
      case .track(let track): tracks.append(track)
      case .edge(let edge): edges.append(edge)
      }
    }
    (self.start, self.tracks, self.edges) = (start, tracks, edges)
  }

  /// A line for each item: how the device was heard at the moment, and what happened before and after it.
  func text(at past: PastTime) throws(ToolError) -> String {
    let now: WallTime
    do throws(SystemError) { now = try WallTime.now() } catch { throw .clock(error) }
    guard let ago = past.secondsAgo(at: now), ago <= Self.spanSeconds else {
      throw .sentence("the agent remembers the last ten minutes only", .usage)
    }
    let time = try clock.time(before: ago, at: now)
    let items = Set(tracks.map { "\($0.app)/\($0.item)" } + edges.map { "\($0.app)/\($0.item)" })
    guard !items.isEmpty else {
      throw .sentence(
        "no item had found the device in the last ten minutes, so that nothing is remembered of it", .no)
    }
    var text = ""
    for item in items.sorted() {
      let sentences = try sentences(of: item, at: time, isMinute: !past.hasSeconds)
      text += "\(AirText(Array(item.utf8)).escaped()): \(sentences.joined(separator: " "))\n"
    }
    return text
  }

  private static let spanSeconds: Int64 = 600

  private func sentences(of item: String, at time: Seconds, isMinute: Bool) throws(ToolError) -> [String] {
    let own = edges.filter { "\($0.app)/\($0.item)" == item }
    let end = time.microseconds + (isMinute ? 60_000_000 : 0)
    let before = own.last { $0.time.microseconds <= time.microseconds }
    let during = own.filter { $0.time.microseconds > time.microseconds && $0.time.microseconds <= end }
    let after = own.first { $0.time.microseconds > end }
    var sentences: [String] = []
    if let before { sentences.append(try sentence(before)) }
    if let sample = sample(of: item, at: time) { sentences.append(sample) }
    for edge in during { sentences.append(try sentence(edge)) }
    if let after { sentences.append(try sentence(after)) }
    return sentences.isEmpty ? ["It had not been found then."] : sentences
  }

  private func sentence(_ edge: EdgeLine) throws(ToolError) -> String {
    let clockText = try clock.wallTime(of: edge.time).localTime ?? edge.time.text(decimals: 1)
    let level = edge.filteredRSSI.map { ", at \($0) dBm" } ?? ""
    switch edge.event {
    case .found, .changed: return "\(clockText) found (\(edge.reason.rawValue))\(level)."
    case .lost:
      let silence = edge.silence.map { ", \($0.text(decimals: 1)) s after its last report" } ?? ""
      return "\(clockText) lost (\(edge.reason.rawValue))\(silence)\(level)."
    }
  }

  /// How it was heard at the last sample before the moment.
  private func sample(of item: String, at time: Seconds) -> String? {
    guard let end = start.end, let milliseconds = start.sampleMilliseconds, milliseconds > 0,
      let track = tracks.first(where: { "\($0.app)/\($0.item)" == item })
    else { return nil }
    let back = (end.microseconds - time.microseconds) / (Int64(milliseconds) * 1000)
    let index = track.levels.count - 1 - Int(max(0, back))
    guard track.levels.indices.contains(index), track.silences[index] >= 0 else { return nil }
    let level = track.levels[index] == 127 ? "without a level" : "at \(track.levels[index]) dBm"
    let silence = Seconds(microseconds: Int64(track.silences[index]) * 1000)
    return "It was in sight then, \(level), \(silence.text(decimals: 1)) s after its last report."
  }
}
