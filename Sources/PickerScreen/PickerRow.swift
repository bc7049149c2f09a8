// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import ToolText

/// A device in the list of a request.
struct PickerRow: Equatable, Sendable {
  /// How far a level must move before rows change places, so that neighbours do not swap all the time.
  static let hysteresisDecibels = 4
  /// After this silence a device may be gone.
  static let staleSeconds: Int64 = 10

  private(set) var line: CandidateLine
  /// The level by which rows are sorted.
  private(set) var sortLevel: Int8?
  private(set) var heardAt: Instant
  /// The agent reported the device as gone, and the row stays only because it is selected.
  var isGone = false

  init(_ line: CandidateLine, at now: Instant) {
    self.line = line
    sortLevel = line.filteredRSSI
    heardAt = Self.heard(line, at: now)
  }

  mutating func update(_ line: CandidateLine, at now: Instant) {
    self.line = line
    isGone = false
    heardAt = Self.heard(line, at: now)
    guard let level = line.filteredRSSI, let held = sortLevel else {
      sortLevel = line.filteredRSSI
      return
    }
    if abs(Int(level) - Int(held)) >= Self.hysteresisDecibels { sortLevel = level }
  }

  private static func heard(_ line: CandidateLine, at now: Instant) -> Instant {
    Instant(microseconds: now.microseconds &- line.silence.microseconds)
  }

  /// Whole seconds since the device was heard.
  func age(at now: Instant) -> Int64 { max(0, now.milliseconds(since: heardAt) / 1000) }

  func isStale(at now: Instant) -> Bool { isGone || age(at: now) >= Self.staleSeconds }

  /// Sorts by item, then the strongest first and rows without a level last, then in the order of discovery.
  static func isAbove(_ one: PickerRow, _ other: PickerRow) -> Bool { one.order < other.order }

  private var order: (Int, Int, UInt32) {
    (line.itemIndex, sortLevel.map { -Int($0) } ?? .max, line.candidate)
  }
}
