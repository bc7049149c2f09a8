// SPDX-License-Identifier: GPL-3.0-or-later

import CLinux
import Glibc

/// A descriptor that becomes readable at a point in boot time.
public struct TimerDescriptor: ~Copyable {
  public let descriptor: Descriptor

  public init() throws(SystemError) {
    descriptor = Descriptor(owning: try retryOnInterrupt(.timerCreate) { clinux_timer_create() })
  }

  /// Sets the timer to an absolute boot time in microseconds, or disarms it. A time in the past expires at once.
  public func set(_ microseconds: Int64?) throws(SystemError) {
    // Zero would disarm it.
    let time = microseconds.map { max(1, $0) } ?? 0
    try descriptor.call(.timerSet) { clinux_timer_set($0, time) }
  }

  /// Makes the descriptor unreadable again.
  public func acknowledge() throws(SystemError) {
    var count = [UInt8](repeating: 0, count: 8)
    _ = try descriptor.read(into: &count)
  }
}

/// A program's one timer, counted from an instant of the program's own. It is armed only when its time changes, and
/// never read: arming it again makes it unreadable.
public struct LoopTimer: ~Copyable {
  private let timer: TimerDescriptor
  /// The boot time of the instant 0, in microseconds; without one the timer never expires.
  private let origin: Int64?
  private var setting: Int64?
  private var hasExpired = false

  public init(origin: Int64?) throws(SystemError) {
    self.origin = origin
    timer = try TimerDescriptor()
  }

  /// The number of the descriptor, which becomes readable when the timer expires.
  public var number: Int32 { timer.descriptor.number }

  public func watch(in epoll: borrowing Epoll, token: UInt64) throws(SystemError) {
    try epoll.add(timer.descriptor, .readable, token: token)
  }

  /// Notes that the descriptor was readable.
  public mutating func noteExpiry() { hasExpired = true }

  /// Arms the timer for a time in microseconds since the instant 0, or disarms it. Returns whether it had to be set.
  @discardableResult
  public mutating func arm(_ microseconds: Int64?) throws(SystemError) -> Bool {
    guard hasExpired || microseconds != setting else { return false }
    if let origin { try timer.set(microseconds.map { origin + $0 }) }
    (setting, hasExpired) = (microseconds, false)
    return true
  }
}

/// Signals as a descriptor; they no longer interrupt anything.
public struct SignalDescriptor: ~Copyable {
  /// The signals that control a daemon.
  public enum Signal: Int32, CaseIterable, Sendable {
    case hangUp = 1
    case interrupt = 2
    case terminate = 15
  }

  public let descriptor: Descriptor

  /// Blocks the signals for the process and delivers them here. Create it before any thread.
  public init() throws(SystemError) {
    let mask = Signal.allCases.reduce(UInt64(0)) { $0 | 1 << UInt64($1.rawValue) }
    descriptor = Descriptor(owning: try retryOnInterrupt(.signals) { clinux_signals(mask) })
  }

  /// The next signal that arrived, or nil.
  public func next() throws(SystemError) -> Signal? {
    let number = clinux_next_signal(descriptor.number)
    guard number >= 0 else { throw SystemError(.read) }
    return Signal(rawValue: number)
  }
}

/// A descriptor through which another thread wakes the loop.
public struct Waker: ~Copyable, Sendable {
  public let descriptor: Descriptor

  public init() throws(SystemError) {
    descriptor = Descriptor(owning: try retryOnInterrupt(.eventCreate) { clinux_eventfd() })
  }

  /// Makes the descriptor readable; any thread may call it.
  public func wake() {
    var one: UInt64 = 1
    // Holds: eight bytes of a local variable.
    _ = unsafe Glibc.write(descriptor.number, &one, 8)
  }

  /// Blocks the thread until ``wake()`` is called.
  public func wait() throws(SystemError) {
    var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    // Holds: one entry, a local variable.
    _ = try retryOnInterrupt(.poll) { unsafe poll(&entry, 1, -1) }
    try acknowledge()
  }

  public func acknowledge() throws(SystemError) {
    var count = [UInt8](repeating: 0, count: 8)
    _ = try descriptor.read(into: &count)
  }
}

/// The process's signal dispositions.
public enum Signals {
  /// Ignores SIGPIPE, so that a write to a closed pipe or socket fails and does not end the process.
  public static func ignoreBrokenPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
  }
}
