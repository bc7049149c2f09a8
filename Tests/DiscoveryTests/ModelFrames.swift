// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The frames of a found device in the model: which are new. Ages are compared in whole milliseconds, and which was heard last
/// in units of 1,024 microseconds.
struct ModelFrames {
  /// What frames of one kind have in common, as text.
  typealias Kind = String

  private struct Frame {
    var kind: Kind
    var bytes: [UInt8]
    var changed: Int64
    var heard: Int64
    var returns = 0
    var isCurrent = true
    var isSent: Bool
  }

  /// A new frame that waits; a long one is read from its set when it is sent.
  struct Waiting {
    var payload: [UInt8]
    var longSet: UInt8?
  }

  private var frames: [Frame] = []
  private(set) var remembered: Set<String> = []
  var reported: Int64
  var waiting: [Waiting] = []
  var skipped = 0
  /// When a frame that alternated may have settled.
  private(set) var settling: Int64?
  private let found: Int64
  /// When the match was found, or the last kind was learned.
  private var newest: Int64
  private var isLearning = true
  /// The kinds that gave way last, at most sixteen.
  private var forgotten: [Kind] = []

  init(reported: Int64) {
    self.reported = reported
    found = reported / 1000
    newest = found
  }

  mutating func remember(_ set: ModelSet, isResponse: Bool, at clock: Int64) {
    let time = clock / 1000
    guard remembered.insert("\(set.id) \(isResponse)").inserted, !set.bytes(isResponse).isEmpty else {
      return
    }
    let kind = set.kind(isResponse)
    guard !frames.contains(where: { $0.kind == kind && $0.isCurrent }) else { return }
    add(Frame(kind: kind, bytes: set.bytes(isResponse), changed: time, heard: clock >> 10, isSent: true))
  }

  /// Whether a frame that was heard is to be sent.
  mutating func hear(_ set: ModelSet, isResponse: Bool, at clock: Int64) -> Bool {
    let time = clock / 1000
    let (kind, bytes) = (set.kind(isResponse), set.bytes(isResponse))
    guard let current = frames.firstIndex(where: { $0.kind == kind && $0.isCurrent }) else {
      let isFull = frames.count(where: \.isCurrent) == 8
      let isForgotten = forgotten.contains(kind)
      add(Frame(kind: kind, bytes: bytes, changed: time, heard: clock >> 10, isSent: true))
      isLearning = isLearning && time - newest < 10_000 && time - found < 30_000
      newest = time
      let isLeftOut = isLearning ? isFull : isForgotten
      if isLeftOut { skipped += 1 }
      return !isLearning && !isLeftOut
    }
    if frames[current].bytes == bytes {
      frames[current].heard = clock >> 10
      guard !frames[current].isSent, time - frames[current].changed >= 10_000 else { return false }
      frames[current].returns = 0
      send(bytes, of: kind)
      return true
    }
    frames[current].isCurrent = false
    frames[current].changed = time
    guard let known = frames.firstIndex(where: { $0.kind == kind && $0.bytes == bytes }) else {
      add(Frame(kind: kind, bytes: bytes, changed: time, heard: clock >> 10, isSent: false))
      send(bytes, of: kind)
      return true
    }
    let isQuick = time - frames[known].changed <= 10_000
    frames[known].returns = isQuick ? min(frames[known].returns + 1, 3) : 0
    frames[known].isCurrent = true
    frames[known].changed = time
    frames[known].heard = clock >> 10
    if frames[known].isSent { return false }
    if frames[known].returns < 3 {
      send(bytes, of: kind)
      return true
    }
    settling = min(settling ?? .max, clock + 10_000_000)
    return false
  }

  /// Whether the set has a frame that was heard last of its kind and not sent.
  func holdsBack(_ set: ModelSet, isResponse: Bool) -> Bool {
    let kind = set.kind(isResponse)
    return frames.contains {
      $0.kind == kind && $0.isCurrent && !$0.isSent && $0.bytes == set.bytes(isResponse)
    }
  }

  mutating func postponeSettling(at clock: Int64) {
    settling = frames.filter { $0.isCurrent && !$0.isSent && clock / 1000 - $0.changed < 10_000 }
      .map { clock + 1000 * ($0.changed + 10_000 - clock / 1000) }.min()
  }

  mutating func wait(_ set: ModelSet) {
    let payload = set.data + set.response
    let isLong = payload.count > 62
    func leaveOut(_ index: Int) {
      waiting.remove(at: index)
      skipped += 1
    }
    if isLong, let other = waiting.firstIndex(where: { $0.longSet == set.id }) { leaveOut(other) }
    if waiting.count == 4 { leaveOut(0) }
    waiting.append(Waiting(payload: payload, longSet: isLong ? set.id : nil))
  }

  private mutating func send(_ bytes: [UInt8], of kind: Kind) {
    for index in frames.indices where frames[index].kind == kind {
      frames[index].isSent = frames[index].bytes == bytes
    }
  }

  private mutating func add(_ frame: Frame) {
    if frame.isSent, frames.count(where: \.isCurrent) == 8,
      let oldest = frames.filter(\.isCurrent).min(by: { $0.heard < $1.heard })
    {
      frames.removeAll { $0.kind == oldest.kind }
      forgotten = Array((forgotten + [oldest.kind]).suffix(16))
    }
    if frames.count == 16 {
      let free = frames.indices.filter { !frames[$0].isCurrent && !frames[$0].isSent }
      let replaced = frames.indices.filter { !frames[$0].isCurrent }
      let candidates = free.isEmpty ? replaced : free
      if let oldest = candidates.min(by: { frames[$0].heard < frames[$1].heard }) {
        frames.remove(at: oldest)
      }
    }
    frames.append(frame)
  }
}

extension ModelSet {
  func bytes(_ isResponse: Bool) -> [UInt8] { isResponse ? response : data }

  /// Set, part, and the AD types with what identifies them.
  func kind(_ isResponse: Bool) -> ModelFrames.Kind {
    var rest = bytes(isResponse)[...]
    var kind = "\(id) \(isResponse)"
    while let length = rest.popFirst(), length > 0 {
      guard rest.count >= Int(length) else { return kind + " cut" }
      let value = rest.prefix(Int(length))
      let type = value[value.startIndex]
      kind += " \(type)"
      switch type {
      case 0xFF, 0x16: kind += " \(Array(value.dropFirst().prefix(2)))"
      case 0x02...0x07: kind += " \(Array(value.dropFirst()))"
      default: break
      }
      rest = rest.dropFirst(Int(length))
    }
    return kind
  }
}
