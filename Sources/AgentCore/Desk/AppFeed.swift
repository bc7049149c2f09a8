// SPDX-License-Identifier: GPL-3.0-or-later

/// The last life-cycle events of an app, in one numbering; those of a picker are for the session that asked.
///
/// Capacity: ``capacity`` events. A session that reads too late is told how many it missed.
struct AppFeed: Sendable {
  static let capacity = 256

  private struct Entry: Sendable {
    let event: AppEvent
    /// Nil is every session of the app.
    let audience: RandomIdentifier?
  }

  private var ring = Ring<Entry>(capacity: capacity)

  /// The number that comes next.
  var produced: UInt64 { ring.produced }

  mutating func append(_ event: AppEvent, to audience: RandomIdentifier?) {
    ring.append(Entry(event: event, audience: audience))
  }

  /// What a session reads next from where it stands; behind its `invalidated` there is nothing for it.
  func read(_ position: inout SessionPosition) -> SessionReading {
    guard !position.isOver else { return .end }
    while true {
      switch ring.read(&position.sequence) {
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
        return .event(sequence: sequence, passed: position.passed, entry.event)
      }
    }
  }
}

/// Where the stream of a session stands in its app's events.
public struct SessionPosition: Equatable, Sendable {
  public let session: RandomIdentifier
  public let app: String
  public internal(set) var sequence: UInt64
  /// Numbers since the last event that were other sessions'.
  var passed: UInt64 = 0
  /// It was told that the session is over.
  var isOver = false

  init(_ session: RandomIdentifier, app: String, at sequence: UInt64) {
    self.session = session
    self.app = app
    self.sequence = sequence
  }
}

/// What a session's stream has to say.
public enum SessionReading: Equatable, Sendable {
  case event(sequence: UInt64, passed: UInt64, AppEvent)
  /// So many were overwritten, some of them perhaps other sessions'.
  case missed(UInt64)
  case end
}
