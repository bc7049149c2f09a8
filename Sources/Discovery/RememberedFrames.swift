// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The frames that a found device has sent, for one item: so that an event says something new.
///
/// A frame is new when it differs from the last frame of its kind that was sent. The first frame of a kind is new, too,
/// except while the kinds are learned, which a device alternates: that begins when the match is found, and ends when no
/// other kind came for the settling time, or after three times as long. A frame that came back three times, each time
/// within the settling time after another of its kind replaced it, belongs to a beacon that alternates: it is sent again
/// only after it was the only one of its kind for that time.
///
/// Capacity: eight kinds, and sixteen frames. The kind heard least recently gives way to a new one; when it comes back, and is
/// among the sixteen that gave way last, it is left out and counted. To a new frame gives way the oldest that is neither the
/// last sent nor the current one of its kind.
struct RememberedFrames: BitwiseCopyable {
  static var kindsMax: Int { 8 }
  private static var returnsMax: UInt8 { 3 }

  private struct Frame: BitwiseCopyable {
    var kind: UInt32
    var content: UInt32
    /// When it became the frame that its kind has now, or was replaced. Milliseconds modulo 2^32.
    var changed: UInt32
    /// In units of 1,024 microseconds modulo 2^32, which cost less than milliseconds. Only the order counts.
    var heard: UInt32
    /// How often it came back within the settling time.
    var returns: UInt8 = 0
    /// Bit 0: the latest of its kind; bit 1: the last of its kind that was sent.
    var marks: UInt8

    init(kind: UInt32, content: UInt32, changed: UInt32, heard: UInt32, isSent: Bool) {
      (self.kind, self.content, self.changed, self.heard) = (kind, content, changed, heard)
      marks = isSent ? 3 : 1
    }

    var isCurrent: Bool {
      get { marks & 1 != 0 }
      set { marks = marks & 2 | (newValue ? 1 : 0) }
    }

    var isSent: Bool {
      get { marks & 2 != 0 }
      set { marks = marks & 1 | (newValue ? 2 : 0) }
    }
  }

  private var frames = InlineArray<16, Frame>(
    repeating: Frame(kind: 0, content: 0, changed: 0, heard: 0, isSent: false))
  private var used: UInt8 = 0
  /// When the match was found. Milliseconds modulo 2^32.
  private var found: UInt32
  /// When the match was found, or the last kind was learned. Milliseconds modulo 2^32.
  private var newest: UInt32
  private var isLearning = true
  /// The kinds that gave way last, of each the lower half: a ring.
  private var forgotten = InlineArray<16, UInt16>(repeating: 0)
  private var forgottenCount: UInt8 = 0
  /// When the next frame that alternated may have settled.
  private(set) var settling = Instant(microseconds: .max)

  /// How a frame that was heard is treated.
  enum Novelty { case sent, known, leftOut }

  init(found: Instant = Instant(microseconds: 0)) {
    self.found = found.wrappedMilliseconds
    newest = self.found
  }

  /// Remembers a frame that was heard before the first change, unless its kind is known.
  mutating func remember(_ frame: FrameIdentity, at now: Instant) {
    guard current(frame.kind) == nil else { return }
    append(frame, isSent: true, at: now)
  }

  /// The identity of a frame that is remembered, by its content.
  func identity(ofContent content: UInt32) -> FrameIdentity? {
    for index in 0..<count where frames[index].content == content {
      return FrameIdentity(kind: frames[index].kind, content: content)
    }
    return nil
  }

  /// Takes a frame that was heard, if it is the current one of its kind and was sent. Returns false for any other.
  @inline(__always)
  mutating func repeats(_ frame: FrameIdentity, at now: Instant) -> Bool {
    var index = 0
    // Both bounds, of which the compiler proves one.
    while index < count, index < frames.count {
      if frames[index].content == frame.content, frames[index].kind == frame.kind {
        guard frames[index].marks == 3 else { return false }
        frames[index].heard = Self.heard(now)
        return true
      }
      index &+= 1
    }
    return false
  }

  /// Takes a frame that has come back often enough and in time, in place of the current one of its kind, as
  /// ``hear(_:isNumbered:settlingMilliseconds:heldBack:at:)`` would: nothing is sent, and what is due later is planned.
  /// Returns false for any other.
  mutating func alternates(_ frame: FrameIdentity, settlingMilliseconds: Int64, at now: Instant) -> Bool {
    let present = now.wrappedMilliseconds
    guard let known = index(of: frame), !frames[known].isCurrent, frames[known].returns == Self.returnsMax,
      frames[known].isSent || settling.microseconds < .max,
      Int64(present &- frames[known].changed) <= settlingMilliseconds,
      let current = current(frames[known].kind)
    else { return false }
    frames[current].isCurrent = false
    frames[current].changed = present
    frames[known].isCurrent = true
    frames[known].changed = present
    frames[known].heard = Self.heard(now)
    return true
  }

  /// Takes a frame that was heard, and counts it as sent if it is to be. A frame that is not sent because its kind is learned, or
  /// because it alternates, is counted in `heldBack`. `isNumbered` says that it states a packet number which is new.
  mutating func hear(
    _ frame: FrameIdentity, isNumbered: Bool = false, settlingMilliseconds: Int64, heldBack: inout UInt64,
    at now: Instant
  ) -> Novelty {
    let present = now.wrappedMilliseconds
    guard let current = current(frame.kind) else {
      let isFull = kindCount == Self.kindsMax
      let isForgotten = isForgotten(frame.kind)
      append(frame, isSent: true, at: now)
      isLearning =
        isLearning && Int64(present &- newest) < settlingMilliseconds
        && Int64(present &- found) < 3 * settlingMilliseconds
      newest = present
      if isNumbered { return .sent }
      guard isLearning else { return isForgotten ? .leftOut : .sent }
      if isFull { return .leftOut }
      heldBack &+= 1
      return .known
    }
    if frames[current].content == frame.content {
      frames[current].heard = Self.heard(now)
      return settle(current, settlingMilliseconds, at: now) ? .sent : .known
    }
    frames[current].isCurrent = false
    frames[current].changed = present
    guard let known = index(of: frame) else {
      append(frame, isSent: false, at: now)
      markSent(count - 1)
      return .sent
    }
    let hasReturned = Int64(present &- frames[known].changed) <= settlingMilliseconds
    frames[known].returns = hasReturned ? min(frames[known].returns + 1, Self.returnsMax) : 0
    frames[known].isCurrent = true
    frames[known].changed = present
    frames[known].heard = Self.heard(now)
    guard frames[known].isSent || frames[known].returns == Self.returnsMax else {
      markSent(known)
      return .sent
    }
    heldBack &+= 1
    guard !frames[known].isSent else { return .known }
    settling = min(settling, now.advanced(milliseconds: settlingMilliseconds))
    return .known
  }

  /// Counts a frame as sent, by its content, that went with a frame of another kind. What the device sends of its kind now, if
  /// that is another, is due when it has settled.
  mutating func noteSent(content: UInt32, settlingMilliseconds: Int64, at now: Instant) {
    for index in 0..<count where frames[index].content == content && !frames[index].isSent {
      markSent(index)
      if !frames[index].isCurrent {
        settling = min(settling, now.advanced(milliseconds: settlingMilliseconds))
      }
      return
    }
  }

  /// Whether some frame was not sent, or is no longer the last of its kind that was.
  var holdsUnsent: Bool {
    for index in 0..<count where !frames[index].isSent { return true }
    return false
  }

  /// Whether the current frame of some kind was not sent.
  var holdsBack: Bool {
    for index in 0..<count where frames[index].isCurrent && !frames[index].isSent { return true }
    return false
  }

  /// Whether a frame is the current one of its kind, and was not sent: it alternates.
  func isHeldBack(_ frame: FrameIdentity) -> Bool {
    current(frame.kind).map { frames[$0].content == frame.content && !frames[$0].isSent } ?? false
  }

  /// Forgets when a frame may settle, after those that have were offered again. The others are due later.
  mutating func postponeSettling(_ settlingMilliseconds: Int64, at now: Instant) {
    settling = Instant(microseconds: .max)
    for index in 0..<count where frames[index].isCurrent && !frames[index].isSent {
      let age = Int64(now.wrappedMilliseconds &- frames[index].changed)
      guard age < settlingMilliseconds else { continue }
      settling = min(settling, now.advanced(milliseconds: settlingMilliseconds - age))
    }
  }

  /// Moves every time on.
  mutating func skip(microseconds: Int64) {
    let milliseconds = UInt32(truncatingIfNeeded: microseconds / 1000)
    found &+= milliseconds
    newest &+= milliseconds
    for index in 0..<count {
      frames[index].changed &+= milliseconds
      frames[index].heard &+= UInt32(truncatingIfNeeded: microseconds >> 10)
    }
    if settling.microseconds < .max {
      settling = Instant(microseconds: settling.microseconds &+ microseconds)
    }
  }

  // MARK: The table

  private var count: Int {
    get { Int(used) }
    set { used = UInt8(truncatingIfNeeded: newValue) }
  }

  private func index(of frame: FrameIdentity) -> Int? {
    for index in 0..<count where frames[index].content == frame.content && frames[index].kind == frame.kind {
      return index
    }
    return nil
  }

  /// A time in units of 1,024 microseconds.
  @inline(__always)
  private static func heard(_ now: Instant) -> UInt32 { UInt32(truncatingIfNeeded: now.microseconds >> 10) }

  /// The current frame of a kind.
  @inline(__always)
  private func current(_ kind: UInt32) -> Int? {
    for index in 0..<count where frames[index].kind == kind && frames[index].isCurrent { return index }
    return nil
  }

  /// Sends the last frame of a kind when it has been the only one for long enough.
  @inline(__always)
  private mutating func settle(_ index: Int, _ settlingMilliseconds: Int64, at now: Instant) -> Bool {
    guard !frames[index].isSent,
      Int64(now.wrappedMilliseconds &- frames[index].changed) >= settlingMilliseconds
    else { return false }
    frames[index].returns = 0
    markSent(index)
    return true
  }

  private mutating func markSent(_ index: Int) {
    for other in 0..<count where frames[other].kind == frames[index].kind { frames[other].isSent = false }
    frames[index].isSent = true
  }

  private func isForgotten(_ kind: UInt32) -> Bool {
    let half = UInt16(truncatingIfNeeded: kind)
    for index in 0..<min(Int(forgottenCount), forgotten.count) where forgotten[index] == half { return true }
    return false
  }

  private mutating func append(_ frame: FrameIdentity, isSent: Bool, at now: Instant) {
    let present = now.wrappedMilliseconds
    let heard = Self.heard(now)
    if isSent, kindCount == Self.kindsMax { forgetOldestKind(at: heard) }
    if count == frames.count { forgetOldestFrame(at: heard) }
    frames[count] = Frame(
      kind: frame.kind, content: frame.content, changed: present, heard: heard, isSent: isSent)
    count += 1
  }

  private var kindCount: Int {
    var kinds = 0
    for index in 0..<count where frames[index].isCurrent { kinds += 1 }
    return kinds
  }

  private mutating func forgetOldestKind(at present: UInt32) {
    guard let oldest = oldest(at: present, where: { $0.isCurrent }) else { return }
    let kind = frames[oldest].kind
    forgotten[Int(forgottenCount) % forgotten.count] = UInt16(truncatingIfNeeded: kind)
    forgottenCount = forgottenCount < 2 * forgotten.count - 1 ? forgottenCount + 1 : UInt8(forgotten.count)
    for index in (0..<count).reversed() where frames[index].kind == kind { forget(index) }
  }

  /// Eight kinds have at most sixteen frames that were sent last or are current, and that many only when the frame to be added
  /// replaces one of them.
  private mutating func forgetOldestFrame(at present: UInt32) {
    if let oldest = oldest(at: present, where: { !$0.isCurrent && !$0.isSent }) {
      forget(oldest)
    } else if let oldest = oldest(at: present, where: { !$0.isCurrent }) {
      forget(oldest)
    }
  }

  private func oldest(at present: UInt32, where isCandidate: (Frame) -> Bool) -> Int? {
    var oldest: Int?
    for index in 0..<count where isCandidate(frames[index]) {
      if let other = oldest, present &- frames[other].heard >= present &- frames[index].heard { continue }
      oldest = index
    }
    return oldest
  }

  private mutating func forget(_ index: Int) {
    count -= 1
    for later in index..<count { frames[later] = frames[later + 1] }
  }
}
