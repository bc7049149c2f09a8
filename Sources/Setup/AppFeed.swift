// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry

/// The latest life-cycle events of an app, numbered together. Events of a picker go only to the session that opened it.
///
/// Capacity: ``capacity`` events, and as many opening events. A session that reads too late learns how many events it
/// missed.
struct AppFeed: Sendable {
  static let capacity = 256

  private struct Entry: Sendable {
    let event: AppEvent
    /// nil for every session of the app.
    let audience: RandomIdentifier?
  }

  /// Events about accessories that the agent took back at its start, before there was any session. They are kept for
  /// apps that resume from the run before, and have the first numbers. Events beyond the capacity go to ``ring``, where
  /// no session reads them. Those about an accessory that an import has added again are nil: it is in the app's list.
  private var opening: [AppEvent?] = []
  private var ring = Ring<Entry>(capacity: capacity)

  /// The number of the next event.
  var produced: UInt64 { openingCount + ring.produced }

  var openingCount: UInt64 { UInt64(opening.count) }

  /// Adds an event to those with which the run begins.
  mutating func open(with event: AppEvent) {
    if ring.produced == 0, opening.count < Self.capacity {
      opening.append(event)
    } else {
      append(event, to: nil)
    }
  }

  /// Returns the event's number.
  @discardableResult
  mutating func append(_ event: AppEvent, to audience: RandomIdentifier?) -> UInt64 {
    if case .accessoryAdded(let accessory) = event.kind { forgetRemoval(of: accessory.identifier) }
    defer { ring.append(Entry(event: event, audience: audience)) }
    return produced
  }

  /// Forgets an opening event that removed an accessory, and those up to the next removal: the end of its setup.
  private mutating func forgetRemoval(of accessory: RandomIdentifier) {
    var isAbout = false
    for index in opening.indices {
      if case .accessoryRemoved(let removed)? = opening[index]?.kind {
        isAbout = removed.identifier == accessory
      }
      if isAbout { opening[index] = nil }
    }
  }

  /// Returns the next event for a session. There is none after its `invalidated`.
  func read(_ position: inout SessionPosition) -> SessionReading {
    guard !position.isOver else { return .end }
    while position.sequence < openingCount {
      defer { position.sequence += 1 }
      guard let event = opening[Int(position.sequence)] else {
        position.passed += 1
        continue
      }
      defer { position.passed = 0 }
      return .event(sequence: position.sequence, passed: position.passed, event)
    }
    position.passOver(to: position.activatedAt)
    var index = position.sequence - openingCount
    defer { position.sequence = openingCount + index }
    while true {
      switch ring.read(&index) {
      case .end: return .end
      case .reset: preconditionFailure("a session reads its app's feed")
      case .missed(let count): return .missed(count)
      case .element(let sequence, let entry):
        guard entry.audience == nil || entry.audience == position.session else {
          position.passed += 1
          continue
        }
        if case .invalidated = entry.event.kind { position.isOver = true }
        defer { position.passed = 0 }
        return .event(sequence: openingCount + sequence, passed: position.passed, entry.event)
      }
    }
  }
}

/// The position of a session's stream in its app's events.
public struct SessionPosition: Equatable, Sendable {
  public let session: RandomIdentifier
  public let app: String
  public internal(set) var sequence: UInt64
  /// The accessories sent with `activated` include the effects of all events before this number.
  public let activatedAt: UInt64
  /// How many numbers since the last event went to other sessions, or are covered by `activated`.
  var passed: UInt64 = 0
  /// The session has read its `invalidated`.
  var isOver = false

  fileprivate mutating func passOver(to end: UInt64) {
    guard sequence < end else { return }
    passed += end - sequence
    sequence = end
  }
}

/// What a session's stream reads.
public enum SessionReading: Equatable, Sendable {
  case event(sequence: UInt64, passed: UInt64, AppEvent)
  /// How many events were overwritten; some of them may have been for other sessions.
  case missed(UInt64)
  case end
}
