// SPDX-License-Identifier: GPL-3.0-or-later

public import Registry

/// The last life-cycle events of an app, in one numbering; those of a picker are for the session that asked.
///
/// Capacity: ``capacity`` events, and as many with which the run began. A session that reads too late is told how many
/// it missed.
struct AppFeed: Sendable {
  static let capacity = 256

  private struct Entry: Sendable {
    let event: AppEvent
    /// Nil is every session of the app.
    let audience: RandomIdentifier?
  }

  /// What the start of the agent took back, before there was any session: kept for those that come back from the run
  /// before. It has the first numbers; what finds no place in it is in ``ring``, and told to nobody.
  private var opening: [AppEvent] = []
  private var ring = Ring<Entry>(capacity: capacity)

  /// The number that comes next.
  var produced: UInt64 { openingCount + ring.produced }

  var openingCount: UInt64 { UInt64(opening.count) }

  /// The run begins with this.
  mutating func open(with event: AppEvent) {
    guard ring.produced == 0, opening.count < Self.capacity else { return append(event, to: nil) }
    opening.append(event)
  }

  mutating func append(_ event: AppEvent, to audience: RandomIdentifier?) {
    ring.append(Entry(event: event, audience: audience))
  }

  /// What a session reads next from where it stands; behind its `invalidated` there is nothing for it.
  func read(_ position: inout SessionPosition) -> SessionReading {
    guard !position.isOver else { return .end }
    if position.sequence < openingCount {
      defer { position.sequence += 1 }
      return .event(sequence: position.sequence, passed: 0, opening[Int(position.sequence)])
    }
    position.passOver(to: position.activatedAt)
    var place = position.sequence - openingCount
    defer { position.sequence = openingCount + place }
    while true {
      switch ring.read(&place) {
      case .end: return .end
      case .reset: preconditionFailure("a session stands in its app's feed")
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

/// Where the stream of a session stands in its app's events.
public struct SessionPosition: Equatable, Sendable {
  public let session: RandomIdentifier
  public let app: String
  public internal(set) var sequence: UInt64
  /// The accessories that come with `activated` are as events before that number have left them.
  public let activatedAt: UInt64
  /// Numbers since the last event that were other sessions', or before `activated`.
  var passed: UInt64 = 0
  /// It was told that the session is over.
  var isOver = false

  init(_ session: RandomIdentifier, app: String, at sequence: UInt64, activatedAt: UInt64) {
    self.session = session
    self.app = app
    self.sequence = sequence
    self.activatedAt = activatedAt
  }

  fileprivate mutating func passOver(to end: UInt64) {
    guard sequence < end else { return }
    passed += end - sequence
    sequence = end
  }
}

/// What a session's stream has to say.
public enum SessionReading: Equatable, Sendable {
  case event(sequence: UInt64, passed: UInt64, AppEvent)
  /// So many were overwritten, some of them perhaps other sessions'.
  case missed(UInt64)
  case end
}
