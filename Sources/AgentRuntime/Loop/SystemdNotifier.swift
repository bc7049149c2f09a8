// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import LinuxSystem

/// Notifies the service manager (sd_notify(3)) and feeds its watchdog. A notification that cannot be sent is dropped;
/// the next change sends the next one.
struct SystemdNotifier: ~Copyable {
  /// A status is sent at most once in this time.
  private static let statusMilliseconds: Int64 = 1000

  private let notification: ServiceNotification?
  private let schedule: WatchdogSchedule
  private var nextFeed: Instant?
  private var isReady = false
  private var hasReloaded = false
  private var sentStatus: Status?
  private var status: Status?
  private var statusTime: Instant?

  /// What the status line says.
  private struct Status: Equatable {
    let radio: RadioLine.State
    let clients: Int

    var line: String { "STATUS=radio \(radio.rawValue), \(clients) \(clients == 1 ? "client" : "clients")" }
  }

  init(_ schedule: WatchdogSchedule) throws(SystemError) {
    notification = try ServiceNotification()
    self.schedule = schedule
  }

  /// The time of the next notification. It changes nothing, but a notifier that is only borrowed would be copied.
  var deadline: Instant? {
    mutating get { .earliest(nextFeed, status == sentStatus ? nil : statusTime) }
  }

  /// Notifies the manager that the agent serves. Returns whether this is the first call; further calls do nothing.
  mutating func notifyReady(at now: Instant) -> Bool {
    guard !isReady else { return false }
    isReady = true
    nextFeed = schedule.next(after: now)
    sentStatus = status
    send(status.map { "READY=1\n\($0.line)" } ?? "READY=1")
    return true
  }

  func notifyReloading() {
    guard isReady, let time = try? MonotonicTime.now() else { return }
    send("RELOADING=1\nMONOTONIC_USEC=\(time)")
  }

  /// Records that the manifest was read; the end of the turn notifies the manager.
  mutating func noteReloaded() { hasReloaded = true }

  func notifyStopping() { send("STOPPING=1") }

  /// Sets the status line; the end of the turn sends it.
  mutating func setStatus(radio: RadioLine.State, clients: Int) {
    status = Status(radio: radio, clients: clients)
  }

  /// Sends what has changed, and feeds the watchdog, at the end of a turn. Returns whether it sent a new status.
  mutating func endTurn(at now: Instant) -> Bool {
    if hasReloaded, isReady { send("READY=1") }
    hasReloaded = false
    if let nextFeed, nextFeed <= now {
      self.nextFeed = schedule.next(after: now)
      send("WATCHDOG=1")
    }
    guard isReady, let status, status != sentStatus, statusTime.map({ $0 <= now }) ?? true else {
      return false
    }
    sentStatus = status
    statusTime = now.advanced(milliseconds: Self.statusMilliseconds)
    send(status.line)
    return true
  }

  private func send(_ lines: String) { try? notification?.send(lines) }
}

/// How often the service manager's watchdog is fed: twice per timeout (sd_watchdog_enabled(3)).
struct WatchdogSchedule: Equatable, Sendable {
  private let intervalMicroseconds: Int64?

  /// Reads `WATCHDOG_USEC` and `WATCHDOG_PID`. Without a time, or if they are for another process, nothing is fed.
  init(microseconds: String?, process: String?, ownProcess: Int32) {
    let isForThisProcess = process.map { $0 == String(ownProcess) } ?? true
    let time = microseconds.flatMap { Int64($0) } ?? 0
    intervalMicroseconds = isForThisProcess && time > 0 ? max(1, time / 2) : nil
  }

  func next(after now: Instant) -> Instant? {
    intervalMicroseconds.map { Instant(microseconds: now.microseconds + $0) }
  }
}
