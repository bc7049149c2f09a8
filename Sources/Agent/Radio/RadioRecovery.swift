// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Controller

/// What the radio knows of its failures: the last one, and what is done about it.
struct RadioRecovery: Sendable {
  /// Decides which recovery action comes next.
  var watchdog = Watchdog(.commands)
  /// What the controller replied to the kernel's scan commands.
  var refusal = ScanStartError()
  /// The last failure; nil while the radio scans.
  var failure: RadioError?
  /// When the radio is initialised again.
  var retry: Instant?
  /// Initialisations and scans that failed.
  var failureCount: UInt64 = 0
}

/// Asks a silent radio something harmless: a reply means that there is nothing to hear.
struct RadioProbe: Sendable {
  /// How long a command may take after the kernel's own, as in the kernel (HCI_CMD_TIMEOUT).
  static let timeoutMilliseconds: Int64 = 3000

  /// When the radio was last heard, or probed.
  var lastHeard: Instant?
  /// When a shared adapter must have replied; nil without a probe. ``ControllerInitializer`` times its own.
  var end: Instant?
  var count: UInt64 = 0

  /// When a radio that scans is probed.
  var due: Instant? { lastHeard?.advanced(milliseconds: Watchdog.silenceMilliseconds) }

  mutating func heard(at now: Instant) {
    if let end = hearingEnd, now < end { return }
    (end, lastHeard) = (nil, now)
  }

  /// Until when a further report says nothing new: once a second is enough, so that the loop's timer is not set again for
  /// each report.
  var hearingEnd: Instant? { end == nil ? lastHeard?.advanced(milliseconds: 1000) : nil }
}

/// How long the radio has not been scanning although it should.
struct RadioAbsence: Sendable {
  /// After this long what the radio had found counts as lost.
  private static let graceMilliseconds: Int64 = 3000

  /// Nil while the radio scans or should not, and once what it had found is lost.
  private var since: Instant?
  private var isLost = false
  /// It brought reports since: one that takes no commands may scan on.
  private var isHeardAgain = false

  init(since now: Instant) { since = now }

  mutating func follow(_ state: RadioLine.State, at now: Instant) {
    switch state {
    case .on, .off: since = nil
    case .recovering, .absent:
      if since == nil, !isLost || (isHeardAgain && state == .absent) { since = now }
    }
    if state == .on { isLost = false }
  }

  mutating func noteHeard() { isHeardAgain = isLost }

  /// Whether the grace period has just ended. Returns true once for each absence.
  mutating func isOver(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    since = nil
    (isLost, isHeardAgain) = (true, false)
    return true
  }

  var deadline: Instant? { since?.advanced(milliseconds: Self.graceMilliseconds) }
}
