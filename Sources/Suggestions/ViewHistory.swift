// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Explanation
import HCI
import Interfaces
import Manifest

/// When an advertising set had which view: its last advertising data with its last scan response.
///
/// Capacity: at least the newest ``runsMax`` runs; older ones are forgotten.
struct ViewHistory: Sendable {
  /// Reports of one view; none came as late as a pause after the one before it. Times in milliseconds.
  struct Run: Sendable {
    let view: SampledSet.Frame
    let start: Int64
    var end: Int64
    var reportCount = 1
  }

  static let runsMax = 16384
  /// The shortest pause that a device's rhythm knows.
  static let pauseMilliseconds: Int64 = 1000

  private(set) var runs: [Run] = []
  private var newest = SampledSet.Frame()

  mutating func addReport(_ payload: [UInt8], _ part: PayloadPart, at time: Seconds) {
    let now = time.microseconds / 1000
    switch part {
    case .data: newest.data = payload
    case .response: newest.response = payload
    }
    if let last = runs.last, last.view == newest, now - last.end < Self.pauseMilliseconds {
      runs[runs.count - 1].end = now
      runs[runs.count - 1].reportCount += 1
      return
    }
    if runs.count == 2 * Self.runsMax { runs.removeFirst(Self.runsMax) }
    runs.append(Run(view: newest, start: now, end: now))
  }
}

/// How seldom a frame comes that an item asks for, among the other frames of its device.
struct FramePace: Equatable {
  /// The longest time in which the device sent only other frames, in milliseconds, if an item of the default range loses the
  /// device in it.
  private(set) var absenceMilliseconds: Int64?
  /// How many times the frame came, each time after others.
  private(set) var visitCount = 0
  /// Whether it came fewer than ``visitsMin`` times, among ten times as many reports, so that it may not come again.
  private(set) var isSeldom = false

  /// 0 for a frame that comes often enough, 1 for one that an item has to wait for, 2 for one that may not come again.
  var rarity: Int { isSeldom ? 2 : absenceMilliseconds == nil ? 0 : 1 }

  /// A silence time that is long enough, in whole ten seconds: three times the absence, at most a day, as the key allows.
  var lostMilliseconds: Int64? {
    absenceMilliseconds.map { min((3 * $0 + 9_999) / 10_000 * 10_000, 86_400_000) }
  }

  /// Fewer visits do not show how long the others last.
  static let visitsMin = 3

  /// For the frames in which a descriptor holds, of all sets of one device.
  init(of descriptor: DiscoveryDescriptor, in sets: [SuggestionSource]) {
    var parts: [Part] = []
    for set in sets {
      let runs = set.history?.runs ?? []
      let matches = runs.map { descriptor.holds(in: ($0.view.data, $0.view.response), of: set.address) }
      for (index, run) in runs.enumerated() {
        // A match lasts from the frame that replaced it.
        let isReplaced = matches[index] && index + 1 < runs.count && !matches[index + 1]
        parts.append(
          Part(
            run: run, isMatch: matches[index], isVisit: matches[index] && (index == 0 || !matches[index - 1]),
            matchEnd: isReplaced ? runs[index + 1].start : run.end))
      }
    }
    measure(parts.sorted { $0.run.start < $1.run.start })
  }

  private struct Part {
    let run: ViewHistory.Run
    let isMatch: Bool
    let isVisit: Bool
    let matchEnd: Int64
  }

  private mutating func measure(_ parts: [Part]) {
    var pauses: [Pause] = []
    var absences: [Int64] = []
    var (lastHeard, lastMatched) = (parts.first?.run.start ?? 0, parts.first?.run.start ?? 0)
    var (reportCount, matchingCount) = (0, 0)
    var firstAbsence: Int64?
    for part in parts {
      let start = part.run.start
      if start - lastHeard >= ViewHistory.pauseMilliseconds {
        pauses.append(Pause(milliseconds: start - lastHeard, end: start))
      }
      lastHeard = max(lastHeard, part.run.end)
      reportCount += part.run.reportCount
      guard part.isMatch else { continue }
      let absence = Pause.absence(from: lastMatched, to: start, pauses)
      if matchingCount == 0 { firstAbsence = absence } else if let absence { absences.append(absence) }
      lastMatched = max(lastMatched, part.matchEnd)
      matchingCount += part.run.reportCount
      visitCount += part.isVisit ? 1 : 0
    }
    guard matchingCount > 0 else { return }
    // A frame that took the place of another one is all that the device sends since then.
    let isSuccessor = visitCount == 1 && lastMatched >= lastHeard && matchingCount >= Self.visitsMin
    if !isSuccessor, let firstAbsence { absences.append(firstAbsence) }
    if let last = Pause.absence(from: lastMatched, to: lastHeard, pauses) { absences.append(last) }
    absenceMilliseconds = absences.max()
    isSeldom = !isSuccessor && visitCount < Self.visitsMin && matchingCount * 10 < reportCount
  }

  /// A pause of the whole device, in milliseconds.
  private struct Pause {
    /// More do not change when the device is lost.
    static let countedMax = 64

    let milliseconds: Int64
    let end: Int64

    /// The time between two matches, if it is longer than an item of the default range waits at its end.
    static func absence(from start: Int64, to end: Int64, _ pauses: [Pause]) -> Int64? {
      let gate = GateSettings()
      guard end - start > Int64(gate.lostMilliseconds) else { return nil }
      // As in the device's rhythm, a pause counts for 16 times its own length.
      let counted = pauses.suffix(countedMax).filter { end - $0.end < 16 * $0.milliseconds }
      let factor: Int64 = counted.count < 8 ? 4 : 3
      let rhythm = counted.map(\.milliseconds).max() ?? 0
      return end - start > Int64(gate.lostMilliseconds) + factor * rhythm ? end - start : nil
    }
  }
}
