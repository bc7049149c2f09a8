// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI

/// Ends a Pair Device that the kernel would never end by itself.
///
/// Capacity: one device. A command that is refused, or not answered, is repeated after a second, at most ``triesMax``
/// times.
struct PairingCancellation: Sendable {
  static let triesMax = 8
  private static let replyMilliseconds: Int64 = 2000
  private static let retryMilliseconds: Int64 = 1000

  enum State: Equatable, Sendable {
    case resting
    /// The command is to be sent.
    case due(DeviceAddress)
    case pending(DeviceAddress, until: Instant)
    case waiting(DeviceAddress, until: Instant)
  }

  private(set) var state = State.resting
  private var tries = 0

  var isResting: Bool { state == .resting }

  var deadline: Instant? {
    switch state {
    case .resting, .due: nil
    case .pending(_, let until), .waiting(_, let until): until
    }
  }

  mutating func startCancelling(_ device: DeviceAddress) {
    guard state == .resting else { return }
    tries = 0
    state = .due(device)
  }

  /// Pair Device has ended.
  mutating func end() { state = .resting }

  /// Receives the reply. Returns whether Pair Device had ended before, so that no other reply will come.
  mutating func receiveReply(_ status: MgmtStatus, at now: Instant) -> Bool {
    guard case .pending(let device, _) = state else { return false }
    switch status {
    case .success:
      state = .resting
      return false
    case .invalidParameters, .notPowered, .invalidIndex, .permissionDenied, .unknownCommand, .notSupported:
      state = .resting
      return true
    default:
      repeatLater(device, at: now)
      return false
    }
  }

  mutating func advance(to now: Instant) {
    switch state {
    case .resting, .due: break
    case .pending(let device, let until): if until <= now { repeatLater(device, at: now) }
    case .waiting(let device, let until): if until <= now { state = .due(device) }
    }
  }

  mutating func nextCommand(_ index: UInt16, at now: Instant) -> MgmtCommand? {
    guard case .due(let device) = state else { return nil }
    state = .pending(device, until: now.advanced(milliseconds: Self.replyMilliseconds))
    return .cancelPairing(with: device, index)
  }

  private mutating func repeatLater(_ device: DeviceAddress, at now: Instant) {
    tries += 1
    let retry = State.waiting(device, until: now.advanced(milliseconds: Self.retryMilliseconds))
    state = tries < Self.triesMax ? retry : .resting
  }
}
