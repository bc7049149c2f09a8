// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem

/// What the service manager is told (sd_notify(3)), and when it is fed. A manager that does not listen is no reason to
/// stop: what it missed is told with the next change.
struct SystemdNotifier: ~Copyable {
  /// A status that changes all the time is told once in this time.
  private static let statusMilliseconds: Int64 = 1000

  private let notification: ServiceNotification?
  private let schedule: WatchdogSchedule
  private var nextFeed: Instant?
  private var isReady = false
  private var told = ""
  private var status = ""
  private var statusTime: Instant?

  init(_ schedule: WatchdogSchedule) throws(SystemError) {
    notification = try ServiceNotification()
    self.schedule = schedule
  }

  /// When a turn is due for the manager's sake.
  var deadline: Instant? {
    [nextFeed, status == told ? nil : statusTime].compactMap { $0 }.min()
  }

  /// The agent serves. Told once; further calls do nothing.
  mutating func ready(at now: Instant) {
    guard !isReady else { return }
    isReady = true
    nextFeed = schedule.next(after: now)
    told = status
    send("READY=1\nSTATUS=\(status)")
  }

  func reloading() {
    guard isReady, let time = try? MonotonicTime.now() else { return }
    send("RELOADING=1\nMONOTONIC_USEC=\(time)")
  }

  func reloaded() {
    guard isReady else { return }
    send("READY=1")
  }

  func stopping() { send("STOPPING=1") }

  /// What the agent is about, in a short line.
  mutating func say(_ status: String) { self.status = status }

  /// The end of a turn: everything was done that was to be done.
  mutating func turned(at now: Instant) {
    if isReady, status != told, statusTime.map({ $0 <= now }) ?? true {
      told = status
      statusTime = now.advanced(milliseconds: Self.statusMilliseconds)
      send("STATUS=\(status)")
    }
    if let nextFeed, nextFeed <= now {
      self.nextFeed = schedule.next(after: now)
      send("WATCHDOG=1")
    }
  }

  private func send(_ lines: String) { try? notification?.send(lines) }
}
