// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

/// Why the kernel did not take a filter.
public enum RadioFilterError: Error, Equatable, Sendable {
  /// It is longer than this kernel takes.
  case tooLong
  /// The reason is a sentence's end.
  case refused(String)
}

/// The filter that an adapter's socket has in the kernel, and why it has none.
///
/// A filter is replaced at most once a second, and removed at once when something needs every report. One that the kernel
/// refuses as too long is written anew in less detail.
struct RadioFilter: Sendable {
  /// What needs every report.
  enum Need: String, CaseIterable {
    case call = "a call of the last minute"
    case capture = "a capture"
    case reportStream = "a stream of reports"
    case broadPicker = "a picker for a whole company or service"
  }

  enum Step { case nothing, remove, write }

  private static let pauseMilliseconds: Int64 = 1000
  /// How long a filter stays away that no kernel takes: fewer devices may match by then.
  private static let retryMilliseconds: Int64 = 60_000
  /// How long calls find every report after the last one, and how long the first one waits for reports.
  private static let callMilliseconds: Int64 = 60_000
  private static let listeningMilliseconds: Int64 = 3000

  /// Whether the manifest allows one.
  var isAllowed = true
  /// Whether the radio is an adapter.
  private(set) var isPossible = false
  private(set) var needs: Set<Need> = []
  /// What the kernel has.
  private(set) var program: FilterProgram?
  /// Why there is none although there could be one, as a sentence's end.
  private(set) var failure: String?
  private var contents: FilterProgram.Contents?
  /// How detailed a program may be, and whether it is to be written anew.
  private var detail = FilterProgram.Detail.wholeData
  private var isStale = true
  private var changes: UInt32 = 0
  private var nextWrite = Instant(microseconds: .min)
  /// Since when the kernel has passed everything.
  private(set) var openSince = Instant(microseconds: .min)
  private var callsEnd: Instant?

  // MARK: - Inputs

  /// A radio was opened, or closed.
  mutating func use(adapter isPossible: Bool) {
    (self.isPossible, program, contents, failure) = (isPossible, nil, nil, nil)
    (detail, isStale, nextWrite) = (.wholeData, true, Instant(microseconds: .min))
  }

  mutating func set(_ need: Need, _ isThere: Bool) {
    if isThere { needs.insert(need) } else { needs.remove(need) }
  }

  /// Items have changed: the former filter would drop what they find, and the kernel may take one in more detail.
  mutating func itemsChanged(at now: Instant) {
    (contents, isStale, detail, failure) = (nil, true, .wholeData, nil)
    nextWrite = min(nextWrite, now.advanced(milliseconds: Self.pauseMilliseconds))
  }

  /// A call that lists what is in sight has come. Returns when it may start, if that is not now.
  mutating func listen(at now: Instant) -> Instant? {
    guard isPossible, isAllowed else { return nil }
    needs.insert(.call)
    callsEnd = now.advanced(milliseconds: Self.callMilliseconds)
    let start = (program == nil ? openSince : now).advanced(milliseconds: Self.listeningMilliseconds)
    return start > now ? start : nil
  }

  /// Returns what is to be done. `changes` counts how often the devices changed whose every report is to pass.
  mutating func nextStep(changes: UInt32, at now: Instant) -> Step {
    if let callsEnd, callsEnd <= now {
      needs.remove(.call)
      self.callsEnd = nil
    }
    if changes != self.changes { (self.changes, isStale) = (changes, true) }
    guard isPossible, isAllowed, needs.isEmpty, program == nil || contents != nil else {
      return program == nil ? .nothing : .remove
    }
    return isStale && nextWrite <= now ? .write : .nothing
  }

  /// When the next step is due, if nothing changes before.
  var deadline: Instant? {
    .earliest(callsEnd, isPossible && isAllowed && needs.isEmpty && isStale ? nextWrite : nil)
  }

  // MARK: - Changes

  mutating func remove(at now: Instant) {
    (program, contents, isStale, openSince) = (nil, nil, true, now)
  }

  /// Returns whether there is another program than before, or none any longer.
  mutating func write(_ contents: FilterProgram.Contents, at now: Instant) -> Bool {
    isStale = false
    guard contents != self.contents else { return false }
    (self.contents, failure) = (contents, nil)
    nextWrite = now.advanced(milliseconds: Self.pauseMilliseconds)
    let before = program
    program = FilterProgram(contents, from: detail)
    if program == nil { fail("the items and devices need a longer program than a kernel takes", at: now) }
    return program != before
  }

  /// The kernel has refused the program that was written last. What it had before is to be removed.
  mutating func kernelRefused(_ error: RadioFilterError, at now: Instant) {
    let coarser = FilterProgram.Detail(rawValue: (program?.detail ?? .keys).rawValue + 1)
    remove(at: now)
    switch (error, coarser) {
    case (.tooLong, let coarser?): (detail, nextWrite) = (coarser, now)
    case (.tooLong, nil): fail("the kernel takes no program of this length", at: now)
    case (.refused(let reason), _): fail("the kernel refuses it: \(reason)", at: now)
    }
  }

  private mutating func fail(_ reason: String, at now: Instant) {
    remove(at: now)
    failure = reason
    nextWrite = now.advanced(milliseconds: Self.retryMilliseconds)
  }
}
