// SPDX-License-Identifier: GPL-3.0-or-later

/// What a client of the simulation does with its connection.
enum ClientRole: Equatable {
  /// Watches from the first event on and reads at once: every event is checked when this client reads it.
  case auditor
  /// Watches and reads this many bytes at a time; with 0 it never reads.
  case watcher(bytesPerRead: Int)
  /// Calls methods, one or many at a time.
  case caller
  /// Records the radio.
  case recorder
  /// Has a stream of reports.
  case reporter(ReportBook.Pace)
  /// Breaks the protocol.
  case vandal
  /// An app: may connect, and may not call the operators' methods.
  case app
  /// Neither app nor operator: is refused.
  case unauthorized
  /// Connects and never calls.
  case idler

  var reads: Bool {
    switch self {
    case .watcher(let bytes): bytes > 0
    case .auditor, .caller, .recorder, .reporter, .vandal, .app, .unauthorized, .idler: true
    }
  }
}

/// The position where a watch begins.
enum WatchStart: Equatable {
  case anew
  /// A cursor of this run.
  case at(UInt64)
  /// A cursor of another run.
  case otherRun
  /// A cursor of this run, beyond its last event.
  case future
}

/// A call whose last reply has not come.
struct PendingCall: Equatable {
  enum Kind: Equatable {
    case watch(WatchStart)
    case capture
    case status
    case reload
    /// Replies with elements, then an empty last one.
    case list
    /// Exactly one reply.
    case one
    /// Any reply, at most one.
    case anything
  }

  var kind: Kind
  var method: String
  var wantsMore: Bool
}
