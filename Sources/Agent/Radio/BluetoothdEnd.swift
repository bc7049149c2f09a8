// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// Whether a shared adapter is off because bluetoothd ended: in an orderly end it switches its adapters off. The agent
/// needs no bluetoothd, and switches such an adapter on again.
///
/// Pure: what happened goes in with its time. The kernel does not report which program switched an adapter off, so that
/// has to coincide with the end of bluetoothd's process. The shell looks for this process whenever ``beginLook(at:)``
/// returns true, and reports the end of one that it found.
struct BluetoothdEnd: Equatable, Sendable {
  /// How much time may lie between the two.
  private static let coincidenceMilliseconds: Int64 = 2000
  /// How long a bluetoothd that is restarted may take to appear; also the shortest time between two looks.
  private static let settlingMilliseconds: Int64 = 1000

  /// When to look whether bluetoothd runs; nil while nothing calls for it, and during a look.
  private(set) var lookDue: Instant?
  private var isLooking = false
  private var lastLook: Instant?
  /// Whether the shell watches a process of bluetoothd.
  private var isRunning = false
  private var ended: Instant?
  private var switchedOff: Instant?

  /// A shared adapter was opened at this time.
  init(adapterOpenedAt now: Instant) { lookDue = now }

  init() {}

  /// Notes that another program changed the adapter: that program may be a bluetoothd that was started.
  mutating func noteOtherProgram(at now: Instant) {
    guard !isRunning else { return }
    requestLook(at: max(now, lastLook.map(Self.settled) ?? now))
  }

  mutating func noteSwitch(isOff: Bool, at now: Instant) {
    switchedOff = isOff ? now : nil
    if isOff, !isRunning { requestLook(at: Self.settled(now)) }
  }

  /// Notes that the bluetoothd that was found has ended.
  mutating func noteEnd(at now: Instant) {
    (isRunning, ended) = (false, now)
    requestLook(at: Self.settled(now))
  }

  /// Returns whether the shell has to look for bluetoothd now.
  mutating func beginLook(at now: Instant) -> Bool {
    guard let due = lookDue, due <= now else { return false }
    (lookDue, isLooking) = (nil, true)
    return true
  }

  /// Ends a look. Returns whether the adapter is to be switched on.
  mutating func endLook(isRunning: Bool, at now: Instant) -> Bool {
    (isLooking, lastLook, self.isRunning) = (false, now, isRunning)
    if isRunning { ended = nil }
    guard let ended, let switchedOff,
      abs(ended.milliseconds(since: switchedOff)) <= Self.coincidenceMilliseconds
    else { return false }
    let settled = Self.settled(max(ended, switchedOff))
    guard settled <= now else {
      requestLook(at: settled)
      return false
    }
    self.ended = nil
    return true
  }

  /// Requests a look, unless an earlier one is due or one is under way, whose end decides what comes next.
  private mutating func requestLook(at time: Instant) {
    guard !isLooking else { return }
    lookDue = lookDue.map { min($0, time) } ?? time
  }

  private static func settled(_ time: Instant) -> Instant {
    time.advanced(milliseconds: settlingMilliseconds)
  }
}
