// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI

/// Whether the kernel lets keys be kept: on during a pairing of the agent only.
///
/// A command that the kernel refuses, or does not answer, is repeated after one second, then after longer and longer
/// pauses of at most 30 s.
package struct BondableSwitch: Sendable {
  private static let replyMilliseconds: Int64 = 2000
  private static let retryMilliseconds: Int64 = 1000
  private static let retryDoublingsMax = 5

  enum State: Equatable, Sendable {
    /// The kernel's setting; nil before it was set.
    case known(Bool?)
    case setting(Bool, until: Instant)
    case waiting(until: Instant)
    /// The agent may not change it.
    case refused
  }

  package var isWanted = false
  private(set) var state = State.known(nil)
  private var failureCount = 0

  /// Whether the kernel has the wanted setting, or will never have it.
  var isSettled: Bool { state == .known(isWanted) || state == .refused }
  var isRefused: Bool { state == .refused }
  /// Whether the kernel may let keys be kept.
  var mayBeOn: Bool { state != .known(false) && state != .refused }

  var deadline: Instant? {
    switch state {
    case .setting(_, let until), .waiting(let until): until
    case .known, .refused: nil
    }
  }

  mutating func close() { self = BondableSwitch() }

  /// Another program, or the kernel at power on, may have changed it.
  mutating func invalidate() { if case .known = state { state = .known(nil) } }

  /// Returns whether the kernel has rejected the command.
  mutating func receiveReply(_ status: MgmtStatus, at now: Instant) -> Bool {
    guard case .setting(let isOn, _) = state else { return false }
    switch status {
    case .success:
      failureCount = 0
      state = .known(isOn)
    case .permissionDenied, .unknownCommand, .notSupported: state = .refused
    default: fail(at: now)
    }
    return status.isRejection
  }

  mutating func advance(to now: Instant) {
    switch state {
    case .setting(_, let until): if until <= now { fail(at: now) }
    case .waiting(let until): if until <= now { state = .known(nil) }
    case .known, .refused: break
    }
  }

  mutating func nextCommand(_ index: UInt16, at now: Instant) -> MgmtCommand? {
    guard case .known(let isOn) = state, isOn != isWanted else { return nil }
    state = .setting(isWanted, until: now.advanced(milliseconds: Self.replyMilliseconds))
    return .set(.setBondable, to: isWanted, index)
  }

  private mutating func fail(at now: Instant) {
    let pause = Self.retryMilliseconds << min(failureCount, Self.retryDoublingsMax)
    failureCount += 1
    state = .waiting(until: now.advanced(milliseconds: min(pause, 30_000)))
  }
}
