// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// A device or a network in the list of a request.
struct PickerRow: Equatable, Sendable {
  /// How far a level must move before rows change places, so that neighbours do not swap all the time.
  static let hysteresisDecibels = 4
  /// After this silence a device may be gone.
  private static let staleSeconds: Int64 = 10
  /// A network may be gone after this: scans are a minute apart while the interface is connected, and one takes 10 s.
  private static let staleNetworkSeconds: Int64 = 75
  static let historyMax = 8
  /// The shortest time between two levels of the history.
  private static let historyMilliseconds: Int64 = 1000

  private(set) var line: CandidateLine
  /// The level by which rows are sorted.
  private(set) var sortLevel: Int8?
  private(set) var heardAt: Instant
  /// The levels of the last seconds, the newest last.
  private(set) var history: [Int8] = []
  private var historyAt: Instant
  /// The agent reported the device as gone, and the row stays only because it is selected.
  var isGone = false

  init(_ line: CandidateLine, at now: Instant) {
    self.line = line
    sortLevel = line.level
    heardAt = Self.heard(line, at: now)
    historyAt = now
    history = line.level.map { [$0] } ?? []
  }

  mutating func update(_ line: CandidateLine, at now: Instant) {
    self.line = line
    isGone = false
    heardAt = Self.heard(line, at: now)
    remember(line.level, at: now)
    guard let level = line.level, let held = sortLevel else {
      sortLevel = line.level
      return
    }
    if abs(Int(level) - Int(held)) >= Self.hysteresisDecibels { sortLevel = level }
  }

  private mutating func remember(_ level: Int8?, at now: Instant) {
    guard let level else { return }
    guard history.isEmpty || now.milliseconds(since: historyAt) >= Self.historyMilliseconds else {
      history[history.count - 1] = level
      return
    }
    historyAt = now
    history = (history + [level]).suffix(Self.historyMax)
  }

  private static func heard(_ line: CandidateLine, at now: Instant) -> Instant {
    Instant(microseconds: now.microseconds &- line.silence.microseconds)
  }

  /// Whole seconds since the device was heard.
  func age(at now: Instant) -> Int64 { max(0, now.milliseconds(since: heardAt) / 1000) }

  func isStale(at now: Instant) -> Bool {
    isGone || age(at: now) >= (!line.isNetwork ? Self.staleSeconds : Self.staleNetworkSeconds)
  }

  /// Sorts by item, then the strongest first and rows without a level last, then in the order of discovery.
  static func isAbove(_ one: PickerRow, _ other: PickerRow) -> Bool { one.order < other.order }

  private var order: (Int, Int, UInt32) {
    (line.itemIndex, sortLevel.map { -Int($0) } ?? .max, line.candidate)
  }
}
