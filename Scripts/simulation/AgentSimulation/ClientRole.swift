// SPDX-License-Identifier: GPL-3.0-or-later

/// What a client of the simulation does with its connection.
enum ClientRole: Equatable {
  /// Watches from the first event on and reads at once: what the reference model hears.
  case auditor
  /// Watches, and reads so many bytes at a time; 0 never.
  case watcher(bytesPerRead: Int)
  /// Calls methods, one or many at a time.
  case caller
  /// Records the radio.
  case recorder
  /// Breaks the protocol.
  case vandal
  /// An app: may connect, and may call nothing of the operators'.
  case app
  /// Nobody: is turned away.
  case stranger
  /// Connects and is silent.
  case idler

  var reads: Bool {
    switch self {
    case .watcher(let bytes): bytes > 0
    case .auditor, .caller, .recorder, .vandal, .app, .stranger, .idler: true
    }
  }
}

/// Where a watch begins.
enum WatchStart: Equatable {
  case anew
  /// A cursor of this run.
  case at(UInt64)
  /// Another run's.
  case foreign
  /// Of this run, ahead of everything.
  case future
}

/// A call whose replies are awaited.
struct PendingCall: Equatable {
  enum Kind: Equatable {
    case watch(WatchStart)
    case capture
    case status
    case reload
    /// A list: elements, then an end.
    case list
    /// One reply.
    case one
    /// Anything at all, once at most.
    case anything
  }

  var kind: Kind
  var method: String
  var wantsMore: Bool
}
